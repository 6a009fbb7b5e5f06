//! Where data goes within a group: which write point takes a unit, which blocks open, what garbage collection
//! sees.

use super::write::Write;
use crate::drive::{DriveState, Shape};
use crate::ids::{BlockId, DomainId, Lpn, PlaneId, ScopeId, StreamId, Unit};
use crate::nand::command::Cause;

/// Where a unit goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// To the open block of a stream, in the scope of the write.
    Stream(StreamId),
    /// To the open block of a stream in a scope of the technique's choice, such as
    /// [`Layout::scope_of`](crate::drive::Layout::scope_of) a plane. Where that scope has no block to
    /// spare, a move of GC stays in its own.
    Scope {
        /// The scope of write points.
        scope: ScopeId,
        /// The stream.
        stream: StreamId,
    },
    /// Into a unit whose data is no longer valid, by an operation of the technique's own.
    Unit(Over),
}

/// A program over a unit whose data is no longer valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Over {
    /// The unit.
    pub unit: Unit,
    /// A further unit of the same die that takes part, and holds nothing of its own afterwards.
    pub partner: Option<Unit>,
    /// The operation's row.
    pub row: u8,
    /// False where the operation fails: it takes its time and its toll, nothing is stored, and
    /// [`Placement::place`] is asked again.
    pub holds: bool,
}

impl Over {
    /// A program over one unit that succeeds.
    pub fn new(unit: Unit, row: u8) -> Self {
        Self { unit, partner: None, row, holds: true }
    }
}

/// A unit that has just joined a program.
#[derive(Debug, Clone, Copy)]
pub struct Joined {
    /// Its logical unit.
    pub lpn: Lpn,
    /// Who wrote it.
    pub cause: Cause,
    /// The scope of the write point.
    pub scope: ScopeId,
    /// Its stream.
    pub stream: StreamId,
    /// Units of the program that are still without data.
    pub missing: u32,
}

/// The block that a stream fills next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    /// An erased one, filled by this shape or, without one, as the drive does.
    Erased(Option<Shape>),
    /// An erased one where more are erased than the drive holds back: GC does not run for it, and without one the
    /// unit is placed [again](super::SetAside::place_again).
    Spare(Option<Shape>),
    /// An erased one once these blocks of its scope, full or kept, have been reclaimed, which whoever writes
    /// waits for. Blocks for which there is no room, and all of them while GC moves data, stay.
    After(Vec<BlockId>, Option<Shape>),
    /// Full or kept ones, of the same plane or, where planes work together, one of each: another pass goes over
    /// them, or another part of them is filled. Places that hold data are for [`Place::Unit`]; the shape covers
    /// those that do not.
    Again(Vec<BlockId>, Shape),
}

/// Where data goes within a group. One technique of a group decides it; the defaults are those of the
/// conventional drive for a technique that claims [`Hook::Placement`](super::Hook).
pub trait Placement: Send {
    /// Whether units of a stream that somebody writes stay in its open block as long as that has room: only
    /// where it has none is asked where they go. Asked once, before the first of them.
    fn settles(&self, _stream: StreamId, _cause: Cause) -> bool {
        false
    }

    /// Where a unit goes. Its stream may first need room: GC's own moves then come, and are asked for,
    /// between this call and that of [`Observer::written`](super::Observer::written).
    #[inline]
    fn place(&mut self, _state: &DriveState, write: &Write<'_>) -> Place {
        Place::Stream(write.stream)
    }

    /// The block that a stream of a plane fills next, and how. Where planes work together the plane is
    /// the first of them, and an erased block of each is filled by the shape.
    fn open(&mut self, _state: &DriveState, _stream: StreamId, _plane: PlaneId) -> Open {
        Open::Erased(None)
    }

    /// True to keep a full block from garbage collection, for plans of its own. Asked when it becomes
    /// full, and of a kept one whenever its data changes.
    fn keeps(&mut self, _state: &DriveState, _block: BlockId) -> bool {
        false
    }

    /// A kept block of a domain that has run out of anything else to reclaim; `None`: there is none.
    fn surrender(&mut self, _state: &DriveState, _domain: DomainId) -> Option<BlockId> {
        None
    }

    /// Units that programs can still write to the blocks of a domain that are kept, for GC that counts
    /// them.
    fn unwritten(&self, _state: &DriveState, _domain: DomainId) -> u64 {
        0
    }
}
