//! What the FTL and the driver tell of: nothing is done where nothing is recorded.

use super::tape::{Moved, Other, Tape};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::{Chips, Io, Order};
use crate::ids::{BlockId, Unit};
use crate::metrics::Counters;
use crate::nand::command::Cause;
use crate::nand::{Located, PROGRAM, Span};

/// The flash where a technique is in use or may be.
type Door = Option<Box<Chips>>;

impl Chips {
    /// Records for a player what is done from now on.
    pub fn play_to(&mut self, mut tape: Tape, is_timed: bool) {
        tape.is_timed = is_timed;
        self.tape = Some(Box::new(tape));
    }

    /// What is recorded for a player, while anything is.
    #[inline(always)]
    pub fn tape(&mut self) -> Option<&mut Tape> {
        self.tape.as_deref_mut()
    }

    /// No command is being carried out, so that what is recorded may keep the state of the drive.
    #[inline(always)]
    pub fn at_rest(&mut self, state: &DriveState, counters: &Counters, now_ns: u64) {
        if let Some(tape) = &mut self.tape {
            tape.at_rest(state, &self.lines, (counters, now_ns));
        }
    }

    /// The unit at a place of a victim is moved; [`Self::moved`] tells of all of a stretch.
    #[inline(always)]
    pub fn note_moved(&mut self, place: u32) {
        self.moved.push(place);
    }

    /// Units of a victim, each a page, were moved to the pages from a place on. What the flash does not allow `stops`
    /// the run.
    pub fn moved(
        &mut self,
        state: &DriveState,
        (victim, to, cause): (BlockId, Located, Cause),
        (counters, now_ns): (&Counters, u64),
        stops: &mut bool,
    ) {
        let row = state.program_row(PROGRAM, to.block);
        let span = Span { block: to.block, page: to.place, pages: self.moved.len() as u32 };
        self.carry_out(state, row, &span, stops);
        if let Some(tape) = &mut self.tape {
            let moved = Moved { victim, places: &self.moved, to, row, cause };
            tape.moved(state, &moved, (counters, now_ns));
        }
        self.moved.clear();
    }

    /// The recording for a player, which then ends.
    pub fn take_tape(
        &mut self,
        state: &DriveState,
        counters: &Counters,
        now_ns: u64,
    ) -> Option<Tape> {
        let mut tape = self.tape.take()?;
        tape.end(state, &self.lines, (counters, now_ns), "run");
        Some(*tape)
    }
}

/// A block has passed on in its life.
#[inline]
pub fn tell_of(door: &mut Door, state: &DriveState, block: BlockId, was_erased: bool) {
    if let Some(tape) = door.as_mut().and_then(|chips| chips.tape()) {
        tape.block(&state.blocks[block], block, was_erased);
    }
}

/// The data of a unit, if it is one, is no longer valid, and nowhere else.
#[inline]
pub fn tell_drop(door: &mut Door, unit: Unit) {
    if let Some(tape) = door.as_mut().and_then(|chips| chips.tape())
        && unit.is_some()
    {
        tape.drop_unit(unit);
    }
}

/// A command is issued.
#[inline(always)]
pub fn tell_command<'a, S: Scheduler>(
    door: &mut Door,
    state: &DriveState,
    io: &Io<S>,
    order: impl Order<'a>,
) {
    if let Some(tape) = door.as_mut().and_then(|chips| chips.tape()) {
        tape.command(state, &order.into(), (&io.counters, io.sched.now_ns()));
    }
}

/// Counts units that were programmed with something else than data of the map.
#[inline]
pub fn count_other(door: &mut Door, counters: &mut Counters, what: Other, units: u64) {
    *match what {
        Other::Padding => &mut counters.padding,
        Other::Parity => &mut counters.parity,
        Other::Of(cause) => &mut counters.programs[cause as usize],
    } += units;
    if let Some(tape) = door.as_mut().and_then(|chips| chips.tape()) {
        tape.other(what, units);
    }
}
