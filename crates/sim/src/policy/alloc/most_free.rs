//! The plane of a die that has the most free pages (Agrawal et al., "Design tradeoffs for SSD
//! performance", USENIX ATC 2008, Section 3.1: an allocation pool that is a die).

use super::{Placing, PlanePolicy};
use crate::drive::DriveState;
use crate::ids::{BlockId, ById, DieId, ScopeId, StreamId, Unit};
use crate::nand::Geometry;

/// Chooses among the write points of a die, each of which is that of a plane.
///
/// Planes come first whose open block was opened no earlier than the block that holds the old data: the
/// newest copy of a page is then found by the numbers of blocks alone, as after a power loss.
#[derive(Debug)]
pub(super) struct MostFree {
    /// By block: its number among all openings; 0 for data that was there before the first one.
    opened: ById<BlockId, u32>,
    openings: u32,
    /// By die: the plane at which the next search begins.
    first: ById<DieId, u32>,
}

impl MostFree {
    /// The choice of an empty drive.
    pub(super) fn new(geometry: &Geometry) -> Self {
        Self {
            opened: ById::filled(0, geometry.blocks().count()),
            openings: 0,
            first: ById::filled(0, geometry.dies().count()),
        }
    }

    /// Whether the next unit of a write point goes to a block opened no earlier than the opening `old`.
    fn is_no_older(&self, state: &DriveState, scope: ScopeId, stream: StreamId, old: u32) -> bool {
        let lanes = state.points[state.point_of(scope, stream)].lanes();
        lanes.first().is_none_or(|lane| self.opened[lane.block] >= old)
    }
}

impl PlanePolicy for MostFree {
    fn opened(&mut self, block: BlockId) {
        self.openings += 1;
        self.opened[block] = self.openings;
    }

    /// Of equals, the first one after that of the last choice.
    fn scope(&mut self, state: &DriveState, placing: &Placing<'_>) -> ScopeId {
        let &Placing { home, stream, write, .. } = placing;
        let scopes = state.scopes_of_die(home);
        let die = state.geometry.die_of(state.layout.planes_of_scope(home).first());
        let old = match state.unit_of(write.lpn) {
            Unit::NONE => 0,
            unit => self.opened[state.geometry.locate(unit).0],
        };
        let (planes, first) = (scopes.count(), self.first[die]);
        let in_turn = (0..planes).map(|step| scopes.at((first + step) % planes));
        let mut best = None;
        for scope in in_turn {
            let merit =
                (self.is_no_older(state, scope, stream, old), state.free_units_of_scope(scope));
            if best.is_none_or(|(most, _)| merit > most) {
                best = Some((merit, scope));
            }
        }
        let scope = best.map_or(home, |(_, scope)| scope);
        self.first[die] = (scopes.place_of(scope) + 1) % planes;
        scope
    }
}
