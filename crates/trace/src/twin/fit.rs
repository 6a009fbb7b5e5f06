//! The model of a trace: what is measured to make a twin of it.
//!
//! Two passes: how often each page is written is known only at the end, and decides its class.
//! Nothing of the trace goes into the model but shares, histograms and means.

mod arrivals;
mod reads;
mod sizes;
mod writes;

use super::model::{Model, Operation, VERSION};
use crate::plausibility::doubtful_size;
use crate::{Error, Op, Request, Source};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// Asked whether to go on.
pub type GoOn<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// The unit in which a trace is looked at, in bytes.
const PAGE_BYTES: u32 = 4096;

const BATCH_REQUESTS: usize = 4096;

/// What is known of a page.
#[derive(Debug, Clone, Copy, Default)]
struct Page {
    /// Writes in the whole trace.
    writes: u32,
    reads: u32,
    /// Pages that had been written when it was written last, plus one; 0 before its first write.
    stamp: u64,
}

/// Pages of all volumes.
#[derive(Debug, Default)]
struct Pages(FxHashMap<(u16, u64), Page>);

impl Pages {
    fn at(&mut self, stream: u16, page: u64) -> &mut Page {
        self.0.entry((stream, page)).or_default()
    }
}

/// First page and one past the last.
fn pages_of(request: &Request) -> std::ops::Range<u64> {
    let unit = u64::from(PAGE_BYTES);
    let end = request.offset_bytes.saturating_add(u64::from(request.size_bytes));
    request.offset_bytes / unit..end.div_ceil(unit)
}

/// Measures the model of what `source` gives from its beginning. Trims and flushes are left out;
/// pages of different volumes are different pages. Memory: about 50 bytes for each 4 KiB touched.
///
/// `None` where `go_on`, which is asked at every batch, says stop.
///
/// # Errors
/// A malformed record; a request that no host sends; no reads and no writes; a source that cannot begin
/// again.
pub fn fit(source: &mut dyn Source, name: &str, go_on: GoOn<'_>) -> Result<Option<Model>, Error> {
    source.rewind()?;
    let mut pages = Pages::default();
    let first = for_each(source, go_on, |request| {
        let write = request.op == Op::Write;
        for page in pages_of(request) {
            let page = pages.at(request.stream, page);
            page.writes += u32::from(write);
            page.reads += u32::from(!write);
        }
    })?;
    if first.is_break() {
        return Ok(None);
    }
    source.rewind()?;
    let mut meters = Meters::default();
    if for_each(source, go_on, |request| meters.add(request, &mut pages))?.is_break() {
        return Ok(None);
    }
    meters.finish(source, name, &pages).map(Some)
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
            if let Some(doubt) = doubtful_size(u64::from(request.size_bytes)) {
                return Err(Error::new(doubt, source.name(), "name the unit with format csv"));
            }
            each(request);
        }
    }
}

#[derive(Default)]
struct Meters {
    requests: u64,
    arrivals: arrivals::Meter,
    writes: writes::Meter,
    reads: reads::Meter,
}

impl Meters {
    fn add(&mut self, request: &Request, pages: &mut Pages) {
        self.requests += 1;
        let write = request.op == Op::Write;
        let operation = if write { Operation::Write } else { Operation::Read };
        self.arrivals.add(operation, request.arrival_ns);
        if write {
            self.writes.add(request, pages);
        } else {
            self.reads.add(request);
        }
    }

    fn finish(self, source: &dyn Source, name: &str, pages: &Pages) -> Result<Model, Error> {
        if self.requests == 0 {
            return Err(Error::new("has no reads and no writes to fit", source.name(), ""));
        }
        let (arrivals, interval_us) = self.arrivals.finish();
        let write_share = self.writes.requests as f64 / self.requests as f64;
        Ok(Model {
            twin: VERSION,
            name: name.to_owned(),
            source: "fitted to a trace: shares and means, no address of it".into(),
            requests: self.requests,
            interval_us: rounded(interval_us),
            page_bytes: PAGE_BYTES,
            write_share,
            arrivals,
            read: self.reads.finish(pages),
            write: self.writes.finish(),
        })
    }
}

/// To five significant digits: what lies beyond is the trace's chance.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}
