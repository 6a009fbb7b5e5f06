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
mod slots;
mod touched;
mod volume;
mod warnings;

use rustc_hash::FxHashMap;

use crate::{Error, Request, Source};

pub use locality::{LocalityStats, MergedParts, Rewrites};
pub use pages::{PAGE_BYTES, SECTOR_BYTES};
pub use report::*;
pub use runs::RECENT as RECENT_REQUESTS;

use arrivals::Arrivals;
use sampling::Sampler;
use series::Course;
use slots::{Slot, Together};
use volume::Shared;

/// Requests per batch.
const BATCH_REQUESTS: usize = 4096;

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
            let place = volume.volume.map(|number| number as usize);
            volume.name =
                place.and_then(|place| names.get(place).filter(|name| !name.is_empty()).cloned());
        }
    }
}

/// Takes statistics, batch by batch.
#[derive(Debug)]
pub struct Meter {
    name: String,
    memory_bytes: u64,
    slots: FxHashMap<u32, usize>,
    /// The volume of the last request, and its slot.
    last: Option<(u32, usize)>,
    volumes: Vec<Slot>,
    /// Memory of all volumes.
    bytes: u64,
    arrivals: Arrivals,
    shared: Shared,
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
            memory_bytes: options.memory_mib << 20,
            slots: FxHashMap::default(),
            last: None,
            volumes: Vec::new(),
            bytes: 0,
            arrivals: Arrivals::default(),
            shared: Shared {
                sampler: Sampler::new(options.sample),
                course: Course::default(),
                kept_requests: slots::KEPT_REQUESTS,
            },
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
            _ => self.slot(request.stream),
        };
        self.now_ns = request.arrival_ns;
        self.arrivals.add(request.arrival_ns);
        match self.volumes[slot].add(request, &mut self.shared) {
            true => self.recount(slot),
            false => Ok(()),
        }
    }

    #[cold]
    fn slot(&mut self, stream: u32) -> usize {
        let new = self.volumes.len();
        let slot = *self.slots.entry(stream).or_insert(new);
        if slot == new {
            self.volumes.push(Slot::new(stream));
        }
        self.last = Some((stream, slot));
        slot
    }

    /// A volume takes more memory.
    #[cold]
    fn recount(&mut self, slot: usize) -> Result<(), Error> {
        let volume = &mut self.volumes[slot];
        self.bytes -= volume.bytes;
        volume.bytes = volume.kept.bytes();
        self.bytes += volume.bytes;
        if self.bytes <= self.memory_bytes {
            return Ok(());
        }
        let requests: u64 = self.volumes.iter().map(|volume| volume.kept.requests()).sum();
        let what = format!(
            "its statistics need more than {} MiB of memory, after {requests} requests",
            self.memory_bytes >> 20
        );
        let less = 0.1 / self.shared.sampler.scale();
        let help = format!(
            "allow more (memory_mib), or estimate from a share of the addresses (sample = {less})"
        );
        Err(Error::new(what, &self.name, help))
    }

    /// The statistics of the requests so far.
    pub fn finish(self) -> Stats {
        let memory_mib = self.bytes as f64 / f64::from(1 << 20);
        let (scale, mut shared) = (self.shared.sampler.scale(), self.shared);
        let least = slots::least_detailed(&self.volumes);
        let (mut total, mut others) = (Together::default(), Together::default());
        let mut volumes = Vec::new();
        let mut tallies = shared.sampler.tallies();
        for slot in self.volumes {
            let is_detailed = slot.rank() >= least;
            let volume = slot.kept.measured(slot.stream, &mut shared);
            tallies.add(&volume.pages);
            let (sums, arrivals) = volume.finish(self.now_ns);
            total.add(&sums, scale);
            if is_detailed {
                volumes.push(sums.finish(Some(slot.stream), arrivals, scale));
            } else {
                others.add(&sums, scale);
            }
        }
        volumes.sort_unstable_by_key(|stats| stats.volume);
        let others = others.finish_others(scale);
        Stats {
            sampling: tallies.finish(),
            total: total.finish(self.arrivals, scale),
            series: shared.course.finish(self.now_ns, scale),
            volumes,
            others,
            memory_mib,
        }
    }
}
