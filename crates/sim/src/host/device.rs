//! A drive at work: its translation layer, and its way to time and figures.

use super::Ask;
use crate::engine::Scheduler;
use crate::error::Error;
use crate::flash::Door;
use crate::flash::tape::{Kept, Tape};
use crate::ftl::{Ftl, Io, Media};
use crate::ids::Lpn;
use crate::metrics::{Counters, Sample};
use crate::technique::Hooks;
use wordline_trace::Op;

/// A drive at work.
pub struct Device<T: Hooks, S: Scheduler> {
    /// The translation layer.
    pub ftl: Ftl<T, S>,
    /// Its way to time and figures.
    pub io: Io<S>,
}

impl<T: Hooks, S: Scheduler> Device<T, S> {
    /// A drive that has done nothing yet.
    pub fn new(ftl: Ftl<T, S>, sched: S) -> Self {
        Self { ftl, io: Io::new(sched) }
    }

    /// The present.
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        self.io.sched.now_ns()
    }

    /// Moves on until a request is over, but not beyond `limit_ns`; false where none is until then.
    #[inline(always)]
    pub fn step(&mut self, limit_ns: u64) -> bool {
        self.io.sched.step(limit_ns, &mut self.io.requests)
    }

    /// Everything before `to_ns` happens; it becomes the present.
    #[inline(always)]
    pub fn advance(&mut self, to_ns: u64) {
        self.io.sched.advance(to_ns, &mut self.io.requests);
    }

    /// Whether one request has ended, now, and nothing else happens at this time.
    #[inline(always)]
    pub fn one_has_ended(&self, due_ns: u64) -> bool {
        let [request] = self.io.requests.finished.as_slice() else { return false };
        request.done_ns < due_ns.min(self.io.sched.next_ns()) && request.done_ns <= self.now_ns()
    }

    /// Asks the processor's cache for what a request for a logical unit will touch.
    #[inline(always)]
    pub fn prefetch(&self, ask: Ask, op: Op, lpn: Lpn) {
        match (ask, op) {
            (Ask::Map, _) => self.ftl.prefetch_map(lpn),
            (Ask::Places, Op::Read) => self.ftl.prefetch_read(&self.io, lpn),
            (Ask::Places, _) => self.ftl.prefetch_old(lpn),
        }
    }

    /// Takes note of the commands that have ended by now.
    ///
    /// # Errors
    /// An illegal operation.
    pub fn drain_notices(&mut self) -> Result<(), Error> {
        self.ftl.drain_notices(&mut self.io);
        self.ftl.check_legality()
    }

    /// No command is being carried out: a moment at which a recording may keep the state of the drive.
    #[inline(always)]
    pub fn at_rest(&mut self) {
        let Media { state: drive, door: Door { chips, tape }, .. } = self.ftl.media();
        if let Some(tape) = tape {
            let kept = Kept { drive, lines: chips.as_ref().map(|chips| &chips.lines) };
            tape.at_rest(kept, (&self.io.counters, self.io.sched.now_ns()));
        }
    }

    /// The recording for a player, which then ends.
    pub fn take_tape(&mut self) -> Option<Tape> {
        let mut tape = self.ftl.door.tape.take()?;
        let lines = self.ftl.door.chips.as_ref().map(|chips| &chips.lines);
        let kept = Kept { drive: &self.ftl.state, lines };
        tape.end(kept, (&self.io.counters, self.io.sched.now_ns()), "run");
        Some(*tape)
    }

    /// The present by the clock of the flash's recording.
    pub fn recorded_now(&self) -> u64 {
        let now_ns = self.now_ns();
        self.ftl.door.chips.as_ref().map_or(now_ns, |chips| chips.now(now_ns))
    }

    /// The figures of flash and FTL as they stand.
    pub fn sample(&self) -> Sample {
        Sample {
            time_ns: self.now_ns(),
            free_blocks: self.ftl.state.free_blocks(),
            dies_busy_ns: self.io.sched.busy_ns().0,
            gauges: self.ftl.technique.gauges(&self.ftl.state),
            ..Sample::of(&self.io.counters)
        }
    }

    /// Counts anew from here on. What it holds, how worn it is and what is under way do not change.
    pub fn count_anew(&mut self) {
        if let Some(tape) = &mut self.ftl.door.tape {
            tape.count_anew(&self.io.counters);
        }
        let worn_out_blocks = self.io.counters.worn_out_blocks;
        self.io.counters = Counters { worn_out_blocks, ..Counters::default() };
        self.ftl.count_anew();
        self.io.sched.itemise_anew();
    }
}
