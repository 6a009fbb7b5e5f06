//! What is done in idle time: the oldest data leaves, and blocks without any are erased.

use super::SlcCache;
use super::entry::Fold;
use crate::drive::DriveState;
use crate::ids::{BlockId, ScopeId, Unit};

impl SlcCache {
    /// Units of a scope that fill its next program outside of the cache, or of a superblock one on each die: the
    /// oldest ones.
    pub(super) fn next_moves(&self, state: &DriveState, scope: ScopeId, units: &mut Vec<Unit>) {
        let joins = self.config.fold == Fold::InPlace;
        let stream = if joins { self.switch_stream() } else { state.layout.gc_stream };
        let point = &state.points[state.point_of(scope, stream)];
        let filling = state.layout.of_scope(scope);
        let kept = self.config.keep
            * f64::from(self.bounds.of_plane(self.normal))
            * f64::from(filling.scope_planes);
        let sources = self.blocks.cached(scope).len().saturating_sub(kept as usize);
        // What is to be programmed next stays on its cells.
        let switched = match joins && point.room() == 0 {
            true => self.next_switched(state, scope),
            false => Some(Vec::new()),
        };
        let Some(switched) = switched else { return };
        let shape = if joins { self.further_shape() } else { filling.shape };
        let row = match joins {
            true => {
                let blocks = state.blocks_at_once(state.geometry.blocks().first());
                shape.units * filling.lanes * blocks
            }
            false => state.units_at_once(state.layout.group_of_scope(scope)),
        };
        let missing = match point.room() {
            0 => row,
            room => row
                .saturating_sub(point.filled())
                .clamp(point.program_units() - point.filled(), room),
        };
        let of_block = |block| {
            let first = state.geometry.first_unit(block);
            state.valid.places(block).map(move |place| first.plus(place))
        };
        let leaving = self.blocks.cached(scope).filter(|block| !switched.contains(block));
        let oldest = leaving.take(sources).flat_map(of_block);
        units.extend(oldest.take(missing as usize));
    }

    /// Full blocks without valid data, one of each plane.
    pub(super) fn next_erases(&self, state: &DriveState) -> Vec<BlockId> {
        let mut erases: Vec<BlockId> = Vec::new();
        for scope in self.blocks.scopes() {
            let from = erases.len();
            for block in self.blocks.dead(scope) {
                let plane = state.geometry.plane_of(block);
                if !erases[from..].iter().any(|&other| state.geometry.plane_of(other) == plane) {
                    erases.push(block);
                }
            }
        }
        erases
    }
}
