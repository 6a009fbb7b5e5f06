//! The SLC cache of consumer drives: blocks of MLC, TLC or QLC whose cells hold one bit take the host's
//! writes in the time of SLC, and hand them on to the others in idle time.
//!
//! Blocks of the cache and others are the same blocks at different times. The static part of the cache is
//! set aside; the dynamic part takes blocks that no data needs. What is written beside the cache and what
//! stands in it compete for these: beyond the space that the data leaves, the cache hands blocks on while
//! the host waits. Data leaves by copies, or stays: the other pages of its word lines are programmed in
//! place ("in-place switch", Yang et al., arXiv:2409.14360, 2024).

mod blocks;
mod entry;
mod figures;
mod folding;
mod hooks;
mod placing;
mod size;
#[cfg(test)]
mod tests;

pub use entry::{Bypass, ENTRY, Fold, SlcCacheConfig, Victims, WhenFull};
pub use hooks::SetAside;
pub use size::Size;

use super::{
    Cells, Data, Hook, Idle, Observer, Open, PageRead, Phase, Place, Placement, Profile, Technique,
    Write,
};
use crate::drive::DriveState;
use crate::ids::{BlockId, ById, DomainId, Ids, PlaneId, ScopeId, StreamId};
use crate::metrics::{Counters, Gauge};
use crate::nand::command::Cause;
use crate::nand::{Flash, Load, Located, OpTable, READ};
use crate::schema::Cell;
use blocks::{Blocks, Site, Stage};
use entry::{Rows, Units};
use figures::Figures;
use serde_json::{Map, Value};
use size::Bounds;

/// The technique.
pub struct SlcCache {
    config: SlcCacheConfig,
    rows: Rows,
    units: Units,
    bounds: Bounds,
    /// Temperatures of the host's writes.
    levels: u32,
    /// The stream of the cache; the next one is that of data which joins the cells of full blocks.
    first_stream: StreamId,
    /// Whether such data is possible.
    switches: bool,
    blocks: Blocks,
    /// Valid units outside of the cache.
    normal: u64,
    /// By block, the part of a P/E cycle that is not counted yet.
    worn: ById<BlockId, f32>,
    /// False during preconditioning, which goes beside the cache.
    has_begun: bool,
    /// True while the host waits for what leaves the cache.
    is_waiting: bool,
    /// Whether the host's last unit goes beside the cache because it is to.
    is_bypassing: bool,
    figures: Figures,
    warnings: Vec<String>,
}

impl SlcCache {
    fn site(state: &DriveState, block: BlockId) -> Site {
        let plane = state.geometry.plane_of(block);
        Site { scope: state.layout.scope_of(plane), domain: state.layout.domain_of(plane) }
    }

    /// A block of the cache is opened, one in each lane.
    fn opened(&mut self, state: &DriveState, block: BlockId) {
        let point = state.blocks[block].point();
        for block in state.points[point].blocks() {
            self.blocks.begin(Self::site(state, block), block);
            self.figures.opened += 1;
        }
        self.figures.most_blocks = self.figures.most_blocks.max(self.held());
    }

    /// Blocks in the cache.
    fn held(&self) -> u64 {
        self.blocks.scopes().into_iter().map(|scope| u64::from(self.blocks.used(scope))).sum()
    }

    fn switch_stream(&self) -> StreamId {
        self.first_stream.plus(1)
    }

    fn room(state: &DriveState, scope: ScopeId, stream: StreamId) -> u32 {
        state.points[state.point_of(scope, stream)].room()
    }
}

impl Technique for SlcCache {
    fn profile(&self) -> Profile {
        Profile {
            set_aside: self.bounds.set_aside,
            streams: match self.bounds.is_none() {
                true => 0,
                false => 1 + u32::from(self.switches),
            },
            ..Profile::of(&[
                Hook::Placement,
                Hook::ReadPlan,
                Hook::ErasePlan,
                Hook::Idle,
                Hook::Deaths,
            ])
        }
    }

