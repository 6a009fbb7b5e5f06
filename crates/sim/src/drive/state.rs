//! What a drive holds: the map both ways, the valid bits, the blocks, and where the next data goes.

use super::bitmap::ValidBits;
use super::filling::Filling;
use super::free_list::FreeList;
use super::layout::Layout;
use super::victims::Victims;
use super::write_point::WritePoint;
use crate::ids::{
    AT_ONCE, BlockId, ById, DomainId, Id, Ids, Lpn, Packed, PlaneId, PointId, ScopeId, StreamId,
    Unit,
};
use crate::nand::{Block, BlockState, Geometry, Group, Located, OpTable, Superblocks};

/// The state of a drive; techniques and policies may read all of it.
#[derive(Debug)]
pub struct DriveState {
    /// The division of the drive.
    pub geometry: Geometry,
    /// Where superblocks lie, each of which is one block of `geometry`; `None` where blocks are those of the flash.
    pub superblocks: Option<Superblocks>,
    /// What the flash can do.
    pub ops: OpTable,
    /// How writes and garbage collection are laid out.
    pub layout: Layout,
    /// Logical units of the host.
    pub logical_units: u64,
    /// Unit by logical unit; translation pages follow those of the host.
    pub map: Packed<Lpn, Unit>,
    /// Logical unit by unit; stale where the unit is not valid, and never `NONE`.
    pub reverse: Packed<Unit, Lpn>,
    /// Valid units.
    pub valid: ValidBits,
    /// Blocks.
    pub blocks: ById<BlockId, Block>,
    /// Erased blocks by plane.
    pub free: ById<PlaneId, FreeList>,
    /// Erased blocks by domain.
    pub free_in: ById<DomainId, u32>,
    /// Full blocks.
    pub victims: Victims,
    /// Open blocks, by scope and stream.
    pub points: ById<PointId, WritePoint>,
    /// Blocks filled so far.
    pub filled: u32,
    /// P/E cycles that each erase stands for now.
    pub cycles_per_erase: u32,
    /// Valid units by group, counted where there are several.
    pub valid_in: Vec<u64>,
}

impl DriveState {
    /// The unit that holds a logical unit; `NONE` when it was never written or was trimmed.
    #[inline]
    pub fn unit_of(&self, lpn: Lpn) -> Unit {
        self.map.at(lpn)
    }

    /// The logical unit that a unit holds, or held last; any where nothing was written to it yet.
    #[inline]
    pub fn lpn_of(&self, unit: Unit) -> Lpn {
        match self.reverse.is_wide() {
            true => self.reverse.some::<true>(unit),
            false => self.reverse.some::<false>(unit),
        }
    }

    /// True for a logical unit of the host, false for a page of the map.
    #[inline]
    pub fn is_of_host(&self, lpn: Lpn) -> bool {
        lpn.number() < self.logical_units
    }

    /// The domain of a block.
    #[inline]
    pub fn domain_of_block(&self, block: BlockId) -> DomainId {
        self.layout.domain_of(self.geometry.plane_of(block))
    }

    /// The scope of the plane in which a unit lies.
    pub fn scope_of_unit(&self, unit: Unit) -> ScopeId {
        self.layout.scope_of(self.geometry.plane_of(self.geometry.locate(unit).0))
    }

    /// The write point of a scope and stream.
    #[inline]
    pub fn point_of(&self, scope: ScopeId, stream: StreamId) -> PointId {
        self.layout.point_of(scope, stream)
    }

    /// Erased blocks of the drive.
    pub fn free_blocks(&self) -> u64 {
        self.free_in.iter().map(|&n| u64::from(n)).sum()
    }

    /// Units that can take data before anything is erased: erased blocks and the rest of open ones.
    pub fn free_units(&self) -> u64 {
        (0..self.geometry.groups.len()).map(|group| self.free_units_of(group)).sum()
    }

    /// Units of a group that can take data before anything is erased.
    pub fn free_units_of(&self, group: usize) -> u64 {
        let (filling, units) =
            (&self.layout.fillings[group], self.geometry.groups[group].units_per_block);
        let erased = filling.domains.iter().map(|domain| u64::from(self.free_in[domain]));
        let points = filling.scopes.iter().flat_map(|scope| self.layout.points_of_scope(scope));
        let rest = points.map(|point| u64::from(self.points[point].room()));
        erased.sum::<u64>() * u64::from(units) + rest.sum::<u64>()
    }

    /// Units of a domain that can take data before anything is erased. Where a write point takes blocks of
    /// several domains, each has an equal part of its room.
    pub(crate) fn room_in(&self, domain: DomainId) -> u64 {
        let layout = &self.layout;
        let lanes = layout.of_domain(domain).lanes;
        let points = layout.scopes_of_domain(domain).into_iter();
        let points = points.flat_map(|scope| self.points.of(layout.points_of_scope(scope)));
        let open = points.map(|point| u64::from(point.room() / lanes));
        let free = u64::from(self.free_in[domain]);
        free * u64::from(self.units_per_block_in(domain)) + open.sum::<u64>()
    }

