//! A drive that holds data, as an array of bytes.

use crate::decoders::Decoders;
use crate::locked::{Core, Fault, Logs, lock};
use crate::open::{Opening, open};
use crate::pace::{Clock, Pace};
use crate::recording::Recorder;
use crate::store::Sensing;
use crate::units::{Part, parts};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use wordline_media::{Home, Reads};
use wordline_sim::config::{ArrayLevel, Config, DataErrors};
use wordline_sim::ids::{Lpn, StripeId};
use wordline_sim::{Error, Outcome, Watch};
use wordline_trace::{Op, Request};

/// Replies of one client that wait for the clock at a time.
const WAITING: usize = 32;

/// How late replies were, where they keep to the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Lag {
    /// Replies.
    pub replies: u64,
    /// Sum of how late they were.
    pub late: Duration,
    /// The latest.
    pub latest: Duration,
    /// Sum of the time that they should have taken.
    pub due: Duration,
}

/// A drive that holds data. Its threads share it.
pub struct Drive {
    config: Config,
    unit_bytes: u64,
    size_bytes: u64,
    clock: Option<Clock>,
    core: Mutex<Core>,
    decoders: Decoders,
    reads: Mutex<Reads>,
    lag: Mutex<Lag>,
}

/// What is counted while a drive serves.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// What reads of the host came to.
    pub reads: Reads,
    /// What reads within the drive came to.
    pub moves: Reads,
    /// Pages of an array that came from the other drives because their own had lost them.
    pub repaired: u64,
    /// How late replies were, where they keep to the clock.
    pub lag: Option<Lag>,
    /// Requests that were carried out.
    pub requests: u64,
    /// Simulated time.
    pub simulated_ns: u64,
}

impl Drive {
    /// The drive of a configuration. It restarts from its flash if that is at `home` already; every request is
    /// written to `logs`.
    ///
    /// # Errors
    /// A drive that cannot work, or that cannot be served; the image of another drive; `watch` said stop.
    pub fn new(
        config: &Config,
        pace: Pace,
        home: Home<'_>,
        logs: Logs,
        watch: &mut dyn Watch,
    ) -> Result<Self, Error> {
        let mut config = config.clone();
        config.host.mode = pace.host_mode();
        config.host.pass_all();
        let Opening { store, unit_bytes, size_bytes, decoders } = open(&config, home, watch)?;
        let mut core = Core { store, logs, requests: 0, failed: None };
        core.logs.changes.as_mut().map_or(Ok(()), |changes| changes.begin(size_bytes))?;
        let clock = match pace {
            Pace::Virtual => None,
            Pace::Clock { slower } => Some(Clock::new(slower)),
        };
        Ok(Self {
            unit_bytes,
            size_bytes,
            clock,
            core: Mutex::new(core),
            decoders: Decoders::new(decoders),
            reads: Mutex::default(),
            lag: Mutex::default(),
            config,
        })
    }

    /// Its configuration, with the pace decided.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Bytes that a host can address.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Bytes of a unit, which is written and read as a whole.
    pub fn unit_bytes(&self) -> u64 {
        self.unit_bytes
    }

    /// What the drives of an array hold of a stripe, drive by drive: `None` where that cannot be had.
    pub fn stripe(&self, stripe: StripeId) -> Vec<Option<Arc<[u8]>>> {
        self.lock().store.stripe(stripe)
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        let mut core = self.lock();
        let (simulated_ns, requests) = (core.store.served().now_ns(), core.requests);
        let ((mut reads, moves), repaired) = (core.store.reads(), core.store.repaired());
        drop(core);
        reads.add(*lock(&self.reads));
        let lag = self.clock.is_some().then(|| *lock(&self.lag));
        Counts { reads, moves, repaired, lag, requests, simulated_ns }
    }

    /// Why the drive takes no more requests, where the simulation came to its end by an error.
    pub fn failure(&self) -> Option<String> {
        self.lock().failed.as_ref().map(ToString::to_string)
    }

    /// After a panic the simulation has failed: it may be half done with a request.
    fn lock(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(|poisoned| {
            let mut core = poisoned.into_inner();
            core.failed.get_or_insert_with(|| Error::Invariant("a request panicked".into()));
            core
        })
    }

