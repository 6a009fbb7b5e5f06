//! ReSSD: TLC blocks that hold two bits in a cell, each word line of which is reprogrammed up to twice
//! once one of its pages is no longer valid (Gao et al., ACM TOS 18(1):9, 2022).
//!
//! Updates of the host that return soon fill reprogrammable blocks, a super layer at a time: first every
//! word line with two pages, then one page at a time by reprograms. A block whose word lines hold
//! nothing but valid data is a *candidate*: it waits until updates make some of it invalid, or what is
//! valid is moved to normal blocks along with data of the host or in idle time ("fully invalidated").

mod entry;
mod errors;
mod figures;
mod hooks;
mod moved;
mod placement;
mod planes;
pub mod recovery;
mod spent;
mod super_layer;
mod word_line;

pub use entry::{Along, ENTRY, PowerLoss, ReSsdConfig, Reclaim, SpentBlock, ThirdPage};
#[cfg(feature = "fuzzing")]
pub use errors::read_table;
pub use figures::metadata_bytes;
pub use hooks::Refill;
pub use word_line::{MOST_REPROGRAMS, Status, WordLines};

use super::die_group::DieGroup;
use super::{Cells, Hook, Idle, Observer, Over, PageRead, Phase, Place, Profile, Technique, Write};
use crate::drive::{DriveState, Shape};
use crate::ids::{BlockId, Id, Ids, PlaneId, ScopeId, StreamId, Unit};
use crate::metrics::Counters;
use crate::nand::command::Cause;
use crate::nand::{BlockState, Flash, Load, Located, OpTable, READ};
use errors::ErrorRates;
use figures::Figures;
use moved::Moved;
use planes::{LevelId, Planes};
use serde_json::{Map, Value};
use spent::SpentBlocks;
use super_layer::{BlockStatus, Layers, Reprogrammable};
use word_line::PAGES;

/// What it answers, and the last of it only where the host waits for reclaims.
const HOOKS: &[Hook] =
    &[Hook::Placement, Hook::ReadPlan, Hook::Companion, Hook::Idle, Hook::Deaths, Hook::Clear];

/// Rows of its operations.
#[derive(Debug, Clone, Copy, Default)]
struct Rows {
    /// All pages of a word line, two bits in a cell.
    program: u8,
    /// One page of such a word line.
    reprogram: u8,
    /// One page, after copies of what it puts at risk.
    copied_reprogram: u8,
    read: u8,
}

/// The technique.
pub struct ReSsd {
    config: ReSsdConfig,
    /// The group that it is given.
    given: Option<usize>,
    rows: Rows,
    layers: Layers,
    /// After what time without a write the data of a block is cold.
    cold_after_ns: u64,
    /// Its streams: one for each temperature whose updates go to reprogrammable blocks, all but the
    /// coldest.
    streams: Ids<StreamId>,
    lines: WordLines,
    planes: Planes,
    spent: SpentBlocks,
    figures: Figures,
    errors: ErrorRates,
    moved: Moved,
}

impl ReSsd {
    fn with(
        config: ReSsdConfig,
        die_group: &DieGroup<'_>,
        layers: Layers,
        levels: u32,
        spent: usize,
        errors: ErrorRates,
    ) -> Self {
        let group = die_group.group;
        let may_wait = config.candidates as usize;
        Self {
            rows: Rows::default(),
            layers,
            cold_after_ns: 0,
            streams: Ids::all(levels),
            given: die_group.given(),
            lines: WordLines::new(die_group.first_unit, group.units(), layers.bits),
            planes: Planes::new(group, levels, may_wait),
            spent: SpentBlocks::new(group.planes.end().number(), spent),
            figures: Figures::default(),
            moved: Moved::new(config.ecc_bits as u32, die_group.chip().page_kib * 1024.0),
            errors,
            config,
        }
    }

    /// The stream of a write that belongs in a reprogrammable block: an update of the host that is not
    /// of the coldest temperature (Section 4.1).
    fn stream_of(&self, state: &DriveState, write: &Write) -> Option<StreamId> {
        let is_update = write.cause == Cause::Host && state.is_mapped(write.lpn);
        let temperature = write.stream.number();
        let is_hot = temperature < self.streams.count();
        (is_update && is_hot).then(|| self.streams.at(temperature))
    }

    /// Where data goes that is not for a reprogrammable block: what leaves one is cold.
    fn to_normal(&self, state: &DriveState, stream: StreamId) -> Place {
        Place::Stream(if self.streams.contains(stream) { state.layout.gc_stream } else { stream })
    }

