//! What the FTL and the driver tell of: nothing is done where nothing is recorded.

use super::tape::{Other, Tape};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::{Chips, Io, Order};
use crate::ids::{BlockId, Unit};
use crate::metrics::Counters;

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
