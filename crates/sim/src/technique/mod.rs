//! Techniques: one file each. A technique crosses the slots that policies fill; its hooks default
//! to the conventional drive, and it says which of them it claims.
//!
//! To add one: a file with its parameters, its hooks and an [`Entry`], and a line in [`ENTRIES`].

mod conventional;
pub mod erase;
pub mod ressd;
mod stack;

use crate::declare::TechniqueDecl;
use crate::drive::{DriveState, Shape};
use crate::engine::{Cause, Load};
use crate::error::Error;
use crate::nand::{Flash, Loops, OpTable, READ};
use crate::policy::hotness::HostWrite;
use crate::schema::Config;
use serde_json::{Map, Value};

pub use conventional::Conventional;
pub use stack::Stack;

/// A hook that a technique may claim; each is claimed by one technique at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// Where a unit goes.
    Placement,
    /// What reclaiming a block costs.
    VictimCost,
    /// How a block is erased.
    ErasePlan,
    /// How a page is read.
    ReadPlan,
    /// What is read or written besides the data.
    Codec,
    /// What happens when the drive has nothing to do.
    Idle,
}

/// A unit about to be written.
#[derive(Clone, Copy)]
pub struct Write<'a> {
    /// Logical unit.
    pub lpn: u32,
    /// Who writes it.
    pub cause: Cause,
    /// The scope of write points that the drive's allocation gives; of what moves, its own.
    pub scope: u32,
    /// The stream that the conventional drive would choose.
    pub stream: u32,
    /// The unit that holds it now; `NONE` when it was never written.
    pub old: u32,
    /// The present.
    pub now_ns: u64,
    /// The request of the host that writes it; `None` for everyone else.
    pub request: Option<HostWrite>,
    /// How busy the dies are.
    pub load: &'a dyn Load,
}

/// Where a unit goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// To the open block of a stream, in the scope that the drive's allocation gives.
    Stream(u32),
    /// To the open block of a stream in a scope of the technique's choice, such as
    /// [`Layout::scope_of`](crate::drive::Layout::scope_of) a plane. Where that scope has no block to
    /// spare, a move of GC stays in its own.
    Scope {
        /// The scope of write points.
        scope: u32,
        /// The stream.
        stream: u32,
    },
    /// To the open block of a stream, in the dies of a group: where the drive's allocation would put
    /// it, had it no others. What GC moves within a group stays in its scope.
    Group {
        /// The index of the group in [`Geometry::groups`](crate::nand::Geometry::groups).
        group: usize,
        /// The stream.
        stream: u32,
    },
    /// Into a unit whose data is no longer valid, by an operation of the technique's own.
    Unit {
        /// The unit.
        unit: u32,
        /// The operation's row.
        row: u8,
    },
}

/// A unit that has just joined a program.
#[derive(Debug, Clone, Copy)]
pub struct Joined {
    /// Its logical unit.
    pub lpn: u32,
    /// Who wrote it.
    pub cause: Cause,
    /// The scope of the write point.
    pub scope: u32,
    /// Its stream.
    pub stream: u32,
    /// Units of the program that are still without data.
    pub missing: u32,
}

/// Where the program that a unit joins ends early: what is left of it stays without data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    /// Before the unit: what the program holds already starts without it.
    pub before: bool,
    /// After the unit, and what goes along with it.
    pub after: bool,
}

/// The block that a stream fills next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// An erased one, filled by this shape or, without one, as the drive does.
    Erased(Option<Shape>),
    /// A full or kept one of the same plane, over which another pass goes, or of which another part is
    /// filled. Places that hold data are for [`Place::Unit`]; the shape covers those that do not.
    Again(u32, Shape),
}

/// How a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadPlan {
    /// The operation's row; [`READ`] is whatever the block's last erase said.
    pub row: u8,
    /// Times that the array senses the page: retries are further sensings.
    pub sensings: u32,
}

/// How a block is erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErasePlan {
    /// Its loops. Only the scheduler that interrupts erases looks into them: an erase of one loop
    /// goes on where it stopped, of several each begins its pulse again, unless
    /// `drive.scheduling.suspended_pulse` says otherwise.
    pub loops: Loops,
    /// Loops that are left until the block is used again, when they go before its first program;
    /// empty: none. Where planes work together, they follow at once.
    pub deferred: Loops,
    /// True when the block is worn out afterwards.
    pub retire: bool,
    /// The row by which the block is programmed until its next erase.
    pub program_row: u8,
    /// The row by which it is read until then, unless the technique says otherwise.
    pub read_row: u8,
}

/// What a program needs besides its data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Codec {
    /// Pages of the same block that are read first.
    pub reads_before: u32,
}

/// The hooks of a technique. Those on the page path take the state by reference and are inlined
/// for [`Conventional`].
pub trait Technique: Send {
    /// The hooks that it claims.
    fn claims(&self) -> &[Hook] {
        &[]
    }

