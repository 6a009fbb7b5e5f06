//! Between the groups of a drive: which of them takes data, and what shares a program there. Asked ahead of
//! [`Placement`](super::Placement), which goes on within the group.

use super::{Joined, Write};
use crate::drive::DriveState;
use crate::ids::{BlockId, DomainId, Ids, PointId, ScopeId, StreamId, Unit};

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

/// How long a part waits before the drive decides where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// When it is asked of again.
    pub until_ns: u64,
    /// True where whatever arrived after it and waits as well would wait for as long.
    pub holds_up: bool,
}

/// Which group takes data. One technique of a drive decides it; the defaults leave it to the drive's
/// allocation.
pub trait Routing: Send {
    /// Logical units of an aligned range whose data belongs together; 0: none does. Of such a range
    /// requests are cut into [parts](crate::policy::hotness::Part), and what the host's buffer holds of one
    /// leaves it together, as a part.
    fn range_units(&self) -> u32 {
        0
    }

    /// How long the part waits, in the controller's DRAM, whose first unit this is; `None`: it does not, and
    /// [`Routing::route`] follows for its units. Asked as it arrives, and again when its time has come or the
    /// host flushes, which no part outlasts. Its stream and scope are not known yet.
    fn waits(&mut self, _state: &DriveState, _write: &Write<'_>) -> Option<Wait> {
        None
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
    /// by [`Placement::capacity_share`](super::Placement::capacity_share).
    #[inline]
    fn ends(&mut self, _state: &DriveState, _write: &Write<'_>, _point: PointId) -> Ends {
        Ends::default()
    }

    /// A valid unit of the range of one that has just joined a program: it is read and joins too, wherever it
    /// stands. Asked again after each, until there is none or the program is full;
    /// [`Placement::companion`](super::Placement::companion) may then fill the rest.
    #[inline]
    fn rest_of_range(&mut self, _state: &DriveState, _joined: &Joined) -> Option<Unit> {
        None
    }

    /// Where it maps a group by whole programs, how to have it otherwise: a technique there that
    /// [programs units apart](super::Placement::programs_apart) is refused. `None`: it maps units.
    fn maps_programs(&self, _group: usize) -> Option<&'static str> {
        None
    }

    /// The domains of garbage collection to which the data of a block goes, once the block is reclaimed,
    /// instead of its own: room is made there first.
    fn leaves_for(&self, _state: &DriveState, _block: BlockId) -> Ids<DomainId> {
        Ids::all(0)
    }
}
