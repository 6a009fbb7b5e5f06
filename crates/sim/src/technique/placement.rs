//! Where data goes within a group: which write point takes a unit, which blocks open, what garbage collection
//! sees.

use super::write::Write;
use crate::drive::{DriveState, Shape, Step};
use crate::ids::{BlockId, DomainId, Lpn, PlaneId, PointId, ScopeId, StreamId, Unit};
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
    /// The same where more are erased than the drive holds back: GC does not run for it, and without one the
    /// unit is placed [again](Placement::place_again).
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
    /// The share of the units of a group's blocks in which data can stand: less than 1 where it gives
    /// space up, such as pages that it leaves out. A drive that lacks the room for this is refused, and
    /// a steady state is that of blocks with so much data.
    fn capacity_share(&self, _group: usize) -> f64 {
        1.0
    }

    /// Erased blocks of each plane of a group that only its own streams may take: a drive that lacks the
    /// room for them is refused.
    fn set_aside(&self, _group: usize) -> u32 {
        0
    }

    /// How many blocks of a domain its streams hold, which count against those that are set aside.
    fn in_use(&self, _domain: DomainId) -> u32 {
        0
    }

    /// True where it programs a unit anew while others of the same program stay.
    fn programs_apart(&self) -> bool {
        false
    }

    /// Streams that it needs besides those of host, GC and map.
    fn streams(&self) -> u32 {
        0
    }

    /// How many of those are written by GC too: erased blocks are held back for these alone.
    fn streams_of_gc(&self) -> u32 {
        self.streams()
    }

    /// The number of the first of those.
    fn streams_from(&mut self, _first: StreamId) {}

    /// True where a fill is written as the host writes, and asked for its place; otherwise it is set as
    /// on the conventional drive: for a technique that would place it no other way.
    fn places_fill(&self) -> bool {
        true
    }

    /// False where nothing is ever to be moved before a write: it is then not asked for it.
    fn clears(&self) -> bool {
        true
    }

    /// Valid units that are moved before a write of the host is placed, which waits for that as far as the flash
    /// does one thing after the other; asked once. What there is no room for stays.
    #[inline]
    fn cleared(&mut self, _state: &DriveState, _write: &Write<'_>) -> Vec<Unit> {
        Vec::new()
    }

    /// True where units of a stream that somebody writes stay in its open block as long as that has room: only
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

    /// Where the place that was chosen has no room left: another one; `None`: there is none, and
    /// [`Routing::route_again`](super::Routing::route_again) is asked.
    fn place_again(&mut self, _state: &DriveState, _write: &Write<'_>) -> Option<Place> {
        None
    }

    /// A unit is about to be the first of a program that [codes](crate::drive::Content::Coded) it, at a write
    /// point, an index of [`DriveState::points`]: another place for it after all; `None`: it stays. `fits` says
    /// whether its code succeeded, where that was tried.
    #[inline]
    fn begins(
        &mut self,
        _state: &DriveState,
        _write: &Write<'_>,
        _point: PointId,
        _fits: Option<bool>,
    ) -> Option<Place> {
        None
    }

    /// The next program of a block that is filled by a shape that [asks](Shape::asks), after what was
    /// programmed up to now; `None`: the block is full. The first one is asked for when the block opens.
    fn step(&mut self, _state: &DriveState, _stream: StreamId, _block: BlockId) -> Option<Step> {
        None
    }

    /// A unit of the page on which the controller [noted](crate::drive::Content::Notes) something about a
    /// block, and which it reads before it collects that block or opens it again; `None`: it need not.
    fn notes(&self, _state: &DriveState, _block: BlockId) -> Option<Unit> {
        None
    }

    /// The block that a stream of a plane fills next, and how. Where planes work together the plane is
    /// the first of them, and an erased block of each is filled by the shape.
    fn open(&mut self, _state: &DriveState, _stream: StreamId, _plane: PlaneId) -> Open {
        Open::Erased(None)
    }

    /// True where it has companions: only then is it asked for them.
    fn has_companions(&self) -> bool {
        false
    }

    /// A valid unit that is read and joins a program, wherever it stands, as another unit has just
    /// done. Asked again after each, until there is none or the program is full; programs of a unit are
    /// always full.
    #[inline]
    fn companion(&mut self, _state: &DriveState, _joined: &Joined) -> Option<Unit> {
        None
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

    /// What reclaiming a block costs, from 0 to its units, where nothing would be gained: such a
    /// block is reclaimed only while there are others that have something to gain.
    #[inline]
    fn victim_cost(&self, state: &DriveState, block: BlockId) -> u32 {
        state.blocks[block].valid
    }
}