    /// Appends its operations on a kind of flash to the table. Called for each group in turn.
    fn operations(&mut self, _table: &mut OpTable, _flash: &Flash<'_>) {}

    /// The share of the units of a group's blocks in which data can stand: less than 1 where it gives
    /// space up, such as pages that it leaves out. A drive that lacks the room for this is refused, and
    /// a steady state is that of blocks with so much data.
    fn capacity_share(&self, _group: usize) -> f64 {
        1.0
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
    fn streams_from(&mut self, _first: u32) {}

    /// Where a unit goes. Its stream may first need room: GC's own moves then come, and are asked for,
    /// between this call and that of [`Technique::written`].
    #[inline]
    fn place(&mut self, _state: &DriveState, write: &Write<'_>) -> Place {
        Place::Stream(write.stream)
    }

    /// Where the program ends early that a unit is about to join: that of a write point, an index of
    /// [`DriveState::points`]. A technique that leaves much of its blocks without data should say so
    /// by [`Technique::capacity_share`].
    #[inline]
    fn ends(&mut self, _state: &DriveState, _write: &Write<'_>, _point: u32) -> Ends {
        Ends::default()
    }

    /// The block that a stream of a plane fills next, and how. Not asked where planes work together.
    fn open(&mut self, _state: &DriveState, _stream: u32, _plane: u32) -> Open {
        Open::Erased(None)
    }

    /// True to keep a full block from garbage collection, for plans of its own. Asked when it becomes
    /// full, and of a kept one whenever its data changes.
    fn keeps(&mut self, _state: &DriveState, _block: u32) -> bool {
        false
    }

    /// A kept block of a domain that has run out of anything else to reclaim; `None`: there is none.
    fn surrender(&mut self, _state: &DriveState, _domain: u32) -> Option<u32> {
        None
    }

    /// Units that programs can still write to the blocks of a domain that are kept, for GC that counts
    /// them.
    fn unwritten(&self, _state: &DriveState, _domain: u32) -> u64 {
        0
    }

    /// True where a fill is written as the host writes, and asked for its place; otherwise it is set as
    /// on the conventional drive: for a technique that would place it no other way.
    fn places_fill(&self) -> bool {
        self.claims().contains(&Hook::Placement)
    }

    /// Preconditioning has set a block directly: the places before its
    /// [`next`](crate::nand::Block::next) are programmed, and of those the valid ones hold data.
    /// Told like writes at time 0 unless the technique knows better, and like deaths of what is no
    /// longer valid, whose owner nobody knows.
    fn preset(&mut self, state: &DriveState, block: u32) {
        let first = state.geometry.first_unit(block);
        for place in 0..state.blocks[block as usize].next {
            self.written(state, first + place, Cause::Host, 0);
            if !state.valid.get(block, place) {
                self.invalidated(state, first + place);
            }
        }
    }

    /// The run begins: what preconditioning wrote does not count, and lies far back.
    fn begin(&mut self, _state: &DriveState) {}

    /// A valid unit that is read and joins a program, wherever it stands, as another unit has just
    /// done. Asked again after each, until there is none or the program is full; programs of a unit are
    /// always full.
    #[inline]
    fn companion(&mut self, _state: &DriveState, _joined: &Joined) -> Option<u32> {
        None
    }

    /// May this row be applied to this unit, given what its word line holds? Asked in debug builds
    /// before every [`Place::Unit`] and [`Idle::Apply`].
    fn is_legal(&self, _state: &DriveState, _unit: u32, _row: u8) -> bool {
        false
    }

    /// What reclaiming a block costs, from 0 to its units, where nothing would be gained: such a
    /// block is reclaimed only while there are others that have something to gain.
    #[inline]
    fn victim_cost(&self, state: &DriveState, block: u32) -> u32 {
        state.blocks[block as usize].valid
    }

    /// How a page is read.
    #[inline]
    fn read_plan(&self, _state: &DriveState, _unit: u32) -> ReadPlan {
        ReadPlan { row: READ, sensings: 1 }
    }

    /// How a block is erased, given the plan of the erase scheme. GC holds a block back for those that
    /// the scheme may retire, not for those that this retires besides.
    fn erase_plan(&mut self, _state: &DriveState, _block: u32, plan: ErasePlan) -> ErasePlan {
        plan
    }

    /// What a [`Place::Unit`] or an [`Idle::Apply`] needs besides its data.
    #[inline]
    fn codec(&self, _state: &DriveState, _unit: u32, _row: u8) -> Codec {
        Codec::default()
    }

    /// A unit now holds valid data.
    #[inline]
    fn written(&mut self, _state: &DriveState, _unit: u32, _cause: Cause, _now_ns: u64) {}

    /// A unit's data is no longer valid.
    #[inline]
    fn invalidated(&mut self, _state: &DriveState, _unit: u32) {}

    /// A block was erased.
    fn erased(&mut self, _state: &DriveState, _block: u32) {}

    /// Something that may be done in an idle moment, or must be done at its time. Asked again after
    /// each step; once it has nothing to do, not before the host or [`Technique::due_ns`] says so.
    fn idle(&mut self, _state: &DriveState, _moment: Moment, _now_ns: u64) -> Idle {
        Idle::Nothing
    }

    /// When something must be done, idle or not; `u64::MAX`: never.
    #[inline]
    fn due_ns(&self) -> u64 {
        u64::MAX
    }

    /// What it reports.
    fn metrics(&self, _state: &DriveState) -> Map<String, Value> {
        Map::new()
    }

    /// What a reader must know of its parameters before believing the figures.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Why a technique is asked for work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The drive has nothing else to do.
    Idle,
    /// The time of [`Technique::due_ns`] has come.
    Due,
}

/// What a technique does with a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Nothing.
    Nothing,
    /// Moves one valid unit, as [`Technique::place`] says.
    Move(u32),
    /// Reclaims a block.
    Reclaim(u32),
    /// Applies an operation in place, to data that stays where it is.
    Apply {
        /// A unit of the first page.
        unit: u32,
        /// Pages of the block, from there on.
        pages: u32,
        /// The operation's row.
        row: u8,
    },
}

/// Builds a technique from its own table and the whole configuration.
pub type Build = fn(&toml::Table, &Config) -> Result<Box<dyn Technique>, Error>;

/// A technique's entry in the list.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name in a configuration, its parameters and their defaults.
    pub declaration: TechniqueDecl,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Builds it from its own table.
    pub build: Build,
}

/// The techniques.
pub const ENTRIES: &[Entry] = &[ressd::ENTRY];

/// The technique of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.declaration.name == name)
}
