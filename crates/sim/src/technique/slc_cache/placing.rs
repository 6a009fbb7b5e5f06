//! Where data goes: to the cache, beside it, onto its cells, or out of it.

use super::blocks::Stage;
use super::entry::{Bypass, Fold, Units, WhenFull};
use super::{Open, Place, SlcCache, Write};
use crate::drive::{DriveState, Shape};
use crate::ids::{BlockId, ScopeId, StreamId};
use crate::nand::command::Cause;

impl SlcCache {
    /// Blocks of the cache in a scope beyond what `of_plane` blocks of each plane come to.
    fn beyond(&self, state: &DriveState, scope: ScopeId, of_plane: u32, more: u32) -> u32 {
        let planes = state.layout.of_scope(scope).scope_planes;
        (self.blocks.used(scope) + more).saturating_sub(of_plane.saturating_mul(planes))
    }

    /// Blocks that must leave before the cache opens another one in each lane of a scope.
    pub(super) fn in_the_way(&self, state: &DriveState, scope: ScopeId) -> u32 {
        let lanes = state.layout.of_scope(scope).lanes;
        self.beyond(state, scope, self.bounds.of_plane(self.normal), lanes)
    }

    /// Whether the next blocks of the cache in a scope are of its dynamic part.
    pub(super) fn is_beyond_its_own(&self, state: &DriveState, scope: ScopeId) -> bool {
        let lanes = state.layout.of_scope(scope).lanes;
        self.beyond(state, scope, self.bounds.set_aside, lanes) > 0
    }

    /// Whether the cache takes a unit in a scope.
    fn takes(&self, state: &DriveState, scope: ScopeId) -> bool {
        if Self::room(state, scope, self.first_stream) > 0 {
            return true;
        }
        let may_leave = match self.config.when_full {
            WhenFull::FoldFirst => {
                self.blocks.dead(scope).count() + self.blocks.cached(scope).len()
            }
            WhenFull::WriteThrough | WhenFull::InPlace => self.blocks.dead(scope).count(),
        };
        self.in_the_way(state, scope) as usize <= may_leave
    }

    /// The blocks of a scope that take further data on their cells next: the youngest full one or, where planes
    /// work together, that of each; `None` for a plane without any.
    fn youngest(
        &self,
        state: &DriveState,
        scope: ScopeId,
    ) -> impl Iterator<Item = Option<BlockId>> {
        let lanes = state.layout.of_scope(scope).lanes;
        state.layout.planes_of_scope(scope).into_iter().take(lanes as usize).map(move |plane| {
            let is_here = |block: &BlockId| lanes == 1 || state.geometry.plane_of(*block) == plane;
            self.blocks.cached(scope).rev().find(is_here)
        })
    }

    /// The blocks of a scope that take further data on their cells next, once every plane has one.
    pub(super) fn next_switched(&self, state: &DriveState, scope: ScopeId) -> Option<Vec<BlockId>> {
        self.youngest(state, scope).collect()
    }

    /// Whether data joins the cells of blocks of a scope.
    fn may_join(&self, state: &DriveState, scope: ScopeId) -> bool {
        Self::room(state, scope, self.switch_stream()) > 0
            || self.youngest(state, scope).all(|it| it.is_some())
    }

    fn bypasses(&self, write: &Write<'_>) -> bool {
        match self.config.bypass {
            Bypass::Nothing => false,
            Bypass::Cold => write.stream.plus(1) == StreamId(self.levels),
            Bypass::Large => write.request.is_some_and(|request| {
                f64::from(request.request_bytes) >= self.config.bypass_kib * 1024.0
            }),
        }
    }

    pub(super) fn place_host(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        self.is_bypassing = self.bypasses(write);
        if self.is_bypassing {
            return Place::Stream(write.stream);
        }
        if self.takes(state, write.scope) {
            return Place::Stream(self.first_stream);
        }
        let joins = self.config.when_full == WhenFull::InPlace;
        if joins && self.may_join(state, write.scope) {
            return Place::Stream(self.switch_stream());
        }
        Place::Stream(write.stream)
    }

    /// Where data goes that others than the host move.
    pub(super) fn place_moved(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        let is_own = write.stream >= self.first_stream && write.stream <= self.switch_stream();
        let stream = if is_own { state.layout.gc_stream } else { write.stream };
        if write.old.is_none() {
            return Place::Stream(stream);
        }
        let (from, _) = state.geometry.locate(write.old);
        if !self.blocks.is_slc(from) {
            return Place::Stream(stream);
        }
        match write.cause {
            Cause::Technique if self.is_waiting => self.figures.folded_waiting += 1,
            Cause::Technique => self.figures.folded_idle += 1,
            _ => self.figures.folded_by_gc += 1,
        }
        let joins = self.config.fold == Fold::InPlace;
        if joins && self.may_join(state, write.scope) {
            let has_begun = Self::room(state, write.scope, self.switch_stream()) > 0;
            let takes_own = || self.youngest(state, write.scope).any(|it| it == Some(from));
            assert!(has_begun || !takes_own(), "block {from} would take its own data");
            self.figures.folded_in_place += 1;
            return Place::Stream(self.switch_stream());
        }
        Place::Stream(stream)
    }

    /// One page to each word line.
    pub(super) fn first_shape(&self) -> Shape {
        let Units { per_page, bits, .. } = self.units;
        Shape { step: bits * per_page, row: self.rows.program, ..Shape::dense(per_page) }
    }

    /// The other pages of each word line.
    pub(super) fn further_shape(&self) -> Shape {
        let Units { per_page, bits, .. } = self.units;
        Shape {
            offset: per_page,
            units: (bits - 1) * per_page,
            row: self.rows.reprogram,
            ..self.first_shape()
        }
    }

    /// The youngest full blocks of a scope take further data on their cells, and leave the cache.
    pub(super) fn switch(&mut self, state: &DriveState, scope: ScopeId) -> Open {
        let Some(blocks) = self.next_switched(state, scope) else { return Open::Erased(None) };
        for &block in &blocks {
            let valid = u64::from(state.blocks[block].valid);
            self.blocks.leave(Self::site(state, block), block, Stage::Switching);
            self.normal += valid;
            self.figures.stayed += valid;
        }
        Open::Again(blocks, self.further_shape())
    }

    /// Blocks that leave a scope before data beside the cache gets another one in each lane.
    pub(super) fn surplus(&self, state: &DriveState, scope: ScopeId) -> u32 {
        let most = self.bounds.most_of_plane(self.normal);
        let lanes = state.layout.of_scope(scope).lanes;
        self.beyond(state, scope, most, 0).next_multiple_of(lanes)
    }
}
