//! What is done when the host leaves the drive alone, or when its time has come.

use crate::ids::{BlockId, Unit};
use crate::nand::Span;
use crate::nand::command::Cause;
use crate::util::Few;

/// What a technique does with a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Idle {
    /// Nothing.
    Nothing,
    /// Nothing before this time, at which who lists [`Hook::Due`](super::Hook) is asked again: one to come.
    Until(u64),
    /// Moves one valid unit, as [`Placement::place`](super::Placement::place) says.
    Move(Unit),
    /// Moves valid units one after the other, as [`Placement::place`](super::Placement::place) says of each;
    /// neighbours in a page are read together. What the host asks meanwhile waits for all of them.
    MoveAll(Vec<Unit>),
    /// Reclaims blocks; those of a die that lie in different planes are erased together where they can be.
    Reclaim(Vec<BlockId>),
    /// Reclaims blocks likewise, on the account of a cause of its own.
    Renew(Vec<BlockId>, Cause),
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
    /// Whether its time has come: it goes before whatever else waits for its die.
    pub urgent: bool,
    /// The name under which [`Promises::ended`](super::Promises::ended) says when it is over to who lists
    /// [`Hook::Promises`](super::Hook); `None`: nobody asks.
    pub ticket: Option<u32>,
}