    fn idle(&mut self, state: &DriveState, _: &dyn Load, _: u64) -> Idle {
        if !self.has_begun || self.bounds.is_none() {
            return Idle::Nothing;
        }
        self.is_waiting = false;
        let erases = self.next_erases(state);
        if !erases.is_empty() {
            return Idle::Reclaim(erases);
        }
        let mut units = Vec::new();
        if self.config.fold != Fold::Never {
            for scope in state.layout.scopes() {
                self.next_moves(state, scope, &mut units);
            }
        }
        match units.is_empty() {
            true => Idle::Nothing,
            false => Idle::MoveAll(units),
        }
    }

    fn metrics(&self, state: &DriveState, _: &Counters) -> Map<String, Value> {
        self.report(state)
    }

    fn gauges(&self, state: &DriveState) -> Vec<Gauge> {
        if self.bounds.is_none() {
            return Vec::new();
        }
        let scopes = state.layout.scopes().into_iter();
        let room: u32 = scopes.map(|scope| Self::room(state, scope, self.first_stream)).sum();
        let open_bytes = u64::from(room) * state.geometry.unit_bytes;
        let bytes = self.bytes_of(state, self.held()).saturating_sub(open_bytes);
        vec![("slc_cache_mib", bytes as f64 / f64::from(1 << 20))]
    }

    fn warnings(&self, _: &DriveState) -> Vec<String> {
        self.warnings.clone()
    }

    fn set_aside(&self) -> Option<&dyn SetAside> {
        Some(self)
    }
}

impl SetAside for SlcCache {
    fn in_use(&self, domain: DomainId) -> u32 {
        self.blocks.in_domain(domain)
    }

    /// Where the cache finds no block, data goes beside it.
    fn place_again(&self, state: &DriveState, write: &Write<'_>) -> Option<Place> {
        Some(Place::Stream(match write.cause {
            Cause::Host => write.stream,
            _ => state.layout.gc_stream,
        }))
    }
}

impl Placement for SlcCache {
    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        if !self.has_begun || self.bounds.is_none() {
            return Place::Stream(write.stream);
        }
        match write.cause {
            Cause::Host => self.place_host(state, write),
            _ => self.place_moved(state, write),
        }
    }

    fn open(&mut self, state: &DriveState, stream: StreamId, plane: PlaneId) -> Open {
        if !self.has_begun || self.bounds.is_none() {
            return Open::Erased(None);
        }
        let scope = state.layout.scope_of(plane);
        let (count, shape) = if stream == self.first_stream {
            (self.in_the_way(state, scope), Some(self.first_shape()))
        } else if stream == self.switch_stream() && self.switches {
            return self.switch(state, scope);
        } else {
            (self.surplus(state, scope), None)
        };
        match self.blocks.first(scope, count) {
            blocks
                if blocks.is_empty() && shape.is_some() && self.is_beyond_its_own(state, scope) =>
            {
                Open::Spare(shape)
            }
            blocks if blocks.is_empty() => Open::Erased(shape),
            blocks => {
                self.is_waiting = true;
                Open::After(blocks, shape)
            }
        }
    }

    fn keeps(&mut self, state: &DriveState, block: BlockId) -> bool {
        let site = Self::site(state, block);
        match self.blocks.stage(block) {
            Stage::Normal => return false,
            Stage::Switching => {
                self.blocks.release(block);
                return false;
            }
            Stage::Filling | Stage::Leaving => {
                let holds_data = state.blocks[block].valid > 0;
                self.blocks.keep(site, block, holds_data);
            }
            Stage::Cached => {}
        }
        let is_static =
            self.blocks.in_domain(site.domain) <= state.layout.of_domain(site.domain).set_aside;
        is_static || self.config.gc == Victims::Last
    }

    fn surrender(&mut self, state: &DriveState, domain: DomainId) -> Option<BlockId> {
        let planes = state.layout.planes_of_domain(domain);
        let scopes = Ids::between(
            state.layout.scope_of(planes.first()),
            state.layout.scope_of(planes.last()),
        );
        let all = scopes
            .into_iter()
            .flat_map(|scope| self.blocks.dead(scope).chain(self.blocks.cached(scope)));
        let is_kept =
            |&block: &BlockId| state.domain_of_block(block) == domain && !state.is_candidate(block);
        state.least_valid(all.filter(is_kept))
    }
}