    /// What the active block of a level allows, after one that allows nothing has made way for another;
    /// `None`: a block would have to be opened.
    fn stand(&mut self, level: LevelId) -> Option<BlockStatus> {
        loop {
            let Some(active) = self.planes.active(level) else {
                let next = self.planes.switch_back(level, &self.layers, &self.lines)?;
                self.figures.switched_back(next);
                continue;
            };
            match self.layers.stand(&self.lines, &active) {
                BlockStatus::Stuck => {
                    self.planes.suspend(level, self.config.reclaim != Reclaim::NextHotWrite);
                    self.figures.suspended += 1;
                }
                BlockStatus::Spent => self.retire(&active),
                stand => return Some(stand),
            }
        }
    }

    /// The page of a write that replaces data of the active super layer, where nothing else of it can
    /// be written: it takes the place of what it makes invalid.
    fn stuck_place(&self, level: LevelId, old: Unit) -> Option<Unit> {
        let active = self.planes.active(level)?;
        if self.layers.stand(&self.lines, &active) != BlockStatus::Stuck
            || !self.layers.is_active(&active, old)
        {
            return None;
        }
        let (line, page) = self.lines.locate(old);
        let mut status = self.lines.get(line);
        status.invalidate(page);
        status.may_write(page).then_some(old)
    }

    /// Writes a page by a reprogram, after copies of what the word line holds where no capacitor would
    /// let it end: the other page while it is valid, and what the write itself replaces.
    fn reprogram(&mut self, unit: Unit) -> Place {
        let (line, _) = self.lines.locate(unit);
        let at_risk = self.lines.get(line).validity().count_ones();
        let copies = at_risk > 0 && self.config.power_loss == PowerLoss::Copies;
        if copies {
            self.figures.copied(at_risk);
        }
        let row = if copies { self.rows.copied_reprogram } else { self.rows.reprogram };
        Place::Unit(Over::new(unit, row))
    }

    /// Whether a block is, or was, a reprogrammable one since it was opened: no word line of others holds two bits.
    #[inline]
    fn is_own(&self, state: &DriveState, block: BlockId) -> bool {
        self.streams.contains(state.blocks[block].stream())
    }

    /// An erased block that was opened got its first data: it is the active one of a level of the plane whose write
    /// point opened it.
    fn begin_block(&mut self, state: &DriveState, block: BlockId) -> LevelId {
        let entry = &state.blocks[block];
        let plane = plane_of(state, state.layout.scope_of_point(entry.point()));
        let level = self.planes.level(plane, self.streams.place_of(entry.stream()));
        debug_assert!(
            self.planes.active(level).is_none(),
            "block {block} is opened beside another"
        );
        let first_page = state.geometry.first_unit(block);
        self.planes.open(level, self.layers.first_of(block, first_page));
        self.figures.opened += 1;
        level
    }

    /// Programs of word lines with two pages, for some layers.
    fn shape(&self, layers: std::ops::Range<u32>) -> Shape {
        let places = self.layers.places(layers);
        Shape {
            step: self.layers.bits,
            from: places.start,
            until: places.end,
            row: self.rows.program,
            ..Shape::dense(PAGES)
        }
    }

    /// Every word line of a block was reprogrammed twice: it is one for GC, once it is empty where that
    /// is asked for.
    fn retire(&mut self, spent: &Reprogrammable) {
        let plane = self.planes.plane_of(spent.block);
        self.planes.forget(spent.block);
        let from_ns = match self.config.spent {
            SpentBlock::Left => return,
            SpentBlock::Cooled => spent.written_ns.saturating_add(self.cold_after_ns),
            SpentBlock::Emptied => 0,
        };
        self.spent.add(plane, spent.block, from_ns);
    }

    /// Whether a program lacks more pages than the word line of a candidate's page has to move.
    fn waits_for_host(&self, unit: Unit, missing: u32) -> bool {
        let (line, _) = self.lines.locate(unit);
        let status = self.lines.get(line);
        !status.is_complete() && status.validity().count_ones() < missing
    }

    /// A page is moved away: where the code is reckoned with, it corrects what the page has of errors.
    fn correct(&mut self, state: &DriveState, unit: Unit) {
        if self.moved.is_reckoned() {
            let (block, _) = state.geometry.locate(unit);
            let (line, page) = self.lines.locate(unit);
            let pec = f64::from(state.blocks[block].erases);
            self.moved.add(&self.errors, self.lines.get(line), page, pec);
        }
    }

    /// The next page of a plane that is to be moved away: from a candidate, else from a block that is
    /// spent.
    fn next_move(&mut self, state: &DriveState, plane: PlaneId) -> Option<Unit> {
        while let Some(level) = self.planes.level_to_reclaim(plane, &self.layers, &self.lines) {
            let page = self.planes.next_page(level, &self.layers, &self.lines);
            if page.is_some() {
                return page;
            }
            self.figures.reclaimed += 1;
        }
        let page = self.spent.next_page(state, plane)?;
        self.figures.moved_of_spent += 1;
        Some(page)
    }
}