    /// Units that the planes of a scope can take before anything is erased.
    pub(crate) fn free_units_of_scope(&self, scope: ScopeId) -> u64 {
        let layout = &self.layout;
        let planes = layout.planes_of_scope(scope);
        let units_per_block =
            self.geometry.groups[self.geometry.group_of_plane(planes.first())].units_per_block;
        let blocks: usize = planes.iter().map(|plane| self.free[plane].len()).sum();
        let points = self.points.of(layout.points_of_scope(scope));
        let open: u64 = points.iter().map(|point| u64::from(point.room())).sum();
        blocks as u64 * u64::from(units_per_block) + open
    }

    /// The scopes of the die in which a scope lies.
    pub(crate) fn scopes_of_die(&self, scope: ScopeId) -> Ids<ScopeId> {
        let layout = &self.layout;
        let plane = layout.planes_of_scope(scope).first();
        let planes = self.geometry.planes_of_die(self.geometry.die_of(plane));
        Ids::between(layout.scope_of(planes.first()), layout.scope_of(planes.last()))
    }

    /// Units of a block of a domain.
    pub(crate) fn units_per_block_in(&self, domain: DomainId) -> u32 {
        self.geometry.of(self.blocks_of_domain(domain).first()).units_per_block
    }

    /// The blocks of a domain.
    pub(crate) fn blocks_of_domain(&self, domain: DomainId) -> Ids<BlockId> {
        self.blocks_of_planes(self.layout.planes_of_domain(domain))
    }

    /// The blocks of several planes of a group.
    pub(crate) fn blocks_of_planes(&self, planes: Ids<PlaneId>) -> Ids<BlockId> {
        self.geometry.blocks_of_planes(planes)
    }

    /// The group whose valid data takes the smallest share of its units; of equals, the first.
    pub fn emptiest_group(&self) -> usize {
        let groups = &self.geometry.groups;
        let share = |group: usize| self.valid_in[group] as f64 / groups[group].units() as f64;
        (0..groups.len()).min_by(|&a, &b| share(a).total_cmp(&share(b))).unwrap_or(0)
    }

    /// Units in which data can stand when GC fires: those of good blocks, less what is held back and
    /// what open blocks of other streams than the one that asks for room do not hold yet (half of
    /// each, on average).
    pub fn log_units(&self) -> u64 {
        let groups = self.geometry.groups.iter().zip(&self.layout.fillings);
        groups.map(|(group, filling)| self.log_units_of(group, filling)).sum()
    }

    fn log_units_of(&self, group: &Group, filling: &Filling) -> u64 {
        let units_per_block = u64::from(filling.usable_units);
        let is_good = |block: &&Block| block.state != BlockState::Bad;
        let good = self.blocks.of(group.blocks).iter().filter(is_good).count() as u64;
        let held = u64::from(filling.reserve + filling.set_aside + filling.copy_blocks)
            * u64::from(filling.domains.count());
        let others = u64::from(filling.scopes.count())
            * u64::from(filling.streams - 1)
            * u64::from(filling.lanes);
        let kept = filling.kept(held * units_per_block, others * units_per_block / 2);
        (good * units_per_block).saturating_sub(kept)
    }

    /// Either map tells of the other's end.
    #[inline(always)]
    pub(crate) fn join<const WIDE: bool>(&mut self, lpn: Lpn, unit: Unit) {
        self.map.put::<WIDE>(lpn, unit);
        self.reverse.put::<WIDE>(unit, lpn);
    }

    /// Makes a unit hold `lpn`, valid.
    #[inline(always)]
    pub(crate) fn bind(&mut self, lpn: Lpn, new: Located) {
        let Located { unit, block, place } = new;
        debug_assert!(self.blocks[block].state.takes_data(), "block {block} takes no data");
        match self.map.is_wide() {
            true => self.join::<true>(lpn, unit),
            false => self.join::<false>(lpn, unit),
        }
        self.valid.set(block, place);
        self.blocks[block].valid += 1;
        if self.geometry.is_mixed() {
            self.valid_in[self.geometry.group_of(block)] += 1;
        }
    }

    /// Units from one on hold data, of which the maps tell already.
    pub(crate) fn occupy_stretch(&mut self, first: Located, count: u32) {
        let Located { block, place, .. } = first;
        debug_assert!(self.blocks[block].state.takes_data(), "block {block} takes no data");
        self.valid.set_from(block, place, count);
        self.blocks[block].valid += count;
    }

