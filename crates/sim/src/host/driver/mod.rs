//! A host in front of one drive.

mod acknowledge;
mod measure;
mod noting;
mod passing;
mod power;
mod submitting;
mod trimming;
mod waiting;
mod writing;

use super::address::Coverage;
use super::log::HostLog;
use super::write_buffer::{Leaving, WriteBuffer};
use super::{AddressMap, Ask, Host, Pace, ProgramBuffer};
use crate::engine::{Channel, Finished, Scheduler};
use crate::error::{Error, Fallible};
use crate::ftl::{Ftl, Io};
use crate::ids::Lpn;
use crate::metrics::{Lived, Recorder, Sample};
use crate::nand::command::RequestId;
use crate::schema::{Config, Flushes};
use crate::technique::{Hooks, Outage};
pub use measure::{Before, Start};
use passing::Times;
use waiting::Waiting;
use wordline_trace::{Op, Request};

/// The host's interface to one drive.
pub struct Driver<T: Hooks, S: Scheduler> {
    /// The drive.
    pub ftl: Ftl<T, S>,
    /// Its way to time and figures.
    pub io: Io<S>,
    /// Where requests land.
    pub addresses: AddressMap,
    /// What is recorded.
    pub recorder: Recorder,
    /// The DRAM write buffer.
    pub buffer: Option<WriteBuffer>,
    /// The controller's buffer, where writes are acknowledged from it.
    pub programs: Option<ProgramBuffer>,
    bus: Channel,
    /// The controller's time for trims.
    trims: Channel,
    times: Times,
    /// Fast path: no buffer, no delay on the bus, no timers, no idle work, no requests in parts. It does not change in
    /// a run, and its requests go by code that is compiled for it (`PLAIN`).
    pub(crate) is_plain: bool,
    pace: Pace,
    next_flush_ns: u64,
    /// Times without power that are still to come, the last one first.
    outages: Vec<Outage>,
    /// How much later requests arrive, because power was off.
    off_ns: u64,
    lpns: Vec<Lpn>,
    /// Units that leave the write buffer together.
    leaving: Vec<Leaving>,
    /// Units of the ranges by which requests are cut; 0: they are not.
    range_units: u32,
    /// Parts of requests up to now.
    parts: u64,
    /// Parts that wait before the drive decides where they go.
    waiting: Waiting<S::Join>,
    /// When the drive turned read-only: simulated time, host writes until then, and the bytes of the life
    /// that they stand for.
    pub read_only_at: Option<(u64, u64, u64)>,
    /// What the host has written over the life that the run stands for.
    pub lived: Lived,
    /// What stood when the part of the run began that counts; `None`: all of it counts.
    pub before: Option<Before>,
    /// What the dies had done when the first request arrived that counts.
    pub start: Start,
    /// True where a flush is acknowledged and does nothing.
    lies: bool,
    /// What the host asked for and was promised, while that is noted.
    log: Option<Box<HostLog>>,
    /// When an array was told that the drive does something on its own, unless it was asked something since; 0: it
    /// was not told.
    announced_wakeup_ns: u64,
    /// True while a write of an array's parity is carried out.
    pub(crate) parity: bool,
    /// True where somebody asks for the requests that have ended: an array, a drive that is served.
    pub(crate) tells: bool,
    /// Those that have since, and when.
    pub(crate) ended: Vec<(u64, u64)>,
}

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// A host in front of a drive.
    pub fn new(config: &Config, ftl: Ftl<T, S>, sched: S) -> Self {
        let unit_bytes = ftl.state.geometry.unit_bytes;
        let logical = ftl.state.logical_units;
        let times = Times::new(config, ftl.uses_idle_time());
        let next_flush_ns = match times.flush_interval_ns {
            0 => u64::MAX,
            interval => interval,
        };
        let range_units = ftl.range_units();
        let buffer = WriteBuffer::new(&config.host, unit_bytes, range_units);
        let programs = ProgramBuffer::new(config, &ftl.state).filter(|_| S::TIMED);
        Self {
            is_plain: buffer.is_none()
                && programs.is_none()
                && range_units == 0
                && next_flush_ns == u64::MAX
                && times.are_plain(),
            addresses: AddressMap::new(unit_bytes, logical, config.workload.beyond),
            recorder: Recorder::new(config.run.series_points, config.run.records),
            buffer,
            programs,
            io: Io::new(sched),
            bus: Channel::default(),
            trims: Channel::default(),
            pace: Pace::new(&config.host),
            next_flush_ns,
            outages: power::outages(config),
            off_ns: 0,
            lpns: Vec::new(),
            leaving: Vec::new(),
            range_units,
            parts: 0,
            waiting: Waiting::default(),
            read_only_at: None,
            lived: Lived::default(),
            before: None,
            start: Start::default(),
            lies: config.power.flushes == Flushes::Lie,
            log: None,
            announced_wakeup_ns: 0,
            parity: false,
            tells: false,
            ended: Vec::new(),
            times,
            ftl,
        }
    }

    /// Feeds a batch of requests, `base_ns` being the time at which their workload began.
    ///
    /// # Errors
    /// An address beyond the drive.
    pub fn feed(&mut self, batch: &[Request], base_ns: u64) -> Result<(), Error> {
        for (index, request) in batch.iter().enumerate() {
            if let Some((_, ahead)) = Ask::Map.ahead(batch, index) {
                self.ask_for(Ask::Map, ahead.op, ahead.offset_bytes);
            }
            if let Some((_, ahead)) = Ask::Places.ahead(batch, index) {
                self.ask_for(Ask::Places, ahead.op, ahead.offset_bytes);
            }
            self.feed_one(request, base_ns)?;
        }
        self.ftl.check_legality()
    }

    /// Asks the processor's cache for what a request that comes later will touch.
    #[inline(always)]
    pub(crate) fn ask_for(&self, ask: Ask, op: Op, offset_bytes: u64) {
        self.ask_for_unit(ask, op, self.addresses.guess(offset_bytes));
    }

    /// Asks the processor's cache for what a request for a logical unit will touch.
    #[inline(always)]
    fn ask_for_unit(&self, ask: Ask, op: Op, lpn: Lpn) {
        match (ask, op) {
            (Ask::Map, _) => self.ftl.prefetch_map(lpn),
            (Ask::Places, Op::Read) => self.ftl.prefetch_read(&self.io, lpn),
            (Ask::Places, _) => self.ftl.prefetch_old(lpn),
        }
    }

    /// When `bytes` that are ready at `ready_ns` have crossed the host's bus.
    #[inline(always)]
    fn over_bus<const PLAIN: bool>(&mut self, ready_ns: u64, bytes: u32) -> u64 {
        match self.times.ns_per_byte.filter(|_| !PLAIN) {
            None => ready_ns,
            Some(ns_per_byte) => self.over_slow_bus(ready_ns, bytes, ns_per_byte),
        }
    }

    #[inline(never)]
    fn over_slow_bus(&mut self, ready_ns: u64, bytes: u32, ns_per_byte: f64) -> u64 {
        let length_ns = (f64::from(bytes) * ns_per_byte).round() as u64;
        self.bus.reserve(self.io.sched.now_ns(), ready_ns, length_ns) + length_ns
    }

    #[inline(always)]
    fn read<const PLAIN: bool>(&mut self, lpns: &[Lpn], id: Option<RequestId>) {
        match PLAIN || (self.buffer.is_none() && self.waiting.is_empty()) {
            true => self.ftl.read_host(&mut self.io, lpns, id.unwrap_or_default()),
            false => self.read_around_dram(lpns, id),
        }
    }

    /// Reads units some of which may be in DRAM.
    #[inline(never)]
    fn read_around_dram(&mut self, lpns: &[Lpn], id: Option<RequestId>) {
        let (waiting, buffer) = (&self.waiting, &mut self.buffer);
        let mut is_missing =
            |lpn| !waiting.holds(lpn) && !buffer.as_mut().is_some_and(|it| it.read(lpn));
        let missing: Vec<Lpn> = lpns.iter().copied().filter(|&lpn| is_missing(lpn)).collect();
        if missing.len() < lpns.len() {
            self.in_dram(id);
        }
        self.ftl.read_host(&mut self.io, &missing, id.unwrap_or_default());
    }

    /// True where data of a logical unit waits in DRAM, and has yet to be given a place.
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.waiting.holds(lpn) || self.buffer.as_ref().is_some_and(|it| it.holds(lpn))
    }

    /// Records the requests that have ended.
    #[inline]
    fn collect_finished(&mut self) {
        self.collect::<false>();
    }

    #[inline(always)]
    fn collect<const PLAIN: bool>(&mut self) {
        self.record_finished();
        if !PLAIN && self.programs.is_some() {
            self.serve_buffer();
        }
    }

    #[inline]
    fn record_finished(&mut self) {
        if !self.io.requests.finished.is_empty() {
            self.record_those_finished();
        }
    }

    #[inline(never)]
    fn record_those_finished(&mut self) {
        let mut finished = std::mem::take(&mut self.io.requests.finished);
        for request in &mut finished {
            self.finish::<false>(request);
            self.will_tell(request);
        }
        debug_assert!(self.io.requests.finished.is_empty(), "recording ends no request");
        finished.clear();
        self.io.requests.finished = finished;
    }

    #[inline(always)]
    fn finish<const PLAIN: bool>(&mut self, request: &mut Finished) {
        if !PLAIN
            && let Some(programs) = &mut self.programs
            && request.is_unit
        {
            programs.programmed(request.number as u32, request.done_ns);
            return;
        }
        self.record::<PLAIN>(request);
        if let Some(slots) = &mut self.pace.slots {
            slots.will_end(request.stream, request.done_ns);
        }
    }

    /// Records a request of the host that has ended but for its way over the host's bus.
    #[inline(always)]
    fn record<const PLAIN: bool>(&mut self, request: &mut Finished) {
        let parts_done_ns = request.done_ns;
        if request.op == Op::Read {
            request.done_ns = self.over_bus::<PLAIN>(request.done_ns, request.bytes);
        }
        if S::ITEMISES {
            let counts = self.recorder.counts(request);
            self.io.sched.itemise(request, parts_done_ns, counts);
        }
        self.recorder.finish(request);
        if T::IN_USE && self.log.is_some() && !request.is_refused {
            self.note_end(request.number, request.done_ns);
        }
    }

    /// Records the only request that has ended on a plain drive, which is over by now, so that its slot is free.
    #[inline(never)]
    fn record_the_last(&mut self) {
        let Some(mut request) = self.io.requests.finished.pop() else { return };
        self.record::<true>(&mut request);
        self.will_tell(&request);
        if let Some(slots) = &mut self.pace.slots {
            slots.has_ended(request.stream, request.done_ns);
        }
    }

    /// Somebody may ask for a request that has ended.
    #[inline]
    pub(super) fn will_tell(&mut self, request: &Finished) {
        if self.tells && !request.is_unit {
            self.ended.push((request.number, request.done_ns));
        }
    }

    /// Takes a request; returns when it ends, where that is yet to be told, and otherwise `u64::MAX`.
    ///
    /// # Errors
    /// An address beyond the end.
    #[inline(always)]
    pub(crate) fn take<const PLAIN: bool>(
        &mut self,
        request: &Request,
        arrival_ns: u64,
        sent_ns: u64,
    ) -> Fallible<u64> {
        match self.addresses.only_unit(request) {
            // Most requests are such: nothing of them is counted, and no list is needed.
            Some(lpn) => {
                let times_ns = (arrival_ns, sent_ns);
                Ok(self.submit_units::<PLAIN>(request, &[lpn], Coverage::WHOLE, times_ns))
            }
            // A copy: the request itself need not stand in memory otherwise.
            None => self.place_and_submit(*request, (arrival_ns, sent_ns)),
        }
    }

    /// Lets everything that waits or is under way come to its end.
    ///
    /// # Errors
    /// An address beyond the drive, an illegal operation, a promise that the technique did not keep.
    pub fn drain(&mut self) -> Result<(), Error> {
        self.carry_out_waiting(0)?;
        self.wait_out();
        let padding = self.io.counters.padding;
        self.ftl.end_all_programs(&mut self.io);
        self.io.counters.padding_at_end = self.io.counters.padding - padding;
        while self.io.sched.step(u64::MAX, &mut self.io.requests) {
            self.collect_finished();
        }
        self.collect_finished();
        self.release_until(u64::MAX);
        self.record_finished();
        self.ftl.hear(&mut self.io);
        let sample = self.sample();
        self.recorder.series.close(sample);
        self.ftl.check_legality()
    }
}

