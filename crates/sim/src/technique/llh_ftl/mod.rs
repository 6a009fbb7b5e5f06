//! LLH-FTL: MLC blocks that take hot data in two rounds before an erase (Margaglia et al., USENIX FAST
//! 2016).
//!
//! The first round fills the low pages alone: the block is *partially used*. Once enough such blocks
//! have accumulated, or nothing on one of them is valid any more, a second round reprograms the low
//! pages on which nothing is valid, each with half a page of data in a code for write-once memory, and
//! programs the high pages. Cold data, and what garbage collection moves, fills other blocks page by page.

mod cells;
mod codes;
mod coding;
mod entry;
mod figures;
mod hooks;
mod order;
mod placement;
mod rounds;
mod threshold;

pub use cells::Chip;
pub use codes::Code;
pub use coding::{Coding, coding};
pub use entry::{ENTRY, LlhFtlConfig, ReuseWhen, Safe, Updated};
pub use hooks::Rounds;
pub use order::Order;
pub use rounds::{Rows, Stage};

use super::die_group::DieGroup;
use super::{Cells, Hook, Observer, PageRead, Phase, Place, Profile, Technique, Write};
use crate::drive::{DriveState, ValidBits};
use crate::ids::{BlockId, ById, Id, PlaneId, ScopeId, StreamId};
use crate::metrics::Counters;
use crate::nand::command::Cause;
use crate::nand::{Flash, Geometry, Located, OpTable};
use crate::util::Rng;
use cells::Strain;
use codes::SecondWrites;
use entry::SAFE_CYCLES;
use figures::Figures;
use rounds::{Layout, Record};
use serde_json::{Map, Value};
use threshold::{Bounds, Threshold};

/// The technique.
pub struct LlhFtl {
    config: LlhFtlConfig,
    /// The group that it is given.
    given: Option<usize>,
    layout: Layout,
    /// Where the writes of the coldest temperature go; those of all others are hot.
    cold: StreamId,
    /// Cycles of a block in which it may be reused.
    safe_pec: u64,
    /// What a second write of a page holds.
    second: SecondWrites,
    /// What reused cycles wear.
    strain: Strain,
    /// What a reader must know of the drive and of the parameters.
    warnings: Vec<String>,
    /// The key that would end reuse, where blocks do not wear out.
    endurance_key: String,
    records: ById<BlockId, Record>,
    /// Units that are encoded.
    encoded: ValidBits,
    /// Partially used blocks by scope, in the order in which they became so.
    waiting: ById<ScopeId, Vec<BlockId>>,
    thresholds: ById<ScopeId, Threshold>,
    /// Units still to come of data whose encoding failed, by scope and temperature.
    diverted: ById<ScopeId, Vec<u32>>,
    coin: Rng,
    figures: Figures,
}

/// What follows from the drive and the parameters.
struct Rules {
    layout: Layout,
    second: SecondWrites,
    bounds: Bounds,
    safe_pec: u64,
}

/// A partially used block whose second round may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Due {
    block: BlockId,
    is_empty: bool,
}

impl LlhFtl {
    fn with(
        config: LlhFtlConfig,
        geometry: &Geometry,
        die_group: &DieGroup<'_>,
        rules: Rules,
        levels: u32,
        seed: u64,
    ) -> Self {
        let blocks = die_group.group.blocks.end().number();
        // Scopes are no more than planes.
        let scopes = die_group.group.planes.end().number();
        let Rules { layout, second, bounds, safe_pec } = rules;
        Self {
            given: die_group.given(),
            layout,
            second,
            cold: StreamId(levels),
            safe_pec,
            strain: Strain::new(config.strain, blocks),
            warnings: Vec::new(),
            endurance_key: String::new(),
            records: ById::filled(Record::default(), blocks),
            encoded: ValidBits::new(blocks, geometry.stride),
            waiting: ById::filled(Vec::new(), scopes),
            thresholds: ById::filled(Threshold::new(bounds), scopes),
            diverted: ById::filled(vec![0; levels as usize], scopes),
            coin: Rng::new(seed, "llh_ftl"),
            figures: Figures::default(),
            config,
        }
    }