/// The plane of a write point: every plane has its own.
fn plane_of(state: &DriveState, scope: ScopeId) -> PlaneId {
    let planes = state.layout.planes_of_scope(scope);
    debug_assert_eq!(planes.count(), 1);
    planes.first()
}

impl Technique for ReSsd {
    fn profile(&self) -> Profile {
        // Only where the host waits for a reclaim is anything moved ahead of a write.
        let hooks = match self.config.reclaim {
            Reclaim::Blocking => HOOKS,
            _ => &HOOKS[..HOOKS.len() - 1],
        };
        Profile {
            group: self.given,
            streams: self.streams.count(),
            // A reprogram writes one page of a word line.
            programs_apart: true,
            ..Profile::of(hooks)
        }
    }

    fn idle(&mut self, state: &DriveState, _: &dyn Load, now_ns: u64) -> Idle {
        self.spent.advance(now_ns);
        while let Some(plane) = self.planes.any_to_reclaim().or_else(|| self.spent.any()) {
            if let Some(unit) = self.next_move(state, plane) {
                self.figures.moved_idle += 1;
                self.correct(state, unit);
                return Idle::Move(unit);
            }
        }
        Idle::Nothing
    }

    fn metrics(&self, state: &DriveState, counters: &Counters) -> Map<String, Value> {
        let left = self.planes.all().map(|block| self.layers.pages_left(block));
        let left = left.map(u64::from).sum();
        let mut report =
            self.figures.report((state, self.given.unwrap_or(0)), left, &self.planes, &self.lines);
        report.insert("bit_errors".into(), self.errors.report(state, &self.lines));
        if self.moved.is_reckoned() {
            report.insert("corrected".into(), self.moved.report());
        }
        let pages_per_block = self.layers.per_block * self.layers.pages;
        let amplification = self.figures.write_amplification(counters, pages_per_block);
        report.insert("write_amplification_with_third_pages".into(), amplification.into());
        report
    }

    fn warnings(&self, _: &DriveState) -> Vec<String> {
        self.config.warnings()
    }

    fn refill(&mut self) -> Option<&mut dyn Refill> {
        Some(self)
    }
}

impl Cells for ReSsd {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        self.rows = self.config.add_operations(table, flash);
    }

    #[inline]
    fn read_plan(&self, state: &DriveState, at: &Located) -> PageRead {
        // What is kept of a word line is seldom in the cache, where the block's record is.
        let holds_two_bits = self.is_own(state, at.block) && {
            let (line, _) = self.lines.locate(at.unit);
            self.lines.get(line).holds_two_bits()
        };
        PageRead::of(if holds_two_bits { self.rows.read } else { READ })
    }
}

impl Observer for ReSsd {
    fn begin(&mut self, _: &DriveState, phase: Phase) {
        match phase {
            Phase::Drive(first) => self.streams = Ids::new(first, self.streams.count()),
            Phase::Run | Phase::Measured => {
                self.figures = Figures::default();
                self.moved = self.moved.anew();
            }
        }
    }

    fn written(&mut self, state: &DriveState, at: &Located, cause: Cause, now_ns: u64) {
        let &Located { unit, block, .. } = at;
        let entry = &state.blocks[block];
        let is_own = self.is_own(state, block);
        self.figures.written(cause, is_own);
        if !is_own {
            return;
        }
        let (line, page) = self.lines.locate(unit);
        let status = self.lines.get_mut(line);
        if entry.state == BlockState::Kept {
            self.figures.reprogrammed(*status);
            status.reprogram(page);
        } else if !status.holds_two_bits() {
            *status = Status::programmed();
            self.figures.word_lines += 1;
            self.planes.count_two_bit_line(state.geometry.plane_of(block));
        }
        status.validate(page);
        let level = self.planes.level_of(block).unwrap_or_else(|| self.begin_block(state, block));
        self.planes.written(level, now_ns);
    }

    #[inline]
    fn invalidated(&mut self, state: &DriveState, at: &Located) {
        if !self.is_own(state, at.block) {
            debug_assert!(!self.lines.get(self.lines.locate(at.unit).0).holds_two_bits());
            return;
        }
        let (line, page) = self.lines.locate(at.unit);
        let status = self.lines.get_mut(line);
        if status.holds_two_bits() {
            status.invalidate(page);
        }
    }

    /// A candidate that a duty empties takes no writes any more.
    fn chosen(&mut self, state: &DriveState, block: BlockId, _: Cause) {
        if self.is_own(state, block) {
            self.planes.forget(block);
        }
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        self.lines
            .erase(state.geometry.first_unit(block), state.geometry.of(block).units_per_block);
        self.spent.forget(self.planes.plane_of(block), block);
    }
}
