//! Statistics of a workload, in one pass. What each means stands in `docs/workloads.md`.

mod arrivals;
mod histogram;
mod lifetimes;
mod locality;
mod pages;
mod report;
mod runs;
mod sampling;
mod series;
mod sizes;
mod skew;
mod touched;
mod volume;
mod warnings;

use rustc_hash::FxHashMap;

use crate::{Error, Op, Request, Source};

pub use locality::{LocalityStats, MergedParts, Rewrites};
pub use pages::{PAGE_BYTES, SECTOR_BYTES};
pub use report::*;
pub use runs::RECENT as RECENT_REQUESTS;

use arrivals::Arrivals;
use pages::parts;
use sampling::Sampler;
use series::Course;
use volume::{Sums, Volume, span};

/// Requests per batch.
const BATCH_REQUESTS: usize = 4096;
/// What a volume takes besides its pages, bytes: histograms, mostly.
const VOLUME_BYTES: u64 = 100 * 1024;

/// How statistics are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Share of the addresses that is looked at, above 0; 1 makes every figure exact. Figures that
    /// need no memory of addresses – counts, sizes, times, sequences – are exact in any case.
    pub sample: f64,
    /// Memory that may be taken, in MiB. About 45 bytes are needed for each page of 16 KiB
    /// touched, and up to 200 where pages lie alone.
    pub memory_mib: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { sample: 1.0, memory_mib: 2048 }
    }
}

impl Stats {
    /// The statistics of what `source` gives from where it stands to its end.
    ///
    /// # Errors
    /// A malformed record; options out of range; a workload that needs more memory than allowed.
    pub fn measure(source: &mut dyn Source, options: &Options) -> Result<Self, Error> {
        let mut meter = Meter::new(source.name(), options)?;
        let mut batch = Vec::with_capacity(BATCH_REQUESTS);
        loop {
            source.next_batch(&mut batch)?;
            if batch.is_empty() {
                let mut stats = meter.finish();
                stats.name_volumes(source.stream_names());
                return Ok(stats);
            }
            meter.add(&batch)?;
        }
    }

    /// Gives volumes their names: that of volume n stands at place n.
    pub fn name_volumes(&mut self, names: &[String]) {
        for volume in &mut self.volumes {
            let place = volume.volume.map(usize::from);
            volume.name =
                place.and_then(|place| names.get(place).filter(|name| !name.is_empty()).cloned());
        }
    }
}

/// Takes statistics, batch by batch.
#[derive(Debug)]
pub struct Meter {
    name: String,
    sampler: Sampler,
    memory_bytes: u64,
    slots: FxHashMap<u16, usize>,
    /// The volume of the last request, and its slot.
    last: Option<(u16, usize)>,
    volumes: Vec<Volume>,
    arrivals: Arrivals,
    course: Course,
    now_ns: u64,
}

impl Meter {
    /// A meter for the workload called `name`.
    ///
    /// # Errors
    /// An option out of range.
    pub fn new(name: &str, options: &Options) -> Result<Self, Error> {
        if !(options.sample > 0.0 && options.sample <= 1.0) {
            let what = format!("sample = {}: expected a share above 0, up to 1", options.sample);
            return Err(Error::new(what, name, "1 looks at every address"));
        }
        Ok(Self {
            name: name.to_owned(),
            sampler: Sampler::new(options.sample),
            memory_bytes: options.memory_mib << 20,
            slots: FxHashMap::default(),
            last: None,
            volumes: Vec::new(),
            arrivals: Arrivals::default(),
            course: Course::default(),
            now_ns: 0,
        })
    }

    /// Counts requests; they come in the order in which they arrive.
    ///
    /// # Errors
    /// More memory is needed than allowed.
    pub fn add(&mut self, requests: &[Request]) -> Result<(), Error> {
        requests.iter().try_for_each(|request| self.add_one(request))
    }

    /// Arrival of the last request, nanoseconds.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    #[inline]
    fn add_one(&mut self, request: &Request) -> Result<(), Error> {
        let slot = match self.last {
            Some((stream, slot)) if stream == request.stream => slot,
            _ => self.slot(request.stream)?,
        };
        self.now_ns = request.arrival_ns;
        self.arrivals.add(request.arrival_ns);
        self.volumes[slot].add(request);
        if request.op == Op::Flush || request.size_bytes == 0 {
            return Ok(());
        }
        self.touch(slot, request)
    }

