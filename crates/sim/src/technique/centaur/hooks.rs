//! What Centaur alone is asked: which group of dies takes data, what shares a program there, and what leaves it. Asked ahead of
//! [`Placement`](crate::technique::Placement), which goes on within the group.

use crate::drive::DriveState;
use crate::ids::{BlockId, DomainId, Ids, Lpn, PointId, ScopeId, StreamId};
use crate::nand::Load;
use crate::policy::hotness::HostWrite;
use crate::technique::{Joined, Write};

/// The dies that take a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Those of a group: where the drive's allocation would put the unit, had it no others. What GC moves
    /// within a group stays in its scope.
    Group {
        /// The index of the group in [`Geometry::groups`](crate::nand::Geometry::groups).
        group: usize,
        /// The stream that the unit would go to on a drive of this group alone.
        stream: StreamId,
    },
    /// Those of a scope of write points, such as [`Layout::scope_of`](crate::drive::Layout::scope_of) a plane.
    /// Where that scope has no block to spare, a move of GC stays in its own.
    Scope {
        /// The scope.
        scope: ScopeId,
        /// The stream.
        stream: StreamId,
    },
}

/// Where the program that a unit joins ends early: what is left of it stays without data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    /// Before the unit: what the program holds already starts without it.
    pub before: bool,
    /// After the unit, and what goes along with it.
    pub after: bool,
}

/// Parts of which a technique is asked whether they wait: one that arrives, or those that do, the oldest first.
pub struct Asked<'a> {
    /// The first unit of each.
    pub parts: &'a mut dyn Iterator<Item = &'a HostWrite>,
    /// The present.
    pub now_ns: u64,
    /// How busy the dies are.
    pub load: &'a dyn Load,
}

/// Which of several parts is the first to wait no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    /// Its place among them; `None`: all of them wait.
    pub place: Option<usize>,
    /// When it is asked again of those that wait, before it or at all.
    pub until_ns: u64,
}

impl Ready {
    /// The first of them, for which nothing has to come.
    pub const FIRST: Self = Self { place: Some(0), until_ns: u64::MAX };
}

/// Which group takes data. One technique of a drive decides it; the defaults leave it to the drive's
/// allocation.
pub trait Routing: Send {
    /// Which of some parts need not wait, in the controller's DRAM: [`Routing::route`] follows for its units,
    /// and then the question for those behind it. Asked of a part as it arrives, and again of all that
    /// [wait](crate::policy::hotness::Part::has_waited) when the time has come or the host flushes, which no
    /// part outlasts.
    fn first_ready(&mut self, _state: &DriveState, _asked: Asked<'_>) -> Ready {
        Ready::FIRST
    }

    /// The dies that take a unit; `None`: those that the drive's allocation gives. The technique that places
    /// data in their group is then asked for the place, with this scope and stream.
    #[inline]
    fn route(&mut self, _state: &DriveState, _write: &Write<'_>) -> Option<Route> {
        None
    }

    /// Where the dies that were chosen have no room left: others; `None`: there are none, and the drive goes
    /// on as it does where a scope is full.
    fn route_again(&mut self, _state: &DriveState, _write: &Write<'_>) -> Option<Route> {
        None
    }

    /// Where the program ends early that a unit is about to join: that of a write point, an index of
    /// [`DriveState::points`]. A technique that leaves much of its blocks without data should say so
    /// by [`Profile::capacity_share`](crate::technique::Profile::capacity_share).
    #[inline]
    fn ends(&mut self, _state: &DriveState, _write: &Write<'_>, _point: PointId) -> Ends {
        Ends::default()
    }

    /// A unit of the range of one that has just joined a program, whose data is valid: it is read and joins too,
    /// wherever it stands. Asked again after each, until there is none or the program is full;
    /// [`Refill::companion`](crate::technique::Refill::companion) may then fill the rest.
    #[inline]
    fn rest_of_range(&mut self, _state: &DriveState, _joined: &Joined) -> Option<Lpn> {
        None
    }

    /// The domains of garbage collection to which the data of a block goes, once the block is reclaimed,
    /// instead of its own: room is made there first.
    fn leaves_for(&mut self, _state: &DriveState, _block: BlockId) -> Ids<DomainId> {
        Ids::all(0)
    }

    /// What reclaiming a block costs if it lists [`Hook::VictimCost`](crate::technique::Hook), from 0 to its units, where nothing would be gained: such a
    /// block is reclaimed only while there are others that have something to gain.
    fn victim_cost(&self, state: &DriveState, block: BlockId) -> u32 {
        state.blocks[block].valid
    }
}