    /// Reads `data` from byte `offset` on.
    ///
    /// # Errors
    /// Data that cannot be had.
    pub fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), Fault> {
        let parts = || parts(offset, data.len() as u64, self.unit_bytes);
        let mut core = self.lock();
        let sensed: Vec<Sensing> = parts().map(|part| core.store.sense(Lpn(part.lpn))).collect();
        let all: Vec<Part> = parts().collect();
        let number = self.submit(&mut core, Op::Read, offset, data.len() as u64)?;
        drop(core);
        let mut reads = Reads::default();
        let mut unit = vec![0; self.unit_bytes as usize];
        let mut result = Ok(());
        for (part, sensing) in all.iter().zip(&sensed) {
            let repair = || self.lock().store.repair(Lpn(part.lpn));
            match self.decoded(sensing, &mut unit, &mut reads, repair) {
                Ok(()) => data[part.of_request()].copy_from_slice(&unit[part.of_unit()]),
                Err(fault) => result = Err(fault),
            }
        }
        lock(&self.reads).add(reads);
        self.wait_for(number);
        result
    }

    /// Writes `data` at byte `offset`; `safe`: so that a power cut cannot take it.
    ///
    /// # Errors
    /// The drive takes no more writes; of a unit that is written in part, the rest cannot be had.
    pub fn write(&self, offset: u64, data: &[u8], safe: bool) -> Result<(), Fault> {
        let mut core = self.lock();
        let mut units = Vec::new();
        for part in parts(offset, data.len() as u64, self.unit_bytes) {
            let mut shared: Arc<[u8]> = std::iter::repeat_n(0, self.unit_bytes as usize).collect();
            let unit = Arc::get_mut(&mut shared).expect("nobody else has it yet");
            if part.bytes < unit.len() {
                let mut reads = Reads::default();
                let sensing = core.store.sense(Lpn(part.lpn));
                let repair = || core.store.repair(Lpn(part.lpn));
                let known = self.decoded(&sensing, unit, &mut reads, repair);
                lock(&self.reads).add(reads);
                known?;
            }
            unit[part.of_unit()].copy_from_slice(&data[part.of_request()]);
            units.push((part.lpn, shared));
        }
        let lpns: Vec<u64> = units.iter().map(|(lpn, _)| *lpn).collect();
        for (lpn, unit) in units {
            core.store.hand_over(Lpn(lpn), unit);
        }
        let written = self.submit(&mut core, Op::Write, offset, data.len() as u64);
        core.store.release(&lpns);
        let written = written?;
        core.record(|to| to.write(offset, data, safe))?;
        let flushed = safe.then(|| self.make_safe(&mut core)).transpose()?;
        drop(core);
        // A flush need not wait for what a capacitor keeps; the write is over when it is.
        self.wait_for(written);
        flushed.into_iter().for_each(|flushed| self.wait_for(flushed));
        Ok(())
    }

    /// Gives up the whole units of `bytes` from byte `offset` on, which read as zeroes from then on; RAID 5 keeps
    /// them as they are.
    ///
    /// # Errors
    /// The simulation has failed.
    pub fn trim(&self, offset: u64, bytes: u64, safe: bool) -> Result<(), Fault> {
        let mut core = self.lock();
        let mut number = None;
        let longest = u64::from(u32::MAX) / self.unit_bytes * self.unit_bytes;
        let (mut at, end) = (offset, offset + bytes);
        while at < end {
            // Pieces end at borders of units, so that none is cut that was whole.
            let piece = ((at + longest) / self.unit_bytes * self.unit_bytes).min(end) - at;
            number = Some(self.submit(&mut core, Op::Trim, at, piece)?);
            for part in parts(at, piece, self.unit_bytes) {
                if part.bytes as u64 == self.unit_bytes {
                    core.store.trim(Lpn(part.lpn));
                }
            }
            at += piece;
        }
        core.record(|to| to.trim(offset, bytes, safe))?;
        if safe {
            number = Some(self.make_safe(&mut core)?);
        }
        drop(core);
        if let Some(number) = number {
            self.wait_for(number);
        }
        Ok(())
    }

    /// Writes zeroes: whole units are given up where that is allowed, and makes zeroes of them.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn zero(&self, offset: u64, bytes: u64, may_trim: bool, safe: bool) -> Result<(), Fault> {
        let (first, end) = (offset.next_multiple_of(self.unit_bytes), offset + bytes);
        let last = end / self.unit_bytes * self.unit_bytes;
        if !may_trim || self.config.array.level == ArrayLevel::Raid5 || first >= last {
            return self.write_zeroes(offset, bytes, safe);
        }
        self.write_zeroes(offset, first - offset, safe)?;
        self.trim(first, last - first, safe)?;
        self.write_zeroes(last, end - last, safe)
    }

    /// In pieces, so that 4 GiB of zeroes take no such memory.
    fn write_zeroes(&self, offset: u64, bytes: u64, safe: bool) -> Result<(), Fault> {
        let zeroes = vec![0; bytes.min(1 << 20) as usize];
        let (mut at, end) = (offset, offset + bytes);
        while at < end {
            let piece = (end - at).min(zeroes.len() as u64);
            self.write(at, &zeroes[..piece as usize], safe && at + piece == end)?;
            at += piece;
        }
        Ok(())
    }

    /// Returns once a power cut cannot take anything that was written before.
    ///
    /// # Errors
    /// The simulation has failed.
    pub fn flush(&self) -> Result<(), Fault> {
        let mut core = self.lock();
        core.record(Recorder::flush)?;
        let number = self.make_safe(&mut core)?;
        drop(core);
        self.wait_for(number);
        Ok(())
    }

    /// A flush; where only what has been programmed is kept, it ends before anything else does.
    fn make_safe(&self, core: &mut Core) -> Result<(u64, u64), Fault> {
        let waits = self.clock.is_none() && core.store.loses_what_is_on_the_way();
        if waits {
            let ended = core.store.end_all();
            core.fail_by(ended)?;
        }
        let flush = self.submit(core, Op::Flush, 0, 0)?;
        if waits {
            let finished = core.store.served().finish(flush.0);
            core.fail_by(finished)?;
        }
        Ok(flush)
    }

    /// Tells each run of units in `bytes` from `offset` on, its bytes and whether there is no data in it, until
    /// `each` breaks.
    pub fn extents(
        &self,
        offset: u64,
        bytes: u64,
        each: &mut dyn FnMut(u64, bool) -> ControlFlow<()>,
    ) {
        let mut core = self.lock();
        let mut run = (0, false);
        for part in parts(offset, bytes, self.unit_bytes) {
            let (length, is_hole) = (part.bytes as u64, !core.store.has_data(Lpn(part.lpn)));
            if run.0 > 0 && run.1 != is_hole {
                if each(run.0, run.1).is_break() {
                    return;
                }
                run.0 = 0;
            }
            run = (run.0 + length, is_hole);
        }
        if run.0 > 0 {
            // Whether more is wanted does not matter: there is no more.
            let _ = each(run.0, run.1);
        }
    }

    /// Requests of one client that are worth carrying out at a time: replies that wait for the clock, or that
    /// take decoding, leave time to others.
    pub fn concurrency(&self) -> usize {
        match self.clock {
            Some(_) => WAITING,
            None if self.config.data.errors != DataErrors::None => 2,
            None => 1,
        }
    }

    /// Lets everything come to its end, and gives the result of all that was asked. The log is closed.
    ///
    /// # Errors
    /// An operation that the flash could not carry out, an invariant that does not hold, a log that cannot
    /// be written.
    pub fn finish(&self) -> Result<Outcome, Error> {
        let mut core = self.lock();
        // What the host was not promised is written, too; that the simulation has failed is told below.
        let _ = self.make_safe(&mut core);
        if let Some(failed) = core.failed.take() {
            return Err(failed);
        }
        core.store.served().settle()?;
        core.store.rest();
        core.close_logs()?;
        Ok(core.store.served().outcome(&self.config))
    }

    /// The data of a unit as it was sensed, or what `repair` gives where it cannot be decoded.
    fn decoded(
        &self,
        sensing: &Sensing,
        unit: &mut [u8],
        reads: &mut Reads,
        repair: impl FnOnce() -> Option<Arc<[u8]>>,
    ) -> Result<(), Fault> {
        let mut own = Reads::default();
        let mut is_known = self.decoders.decode(sensing, unit, &mut own).is_ok();
        if !is_known && let Some(found) = repair() {
            unit.copy_from_slice(&found);
            (own.lost, is_known) = (0, true);
        }
        reads.add(own);
        is_known.then_some(()).ok_or(Fault::Unreadable)
    }

    /// Hands a request to the simulation; returns its number, and when it arrived.
    fn submit(
        &self,
        core: &mut Core,
        op: Op,
        offset: u64,
        bytes: u64,
    ) -> Result<(u64, u64), Fault> {
        let arrival_ns =
            self.clock.as_ref().map_or(0, |clock| clock.now_ns().max(core.store.served().now_ns()));
        let size_bytes = bytes as u32;
        let request = Request::new(op, offset, size_bytes).at(arrival_ns);
        let taken = core.submit(&request)?;
        if taken.is_whole { Ok((taken.number, arrival_ns)) } else { Err(Fault::of(op)) }
    }

    /// Waits until a request is over, where time goes by the clock.
    fn wait_for(&self, (number, arrival_ns): (u64, u64)) {
        let Some(clock) = &self.clock else { return };
        let mut done = None;
        while done.is_none() {
            let mut core = self.lock();
            done = core.end_of(number, clock.now_ns());
            if core.failed.is_some() {
                return;
            }
            drop(core);
            if done.is_none() {
                std::thread::yield_now();
            }
        }
        let done_ns = done.unwrap_or_default();
        let late = clock.wait_until(done_ns);
        let mut lag = lock(&self.lag);
        lag.replies += 1;
        lag.late += late;
        lag.due += clock.length_of(done_ns.saturating_sub(arrival_ns));
        lag.latest = lag.latest.max(late);
    }
}
