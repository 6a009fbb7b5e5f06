//! What is done when the host leaves the drive alone, or when its time has come.

use crate::drive::DriveState;
use crate::ids::{BlockId, Unit};
use crate::nand::{Load, Span};
use crate::util::Few;

/// Why a technique is asked for work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The drive has nothing else to do.
    Idle,
    /// The time of [`Background::due_ns`] has come.
    Due,
}

/// What a technique does with a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Idle {
    /// Nothing.
    Nothing,
    /// Moves one valid unit, as [`Placement::place`](super::Placement::place) says.
    Move(Unit),
    /// Moves valid units one after the other, as [`Placement::place`](super::Placement::place) says of each;
    /// neighbours in a page are read together. What the host asks meanwhile waits for all of them.
    MoveAll(Vec<Unit>),
    /// Reclaims blocks; those of a die that lie in different planes are erased together where they can be.
    Reclaim(Vec<BlockId>),
    /// Applies an operation in place.
    Apply(Apply),
}

/// An operation in place, to data that stays where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apply {
    /// The pages: of one block, or the same in one of each of several planes of a die.
    pub spans: Few<Span>,
    /// The operation's row.
    pub row: u8,
    /// True where its time has come: it goes before whatever else waits for its die.
    pub urgent: bool,
    /// The name under which [`Background::ended`] says when it is over; `None`: nobody asks.
    pub ticket: Option<u32>,
}

/// A time without power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outage {
    /// When it began.
    pub from_ns: u64,
    /// When power came back.
    pub to_ns: u64,
    /// Temperature of the drive meanwhile.
    pub temperature_c: f64,
}

/// Work of a technique's own.
pub trait Background: Send {
    /// False where idle moments are of no use to it, but only [`Background::due_ns`] is: it is then not asked in
    /// any.
    fn uses_idle_moments(&self) -> bool {
        true
    }

    /// Something that may be done in an idle moment, or must be done at its time. Asked again after
    /// each step; once it has nothing to do, not before the host or [`Background::due_ns`] says so.
    fn idle(
        &mut self,
        _state: &DriveState,
        _moment: Moment,
        _load: &dyn Load,
        _now_ns: u64,
    ) -> Idle {
        Idle::Nothing
    }

    /// An [`Idle::Apply`] of that name is over at `end_ns`, which may lie in the future.
    fn ended(&mut self, _state: &DriveState, _ticket: u32, _end_ns: u64) {}

    /// Power is back: nothing was done meanwhile. Returns the valid units whose data did not outlive that.
    fn power_was_off(&mut self, _state: &DriveState, _outage: &Outage) -> Vec<Unit> {
        Vec::new()
    }

    /// When something must be done, idle or not; `u64::MAX`: never.
    #[inline]
    fn due_ns(&self) -> u64 {
        u64::MAX
    }
}
