//! Where data goes: hot data to blocks in their first or second round, all else to other ones, page by page.

use super::hooks::Rounds;
use super::rounds::{Record, Stage};
use super::{LlhFtl, ReuseWhen};
use crate::drive::{DriveState, Shape, Step};
use crate::ids::{BlockId, DomainId, Id, PlaneId, PointId, StreamId, Unit};
use crate::nand::Loops;
use crate::nand::command::Cause;
use crate::technique::{ErasePlan, Open, Place, Placement, Write};

impl Placement for LlhFtl {
    /// What is moved and is cold; of the host's it counts how much is.
    fn settles(&self, stream: StreamId, cause: Cause) -> bool {
        stream >= self.cold && cause != Cause::Host
    }

    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        let is_hot = write.stream < self.cold;
        if write.cause == Cause::Host {
            self.figures.writes[usize::from(is_hot)] += 1;
        }
        match is_hot {
            true => self.place_hot(state, write),
            false => Place::Stream(write.stream),
        }
    }

    fn open(&mut self, state: &DriveState, stream: StreamId, plane: PlaneId) -> Open {
        let is_cold = stream >= self.cold;
        if is_cold && !self.config.lists {
            return Open::Erased(None);
        }
        let steps = Shape { asks: true, ..Shape::dense(self.layout.units_per_page) };
        if is_cold {
            return Open::Erased(Some(steps));
        }
        let waits_for_scarcity = self.config.reuse_when == ReuseWhen::Scarce;
        if waits_for_scarcity && Self::has_erased(state, plane) {
            return Open::Erased(Some(steps));
        }
        let scope = state.layout.scope_of(plane);
        self.compare_cheapest(state, scope, plane);
        match self.due(state, scope) {
            Some(due) => Open::Again(vec![self.reuse(state, scope, due)], steps),
            None => Open::Erased(Some(steps)),
        }
    }

    fn keeps(&mut self, _: &DriveState, block: BlockId) -> bool {
        self.records[block].stage == Stage::PartiallyUsed
    }

    fn surrender(&mut self, state: &DriveState, domain: DomainId) -> Option<BlockId> {
        let scopes = state.layout.scopes_of_domain(domain).into_iter();
        let waiting = scopes.flat_map(|scope| self.waiting[scope].iter().copied());
        let block = state.least_valid(waiting)?;
        self.stop_waiting(Self::scope_of(state, block), block);
        self.records[block].stage = Stage::Surrendered;
        self.figures.surrendered += 1;
        Some(block)
    }

    fn unwritten(&self, state: &DriveState, domain: DomainId) -> u64 {
        let scopes = state.layout.scopes_of_domain(domain).into_iter();
        let blocks: usize = scopes.map(|scope| self.waiting[scope].len()).sum();
        blocks as u64 * u64::from(self.layout.units_of_high_pages())
    }
}

impl Rounds for LlhFtl {
    /// Its code decides whether what a page is to hold can be encoded, with the first unit of it; where none is
    /// tried, a coin.
    fn begins(
        &mut self,
        _: &DriveState,
        write: &Write<'_>,
        _: PointId,
        fits: Option<bool>,
    ) -> Option<Place> {
        if fits.unwrap_or_else(|| self.coin.unit() >= self.second.failure) {
            return None;
        }
        self.figures.failures += 1;
        self.diverted[write.scope][write.stream.index()] = self.layout.units_again;
        self.is_diverted(write).then_some(Place::Stream(self.cold))
    }

    fn step(&mut self, state: &DriveState, stream: StreamId, block: BlockId) -> Option<Step> {
        if self.records[block].stage == Stage::Other {
            let stage = if stream < self.cold { self.first_of(state, block) } else { Stage::Cold };
            self.records[block] = Record::begin(stage);
        }
        let record = &mut self.records[block];
        let before = *record;
        let step = self.layout.step(record, block, &state.valid);
        self.figures.left_out += u64::from(record.left_out_since(before));
        if record.stage == Stage::PartiallyUsed {
            self.waiting[Self::scope_of(state, block)].push(block);
        }
        step
    }

    /// A list is read unless nothing that stands in it is valid.
    fn notes(&mut self, state: &DriveState, block: BlockId) -> Option<Unit> {
        let record = self.records[block];
        let [after_first, after_other] = self.layout.list_places();
        let place = match record.stage {
            Stage::Second if self.config.lists => after_first,
            Stage::PartiallyUsed | Stage::Surrendered if record.has_list => after_first,
            _ if record.has_list && state.blocks[block].valid > 0 => after_other,
            _ => return None,
        };
        Some(state.geometry.first_unit(block).plus(place))
    }

    fn units_of_data(&mut self, state: &DriveState, block: BlockId) -> u32 {
        match self.records[block].has_list {
            true => self.layout.units_of_data(),
            false => state.geometry.of(block).units_per_block,
        }
    }

    fn erase_plan(&mut self, _: &DriveState, block: BlockId, mut plan: ErasePlan) -> ErasePlan {
        if self.records[block].stage == Stage::Reused {
            scale_energy(&mut plan.loops, self.config.erase_energy);
            scale_energy(&mut plan.deferred, self.config.erase_energy);
        }
        plan
    }
}

fn scale_energy(loops: &mut Loops, factor: f64) {
    for pulse in loops.as_mut_slice() {
        pulse.energy_nj = (pulse.energy_nj as f64 * factor).round() as u64;
    }
}