impl<T: Hooks, S: Scheduler> Host for Driver<T, S> {
    const TIMED: bool = S::TIMED;

    #[inline(always)]
    fn pace(&mut self) -> &mut Pace {
        &mut self.pace
    }

    #[inline(always)]
    fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    #[inline(always)]
    fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn sample(&self) -> Sample {
        self.recorder.complete(Sample {
            time_ns: self.io.sched.now_ns(),
            free_blocks: self.ftl.state.free_blocks(),
            dies_busy_ns: self.io.sched.busy_ns().0,
            gauges: self.ftl.technique.gauges(&self.ftl.state),
            ..Sample::of(&self.io.counters)
        })
    }

    #[cold]
    fn note_first(&mut self) {
        self.note_start();
    }

    #[cold]
    fn measure(&mut self, now_ns: u64) {
        self.count_anew(now_ns);
    }

    #[inline]
    fn arrive(&mut self, arrival_ns: u64) -> Fallible<u64> {
        while self.outages.last().is_some_and(|outage| outage.from_ns <= arrival_ns) {
            self.lose_power();
        }
        self.pass_time_until(arrival_ns + self.off_ns);
        Ok(arrival_ns + self.off_ns)
    }

    #[inline(always)]
    fn submit(&mut self, request: &Request, arrival_ns: u64, sent_ns: u64) -> Fallible {
        let end_ns = match self.is_plain {
            true => self.take::<true>(request, arrival_ns, sent_ns)?,
            false => self.take::<false>(request, arrival_ns, sent_ns)?,
        };
        if self.tells && S::TIMED && end_ns < u64::MAX {
            self.ended.push((self.recorder.number(), end_ns));
        }
        Ok(())
    }

    #[inline(always)]
    fn wait_for_end(&mut self, until_ns: u64) -> Fallible<bool> {
        if self.is_plain { self.go_on::<true>(until_ns) } else { self.go_on::<false>(until_ns) }
    }
}