    fn scope_of(state: &DriveState, block: BlockId) -> ScopeId {
        state.layout.scope_of(state.geometry.plane_of(block))
    }

    /// Whether a scope has erased blocks to spare: opening one costs no garbage collection.
    fn has_erased(state: &DriveState, plane: PlaneId) -> bool {
        let domain = state.layout.domain_of(plane);
        state.free_in[domain] > state.layout.of_domain(domain).reserve
    }

    /// The block of a scope whose second round may begin: one without valid data, or the one with the
    /// least once as many of them wait as `reuse_when` says.
    fn due(&self, state: &DriveState, scope: ScopeId) -> Option<Due> {
        let block = state.least_valid(self.waiting[scope].iter().copied())?;
        let is_empty = state.blocks[block].valid == 0;
        let is_due = match self.config.reuse_when {
            ReuseWhen::Scarce => is_empty || !self.may_wait(scope, self.waiting[scope].len()),
            ReuseWhen::Threshold => self.is_full(scope),
        };
        is_due.then_some(Due { block, is_empty })
    }

    /// Whether so many partially used blocks of a scope are no more than the threshold.
    fn may_wait(&self, scope: ScopeId, blocks: usize) -> bool {
        blocks <= self.thresholds[scope].blocks() as usize
    }

    /// Whether one partially used block more would be beyond the threshold.
    fn is_full(&self, scope: ScopeId) -> bool {
        !self.may_wait(scope, self.waiting[scope].len() + 1)
    }

    fn stop_waiting(&mut self, scope: ScopeId, block: BlockId) {
        self.waiting[scope].retain(|&other| other != block);
    }

    /// Begins the second round of a block.
    fn reuse(&mut self, state: &DriveState, scope: ScopeId, due: Due) -> BlockId {
        let block = due.block;
        self.stop_waiting(scope, block);
        let record = &mut self.records[block];
        assert_eq!(record.stage, Stage::PartiallyUsed, "block {block}");
        *record = Record::begin(Stage::Second);
        self.figures.valid_at_reuse += u64::from(state.blocks[block].valid);
        match due.is_empty {
            true => self.figures.empty += 1,
            false => self.figures.beyond_threshold += 1,
        }
        block
    }

    /// Whether what is moved finds a place among hot data without another erased block for half of
    /// its pages.
    fn takes_moves(&self, state: &DriveState, write: &Write<'_>) -> bool {
        let point = state.point_of(write.scope, write.stream);
        state.points[point].room() > 0 || self.due(state, write.scope).is_some()
    }

    /// Where hot data goes: to its block, or to a cold one.
    #[inline(never)]
    fn place_hot(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        let is_kept_out = write.cause != Cause::Host && !self.takes_moves(state, write);
        match is_kept_out || self.is_diverted(write) {
            true => Place::Stream(self.cold),
            false => Place::Stream(write.stream),
        }
    }

    /// Whether a hot unit belongs to data whose encoding has failed.
    fn is_diverted(&mut self, write: &Write<'_>) -> bool {
        let left = &mut self.diverted[write.scope][write.stream.index()];
        let is_diverted = *left > 0;
        *left -= u32::from(is_diverted);
        self.figures.diverted += u64::from(is_diverted);
        is_diverted
    }

    /// How an erased block takes hot data.
    fn first_of(&mut self, state: &DriveState, block: BlockId) -> Stage {
        let cycles = state.blocks[block].erases - self.strain.added(block);
        let is_safe = u64::from(cycles) < self.safe_pec;
        self.figures.unsafe_blocks += u64::from(!is_safe);
        let may_wait = self.config.reuse_when == ReuseWhen::Scarce
            || !self.is_full(Self::scope_of(state, block));
        self.figures.page_by_page += u64::from(is_safe && !may_wait);
        self.figures.first_rounds += u64::from(is_safe && may_wait);
        let is_old = is_safe && may_wait && cycles >= SAFE_CYCLES;
        self.figures.old_rounds += u64::from(is_old && !self.endurance_key.is_empty());
        if is_safe && may_wait { Stage::First } else { Stage::Regular }
    }

