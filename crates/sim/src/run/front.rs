//! The host in front of an array: requests at their times (open loop), or as fast as others end
//! (closed loop).

use super::drive::Drive;
use crate::array::{Array, SECTOR_BYTES, State};
use crate::engine::Finished;
use crate::error::Error;
use crate::host::{AddressMap, Slots};
use crate::metrics::{Counters, Latencies, Recorder, Sample};
use crate::report::ArrayFacts;
use crate::schema::{Config, HostMode, RunMode, Streams};
use std::collections::BTreeMap;
use wordline_trace::{Op, Request};

/// Requests that may wait for a slot of their stream while others go ahead.
const AHEAD: usize = 1 << 16;

/// The host's interface to an array.
pub struct Front {
    /// The array.
    pub array: Array<Box<dyn Drive>>,
    /// Where requests land.
    pub addresses: AddressMap,
    /// What is recorded.
    pub recorder: Recorder,
    /// Latencies of reads and of writes by what the array was doing when they ended.
    pub phases: BTreeMap<State, [Latencies; 2]>,
    /// Closed loop: its slots; `None`: open loop.
    slots: Option<Slots>,
    time_scale: f64,
    is_timed: bool,
    /// A rebuild or scrub is awaited at the end.
    sync_to_end: bool,
    page_bytes: u64,
    pages: Vec<u32>,
}

impl Front {
    /// A host in front of an array whose pages are of `page_bytes`.
    pub fn new(config: &Config, array: Array<Box<dyn Drive>>, page_bytes: u64) -> Self {
        let host = &config.host;
        let pages = array.layout().pages() as u32;
        Self {
            addresses: AddressMap::new(page_bytes, pages, config.workload.beyond),
            recorder: Recorder::new(config.run.series_points, config.run.records),
            phases: BTreeMap::new(),
            slots: (host.mode == HostMode::Closed)
                .then(|| Slots::new(host.queue_depth as usize, host.streams == Streams::Each)),
            time_scale: host.time_scale,
            is_timed: config.run.mode == RunMode::Timed,
            sync_to_end: config.array.sync_to_end,
            page_bytes,
            pages: Vec::new(),
            array,
        }
    }

    /// Feeds a batch of requests, `base_ns` being the time at which their workload began.
    ///
    /// # Errors
    /// An address beyond the array.
    pub fn feed(&mut self, batch: &[Request], base_ns: u64) -> Result<(), Error> {
        for request in batch {
            let Some(slots) = &mut self.slots else {
                let scaled = (request.arrival_ns as f64 * self.time_scale) as u64;
                self.pass_time_until(base_ns + scaled)?;
                self.carry_out(request, base_ns + scaled)?;
                continue;
            };
            slots.wait(*request);
            let left = if slots.each_stream() { AHEAD } else { 0 };
            self.carry_out_waiting(left)?;
        }
        Ok(())
    }