    #[cold]
    fn slot(&mut self, stream: u16) -> Result<usize, Error> {
        let new = self.volumes.len();
        let slot = *self.slots.entry(stream).or_insert(new);
        if slot == new {
            self.volumes.push(Volume::default());
            self.check_memory()?;
        }
        self.last = Some((stream, slot));
        Ok(slot)
    }

    /// Counts what a request does to pages.
    #[inline]
    fn touch(&mut self, slot: usize, request: &Request) -> Result<(), Error> {
        let (now_ns, op) = (request.arrival_ns, request.op);
        let tick = series::tick(now_ns);
        let bin = self.course.add(request, tick);
        let (offset, end) = span(request);
        let (mut seen, mut updating) = (false, false);
        if op == Op::Write {
            let volume = &mut self.volumes[slot];
            let takes = |chunk| self.sampler.takes(request.stream, chunk);
            if let Some(behind) = volume.follow(request, takes) {
                volume.locality.counts.began(behind);
            }
        }
        for part in parts(offset, end) {
            if !self.sampler.takes(request.stream, part.chunk) {
                continue;
            }
            let volume = &mut self.volumes[slot];
            let page = &mut volume.pages.chunk(part.chunk)[part.place];
            seen = true;
            let untouched = match op {
                Op::Read => page.read == 0,
                Op::Write => page.written == 0,
                Op::Trim | Op::Flush => false,
            };
            if untouched {
                self.course.first(bin, op);
            }
            match op {
                Op::Read => volume.sums.touched.read(page, part.sectors),
                Op::Write => {
                    volume.locality.counts.page(page, request.size_bytes);
                    updating |= volume.sums.touched.write(page, part.sectors, now_ns);
                }
                Op::Trim if part.whole_page => volume.sums.touched.trim(page, now_ns),
                Op::Trim | Op::Flush => {}
            }
            if op != Op::Trim {
                self.course.touch(bin, tick, page.touched_tick);
                page.touched_tick = tick;
            }
            if volume.pages.has_grown() {
                self.check_memory()?;
            }
        }
        if seen && op == Op::Write {
            self.volumes[slot].sums.touched.write_request(updating);
        }
        Ok(())
    }

    #[cold]
    fn check_memory(&self) -> Result<(), Error> {
        if self.bytes() <= self.memory_bytes {
            return Ok(());
        }
        let requests: u64 = self.volumes.iter().map(|volume| volume.sums.requests().total).sum();
        let what = format!(
            "its statistics need more than {} MiB of memory, after {requests} requests",
            self.memory_bytes >> 20
        );
        let less = 0.1 / self.sampler.scale();
        let help = format!(
            "allow more (memory_mib), or estimate from a share of the addresses (sample = {less})"
        );
        Err(Error::new(what, &self.name, help))
    }

    fn bytes(&self) -> u64 {
        self.volumes.iter().map(|volume| volume.pages.bytes() + VOLUME_BYTES).sum()
    }

    /// The statistics of the requests so far.
    pub fn finish(self) -> Stats {
        let memory_mib = self.bytes() as f64 / f64::from(1 << 20);
        let sampling = self.sampler.finish(self.volumes.iter().map(|volume| &volume.pages));
        let scale = self.sampler.scale();
        let mut order: Vec<(u16, usize)> = self.slots.into_iter().collect();
        order.sort_unstable();
        let mut volumes: Vec<Option<Volume>> = self.volumes.into_iter().map(Some).collect();
        let mut total = Sums::default();
        let each = order.into_iter().filter_map(|(stream, slot)| {
            let (sums, arrivals) = volumes[slot].take()?.finish(self.now_ns);
            total.merge(&sums);
            Some(sums.finish(Some(stream), arrivals, scale))
        });
        let volumes: Vec<VolumeStats> = each.collect();
        let mut total = total.finish(None, self.arrivals, scale);
        // Volumes do not share data, though they share addresses.
        total.footprint = volumes.iter().map(|volume| volume.footprint).sum();
        Stats {
            sampling,
            series: self.course.finish(self.now_ns, scale),
            total,
            volumes,
            memory_mib,
        }
    }
}
