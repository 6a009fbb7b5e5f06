//! The profile of a trace: what is measured to make a twin of it.
//!
//! Two passes: how many requests there are says how long the stretches of the course are, and how often a
//! page is touched in all is known only at the end. Nothing of the trace goes into the profile but counts by stretch, histograms and shares.

mod accesses;
mod sizes;

use super::profile::gaps::SplitMeter;
use super::profile::kind::{GAPS, GROUPS, KINDS, Kind, gap_class};
use super::profile::{COLUMNS, Profile, VERSION};
use crate::plausibility::LARGEST_BYTES;
use crate::{Error, Op, Request, Source};
use accesses::{AccessMeter, Touches};
use std::ops::ControlFlow;

/// Requests of a stretch of the course, at least.
const STRETCH_REQUESTS: u64 = 256;
/// Stretches of the course, at most.
const MAX_STRETCHES: u64 = 128;

/// Asked whether to go on.
pub type GoOn<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// The unit in which a trace is looked at, in bytes.
const PAGE_BYTES: u32 = 4096;

const BATCH_REQUESTS: usize = 4096;

/// First page and one past the last.
fn pages_of(request: &Request) -> std::ops::Range<u64> {
    let unit = u64::from(PAGE_BYTES);
    let end = request.offset_bytes.saturating_add(u64::from(request.size_bytes));
    request.offset_bytes / unit..end.div_ceil(unit)
}

/// Measures the profile of what `source` gives from its beginning. Trims and flushes are left out;
/// pages of different volumes are different pages. Memory: about 60 bytes for each 4 KiB that reads
/// touch, and as much for each that writes do.
///
/// `None` where `go_on`, which is asked at every batch, says stop.
///
/// # Errors
/// A malformed record; a request that no host sends; no reads and no writes; a source that cannot begin
/// again.
pub fn fit(source: &mut dyn Source, name: &str, go_on: GoOn<'_>) -> Result<Option<Profile>, Error> {
    source.rewind()?;
    let mut requests = 0;
    let mut touches = [Touches::default(), Touches::default()];
    let first = for_each(source, go_on, |request| {
        requests += 1;
        for page in pages_of(request) {
            let touches = &mut touches[usize::from(request.op == Op::Write)];
            *touches.entry((request.stream, page)).or_default() += 1;
        }
    })?;
    if first.is_break() {
        return Ok(None);
    }
    if requests == 0 {
        return Err(Error::new("has no reads and no writes to fit", source.name(), ""));
    }
    source.rewind()?;
    let mut meter = Meter::new(requests, touches);
    if for_each(source, go_on, |request| meter.add(request))?.is_break() {
        return Ok(None);
    }
    Ok(Some(meter.finish(name)))
}

/// Every read and write, until `go_on` says stop.
fn for_each(
    source: &mut dyn Source,
    go_on: GoOn<'_>,
    mut each: impl FnMut(&Request),
) -> Result<ControlFlow<()>, Error> {
    let mut batch = Vec::with_capacity(BATCH_REQUESTS);
    loop {
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        if go_on().is_break() {
            return Ok(ControlFlow::Break(()));
        }
        for request in batch.iter().filter(|r| matches!(r.op, Op::Read | Op::Write)) {
            // Each page of it would take memory.
            let bytes = u64::from(request.size_bytes);
            if bytes > LARGEST_BYTES {
                let [mib, most] =
                    [bytes, LARGEST_BYTES].map(|bytes| bytes as f64 / f64::from(1 << 20));
                let what =
                    format!("a request covers {mib:.0} MiB, and a model takes {most} MiB at most");
                let help =
                    "leave it out; if its unit was taken wrong, name the unit with format csv";
                return Err(Error::new(what, source.name(), help));
            }
            each(request);
        }
    }
}

struct Meter {
    /// Requests of a stretch.
    stretch: u64,
    course: Vec<Vec<u64>>,
    gaps_us: Vec<f64>,
    splits: SplitMeter,
    /// By kind ahead and class of gap, how often each kind came.
    next: Vec<[u32; KINDS]>,
    last: Option<(Kind, u64)>,
    /// Reads, then writes.
    sides: [AccessMeter; 2],
}

impl Meter {
    fn new(requests: u64, touches: [Touches; 2]) -> Self {
        let stretches = (requests / STRETCH_REQUESTS).clamp(1, MAX_STRETCHES);
        Self {
            stretch: requests.div_ceil(stretches),
            course: Vec::new(),
            gaps_us: Vec::new(),
            splits: SplitMeter::default(),
            next: vec![[0; KINDS]; KINDS * GAPS],
            last: None,
            sides: touches.map(AccessMeter::new),
        }
    }

    fn add(&mut self, request: &Request) {
        let [reads, writes] = &mut self.sides;
        let write = request.op == Op::Write;
        let (side, other) = if write { (writes, &*reads) } else { (reads, &*writes) };
        let (kind, new_pages) = side.add(request, write, other);
        let full = |row: &Vec<u64>| row[1..=GROUPS].iter().sum::<u64>() == self.stretch;
        if self.course.last().is_none_or(full) {
            self.close_stretch();
            self.course.push(vec![0; COLUMNS]);
        }
        if let Some((ahead, at_ns)) = self.last.replace((kind, request.arrival_ns)) {
            let gap_us = request.arrival_ns.saturating_sub(at_ns) as f64 / 1000.0;
            self.next[ahead.index() * GAPS + gap_class(gap_us)][kind.index()] += 1;
            self.gaps_us.push(gap_us);
        }
        let row = self.course.last_mut().expect("a stretch");
        row[1 + kind.group()] += 1;
        row[1 + GROUPS + usize::from(write)] += new_pages;
    }

    fn close_stretch(&mut self) {
        if let Some(row) = self.course.last_mut() {
            row[0] = self.splits.add(&self.gaps_us).round() as u64;
            self.gaps_us.clear();
        }
    }

    fn finish(mut self, name: &str) -> Profile {
        self.close_stretch();
        let rows = self.next.iter().enumerate();
        let used = rows.filter(|(_, row)| row.iter().any(|&count| count > 0));
        let next = used.map(|(at, row)| {
            let pairs = (0..KINDS).filter(|&kind| row[kind] > 0);
            [(at / GAPS) as u32, (at % GAPS) as u32]
                .into_iter()
                .chain(pairs.flat_map(|kind| [kind as u32, row[kind]]))
                .collect()
        });
        let [reads, writes] = self.sides;
        Profile {
            twin: VERSION,
            name: name.to_owned(),
            source: "fitted to a trace: counts and shares, no address of it".into(),
            page_bytes: PAGE_BYTES,
            course: self.course,
            next: next.collect(),
            splits: self.splits.finish(),
            read: reads.finish(),
            write: writes.finish(),
        }
    }
}

/// To five significant digits: what lies beyond is the trace's chance.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}