    /// Requests go as slots become free, until no more than `left` wait.
    fn carry_out_waiting(&mut self, left: usize) -> Result<(), Error> {
        while self.slots.as_ref().is_some_and(|slots| slots.waiting() > left) {
            match self.slots.as_mut().and_then(Slots::next) {
                Some((request, slot_ns)) => self.carry_out(&request, slot_ns)?,
                None => self.go_on()?,
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, request: &Request, arrival_ns: u64) -> Result<(), Error> {
        if self.recorder.begins_with(arrival_ns) {
            self.measure(arrival_ns);
        }
        self.recorder.first_arrival_ns.get_or_insert(arrival_ns);
        self.recorder.take(request);
        let number = self.recorder.number();
        let mut pages = std::mem::take(&mut self.pages);
        let coverage = self.addresses.place(request, number, &mut pages)?;
        if request.op == Op::Trim {
            let (mut index, count) = (0, pages.len());
            pages.retain(|_| {
                index += 1;
                coverage.is_whole(index - 1, count)
            });
        }
        self.array.submit(request, arrival_ns, &pages, self.sectors(request))?;
        self.pages = pages;
        self.collect_finished();
        if self.recorder.total() >= self.recorder.series.due {
            let sample = self.sample();
            self.recorder.series.push(sample);
        }
        Ok(())
    }

    /// Counts anew from here on, the drives too.
    #[cold]
    fn measure(&mut self, now_ns: u64) {
        let sample = Sample { time_ns: now_ns, ..self.sample() };
        let counters = self.counters();
        self.recorder.measure(&counters, sample);
        self.phases.clear();
        self.addresses.count_anew();
        self.array.counts.count_anew();
        self.array.members.iter_mut().for_each(|drive| drive.measure(now_ns));
    }

    /// The sectors that a request covers of its first page, and of its last; begun ones count.
    fn sectors(&self, request: &Request) -> (u64, u64) {
        let first = request.offset_bytes % self.page_bytes / SECTOR_BYTES;
        let end = request.offset_bytes.saturating_add(u64::from(request.size_bytes));
        let within = end.saturating_sub(1) % self.page_bytes / SECTOR_BYTES;
        (u64::MAX << first, u64::MAX >> (63 - within))
    }

    fn pass_time_until(&mut self, until_ns: u64) -> Result<(), Error> {
        while self.array.next_ns() <= until_ns {
            self.array.step()?;
            self.collect_finished();
        }
        self.array.advance(until_ns)
    }

    /// Goes on to the next moment at which something happens.
    fn go_on(&mut self) -> Result<(), Error> {
        if self.array.next_ns() == u64::MAX {
            return Err(Error::Invariant("every request waits and nothing is due".into()));
        }
        self.array.step()?;
        self.collect_finished();
        Ok(())
    }

    /// Records the requests that have ended.
    fn collect_finished(&mut self) {
        for request in std::mem::take(&mut self.array.requests.finished) {
            if self.is_timed {
                self.record(&request);
            }
            if let Some(slots) = &mut self.slots {
                slots.will_end(request.stream, request.done_ns);
                slots.free();
            }
        }
    }

    fn record(&mut self, request: &Finished) {
        self.recorder.finish(request);
        if self.recorder.counts(request) && matches!(request.op, Op::Read | Op::Write) {
            let phase = self.phases.entry(self.array.state()).or_default();
            let latency_ns = request.done_ns - request.arrival_ns;
            phase[request.op as usize].record(latency_ns, request.bytes);
        }
    }

    /// What the result is made of.
    pub fn facts(&self) -> ArrayFacts<'_> {
        ArrayFacts {
            counters: self.counters(),
            recorder: &self.recorder,
            addresses: &self.addresses,
            phases: &self.phases,
            counts: &self.array.counts,
            layout: self.array.layout(),
            now_ns: self.array.now_ns(),
        }
    }

    /// Bytes that the host can address.
    pub fn logical_bytes(&self) -> u64 {
        self.array.layout().pages() * self.page_bytes
    }

    /// Totals of all drives.
    pub fn counters(&self) -> Counters {
        let mut counters = Counters::default();
        self.array.members.iter().for_each(|drive| counters.add(drive.counters()));
        counters
    }

    /// The figures as they stand.
    fn sample(&self) -> Sample {
        self.recorder.complete(Sample {
            time_ns: self.array.now_ns(),
            free_blocks: self.array.members.iter().map(|drive| drive.free_blocks()).sum(),
            ..Sample::of(&self.counters())
        })
    }

    /// Lets everything that waits or is under way come to its end.
    ///
    /// # Errors
    /// An address beyond the array.
    pub fn drain(&mut self) -> Result<(), Error> {
        self.carry_out_waiting(0)?;
        while self.array.requests.in_flight() > 0 {
            self.go_on()?;
        }
        while self.sync_to_end && self.array.is_syncing() {
            self.go_on()?;
        }
        for drive in &mut self.array.members {
            drive.drain()?;
        }
        let sample = self.sample();
        self.recorder.series.close(sample);
        Ok(())
    }
}
