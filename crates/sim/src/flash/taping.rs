//! What the FTL and the driver tell a recording for the player: nothing is done where there is none.

use super::tape::{Other, Tape};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::{Chips, Io, Order};
use crate::ids::{BlockId, Unit};
use crate::metrics::Counters;

/// The recording of a drive, while there is one.
pub type Taping = Option<Box<Tape>>;

/// What stands between the FTL and the flash.
#[derive(Default)]
pub struct Door {
    /// The flash itself, where a technique is in use.
    pub chips: Option<Box<Chips>>,
    /// The recording for a player, while there is one.
    pub tape: Taping,
}

/// A block has passed on in its life.
#[inline]
pub fn tell_of(tape: &mut Taping, state: &DriveState, block: BlockId, was_erased: bool) {
    if let Some(tape) = tape {
        tape.block(&state.blocks[block], block, was_erased);
    }
}

/// The data of a unit, if it is one, is no longer valid, and nowhere else.
#[inline]
pub fn tell_drop(tape: &mut Taping, unit: Unit) {
    if let Some(tape) = tape.as_mut().filter(|_| unit.is_some()) {
        tape.drop_unit(unit);
    }
}

/// A command is issued.
#[inline(always)]
pub fn tell_command<'a, S: Scheduler>(
    tape: &mut Taping,
    state: &DriveState,
    io: &Io<S>,
    order: impl Order<'a>,
) {
    if let Some(tape) = tape {
        tape.command(state, &order.into(), (&io.counters, io.sched.now_ns()));
    }
}

/// Counts units that were programmed with something else than data of the map.
#[inline]
pub fn count_other(tape: &mut Taping, counters: &mut Counters, what: Other, units: u64) {
    *match what {
        Other::Padding => &mut counters.padding,
        Other::Parity => &mut counters.parity,
        Other::Of(cause) => &mut counters.programs[cause as usize],
    } += units;
    if let Some(tape) = tape {
        tape.other(what, units);
    }
}