impl SlcCache {
    /// Whether the cells of a unit hold one bit each.
    #[inline]
    fn is_one_bit(&self, state: &DriveState, &Located { block, place, .. }: &Located) -> bool {
        match self.blocks.stage(block) {
            Stage::Normal => false,
            // What lies before the next program has been switched.
            Stage::Switching => {
                let point = &state.points[state.blocks[block].point()];
                place >= point.place()
            }
            _ => true,
        }
    }
}

impl Cells for SlcCache {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        if !self.bounds.is_none() {
            self.rows = self.config.add_operations(table, flash);
        }
    }

    #[inline]
    fn read_plan(&self, state: &DriveState, at: &Located) -> PageRead {
        if !self.is_one_bit(state, at) {
            return PageRead::of(READ);
        }
        let data = Some(Data { mode: Cell::Slc.name(), since_ns: None });
        PageRead { data, ..PageRead::of(self.rows.read) }
    }

    /// A cycle of one bit wears the cells less: a part of a cycle is counted once it makes a whole one.
    fn cycles(&mut self, _: &DriveState, block: BlockId, cycles: u32) -> u32 {
        if !self.blocks.is_slc(block) {
            return cycles;
        }
        let worn = &mut self.worn[block];
        *worn += self.config.wear as f32 * cycles as f32;
        // A tenth ten times is a whole.
        let whole = (*worn + 1e-4).floor().max(0.0);
        *worn -= whole;
        self.figures.slc_cycles += whole as u64;
        whole as u32
    }
}

impl Observer for SlcCache {
    fn begin(&mut self, _: &DriveState, phase: Phase) {
        self.figures = Figures::default();
        match phase {
            Phase::Drive(first) => self.first_stream = first,
            Phase::Run => self.has_begun = true,
            Phase::Measured => {}
        }
    }

    fn preset(&mut self, state: &DriveState, block: BlockId) {
        self.normal += u64::from(state.blocks[block].valid);
    }

    fn written(
        &mut self,
        state: &DriveState,
        &Located { block, .. }: &Located,
        cause: Cause,
        _: u64,
    ) {
        let is_own = state.blocks[block].stream() == self.first_stream;
        if is_own && self.blocks.stage(block) == Stage::Normal {
            self.opened(state, block);
        }
        let is_slc = self.blocks.is_slc(block);
        self.normal += u64::from(!is_slc);
        if cause == Cause::Host {
            let it = &mut self.figures;
            match self.blocks.stage(block) {
                Stage::Normal if self.is_bypassing => it.bypassed += 1,
                Stage::Normal => it.through += 1,
                Stage::Switching => it.joined += 1,
                _ => it.cached += 1,
            }
        }
    }

    #[inline]
    fn invalidated(&mut self, state: &DriveState, &Located { block, .. }: &Located) {
        if !self.blocks.is_slc(block) {
            self.normal -= 1;
        } else if self.blocks.stage(block) == Stage::Cached && state.blocks[block].valid == 0 {
            self.blocks.die(Self::site(state, block).scope, block);
        }
    }

    fn chosen(&mut self, state: &DriveState, block: BlockId, _: Cause) {
        if self.blocks.stage(block) == Stage::Cached {
            self.blocks.leave(Self::site(state, block), block, Stage::Leaving);
        }
    }

    fn erased(&mut self, _: &DriveState, block: BlockId) {
        match self.blocks.is_slc(block) {
            true => self.figures.slc_erases += 1,
            false => self.figures.normal_erases += 1,
        }
        self.blocks.release(block);
    }
}