    /// Makes several places of a block valid, of which the maps are still to tell.
    pub(crate) fn occupy(&mut self, block: BlockId, places: &[u32]) {
        for &place in places {
            self.valid.set(block, place);
        }
        self.count_valid(block, places.len() as u32);
    }

    /// Makes the places valid whose bits are set in `chosen`, of which the maps are still to tell.
    pub(crate) fn occupy_chosen(&mut self, block: BlockId, chosen: &[u64]) {
        let count = self.valid.set_all(block, chosen);
        self.count_valid(block, count);
    }

    fn count_valid(&mut self, block: BlockId, count: u32) {
        self.blocks[block].valid += count;
        if self.geometry.is_mixed() {
            self.valid_in[self.geometry.group_of(block)] += u64::from(count);
        }
    }

    /// The data at `place` of a block is no longer valid.
    #[inline(always)]
    pub(crate) fn unbind(&mut self, block: BlockId, place: u32) {
        self.valid.clear(block, place);
        self.blocks[block].valid -= 1;
        if self.geometry.is_mixed() {
            self.valid_in[self.geometry.group_of(block)] -= 1;
        }
    }

    /// Asks the cache for whose units a block holds, and which of them are valid.
    pub(crate) fn ask_for_units_of(&self, block: BlockId) {
        let (first, units) =
            (self.geometry.first_unit(block), self.geometry.of(block).units_per_block);
        for place in (0..units).step_by(AT_ONCE as usize) {
            self.reverse.prefetch(first.plus(place));
        }
        self.valid.prefetch(block, 0);
    }

    /// A block passes on in its life.
    ///
    /// # Panics
    /// One that cannot stand there next.
    #[inline(never)]
    pub(crate) fn pass(&mut self, block: BlockId, next: BlockState) {
        let state = &mut self.blocks[block].state;
        assert!(state.may_become(next), "block {block} is {state:?} and cannot become {next:?}");
        *state = next;
    }

    /// A block was erased.
    ///
    /// # Panics
    /// A block that is erased already, or bad.
    pub(crate) fn release(&mut self, block: BlockId) {
        self.pass(block, BlockState::Free);
        self.list_erased(block);
    }

    /// Adds an erased block to its plane's list.
    pub(crate) fn list_erased(&mut self, block: BlockId) {
        let plane = self.geometry.plane_of(block);
        let entry = &mut self.blocks[block];
        entry.next = 0;
        entry.set_stream(StreamId(0));
        self.free[plane].push(block, entry.erases);
        self.free_in[self.layout.domain_of(plane)] += 1;
    }

    /// Opens an erased block of `plane` or, when it has none, of its domain's richest plane.
    pub(crate) fn take_free(&mut self, plane: PlaneId, for_cold_data: bool) -> Option<BlockId> {
        let domain = self.layout.domain_of(plane);
        let from = if self.free[plane].is_empty() {
            let planes = self.layout.planes_of_domain(domain);
            planes.iter().rev().max_by_key(|&plane| self.free[plane].len())?
        } else {
            plane
        };
        let block = self.free[from].pop(for_cold_data)?;
        self.pass(block, BlockState::Open);
        self.free_in[domain] -= 1;
        Some(block)
    }

    /// True for a block that is in the victim index.
    #[inline]
    pub(crate) fn is_candidate(&self, block: BlockId) -> bool {
        self.blocks[block].state == BlockState::Full
    }

    /// Sees to it that victims of a domain can be told.
    #[inline]
    pub(crate) fn list_victims(&mut self, domain: DomainId) {
        let all = self.geometry.blocks_of_planes(self.layout.planes_of_domain(domain));
        self.victims.list(&mut self.blocks, domain, all);
    }

    /// What the cheapest full block of a domain costs.
    pub(crate) fn cheapest_cost(&self, domain: DomainId) -> Option<u32> {
        let listed = self.victims.longest_unchanged(domain).next();
        listed.map(|(cost, _)| cost).or_else(|| {
            let all = self.blocks_of_planes(self.layout.planes_of_domain(domain));
            let full = all.into_iter().filter(|&block| self.is_candidate(block));
            full.map(|block| self.blocks[block].cost).min()
        })
    }

    /// The block with the least valid data, of several the first; `None`: there is none.
    #[inline]
    pub(crate) fn least_valid(&self, blocks: impl IntoIterator<Item = BlockId>) -> Option<BlockId> {
        blocks.into_iter().min_by_key(|&block| self.blocks[block].valid)
    }

    /// Bytes that the state takes, by what: for the budget of memory.
    pub fn bytes(&self) -> usize {
        self.map.bytes() + self.reverse.bytes() + self.blocks.bytes() + self.valid.bytes()
    }

    /// True when the logical unit holds data.
    pub fn is_mapped(&self, lpn: Lpn) -> bool {
        self.unit_of(lpn).is_some()
    }
}