    /// Before a block is opened for hot data: the threshold follows the cheapest victim of the moment.
    fn compare_cheapest(&mut self, state: &DriveState, scope: ScopeId, plane: PlaneId) {
        let domain = state.layout.domain_of(plane);
        let has_empty = self.due(state, scope).is_some_and(|due| due.is_empty);
        if self.config.updated != Updated::Opening || has_empty {
            return;
        }
        if let Some(cost) = state.cheapest_cost(domain) {
            self.thresholds[scope].compare(cost);
        }
    }
}

impl Technique for LlhFtl {
    fn profile(&self) -> Profile {
        let all = self.layout.units_of_data() + self.layout.lists * self.layout.units_per_page;
        Profile {
            group: self.given,
            capacity_share: f64::from(self.layout.units_of_data()) / f64::from(all),
            ..Profile::of(&[Hook::Placement, Hook::ReadPlan, Hook::ErasePlan])
        }
    }

    fn metrics(&self, state: &DriveState, _: &Counters) -> Map<String, Value> {
        let told = (&self.second, &self.layout);
        let scopes = state.layout.fillings[self.given.unwrap_or(0)].scopes;
        self.figures.report(&self.records, self.thresholds.of(scopes), told)
    }

    fn warnings(&self, _: &DriveState) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        warnings.extend(self.figures.warnings());
        if self.figures.old_rounds > 0 {
            warnings.push(format!(
                "technique llh_ftl: {} is 0, so that {} blocks were reused after {SAFE_CYCLES} cycles, up to which reuse is safe on all chips of Margaglia et al. (2016): set it to the chip's life",
                self.endurance_key, self.figures.old_rounds
            ));
        }
        if self.figures.surrendered > 0 {
            warnings.push(format!(
                "technique llh_ftl: garbage collection had nothing else to reclaim and erased {} partially used blocks: the drive has too little spare space for reuse",
                self.figures.surrendered
            ));
        }
        warnings
    }

    fn rounds(&mut self) -> Option<&mut dyn Rounds> {
        Some(self)
    }
}

impl Cells for LlhFtl {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        self.layout.rows = self.config.add_operations(table, flash, &self.second);
    }

    #[inline]
    fn read_plan(&self, _: &DriveState, at: &Located) -> PageRead {
        match self.encoded.get(at.block, at.place) {
            true => PageRead::of(self.layout.rows.encoded_read),
            false => PageRead::of(crate::nand::READ),
        }
    }

    /// A cycle with a reuse wears more than one without.
    fn cycles(&mut self, _: &DriveState, block: BlockId, cycles: u32) -> u32 {
        match self.records[block].stage {
            Stage::Reused => self.strain.of_reused(block, cycles),
            _ => cycles,
        }
    }
}

impl Observer for LlhFtl {
    fn begin(&mut self, _: &DriveState, phase: Phase) {
        self.figures = Figures::default();
        if phase == Phase::Run {
            self.strain.begin();
        }
    }

    // Blocks that a fill has set are not its own.
    fn preset(&mut self, _: &DriveState, _: BlockId) {}

    fn written(
        &mut self,
        _: &DriveState,
        &Located { block, place, .. }: &Located,
        _: Cause,
        _: u64,
    ) {
        if self.records[block].stage == Stage::Second && self.layout.is_low(place) {
            self.figures.reprograms += u64::from(place.is_multiple_of(self.layout.units_per_page));
            self.encoded.set(block, place);
        }
    }

    fn read(&mut self, _: &DriveState, at: &Located, _: u64) {
        if self.records[at.block].stage != Stage::Other {
            self.figures.hot_reads[usize::from(!self.layout.is_low(at.place))] += 1;
        }
    }

    fn chosen(&mut self, state: &DriveState, block: BlockId, cause: Cause) {
        let scope = Self::scope_of(state, block);
        if cause != Cause::Gc {
            self.stop_waiting(scope, block);
            return;
        }
        let threshold = &mut self.thresholds[scope];
        let valid = state.blocks[block].valid;
        if self.config.updated == Updated::Collection {
            threshold.compare(valid);
        }
        threshold.note(valid);
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        debug_assert!(!self.waiting[Self::scope_of(state, block)].contains(&block));
        self.records[block] = Record::default();
        self.encoded.clear_block(block);
    }
}
