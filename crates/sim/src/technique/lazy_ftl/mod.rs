//! lazyFTL: TLC word lines whose program is split into two stages (Kim and Kim, Electronics 12(4):843,
//! 2023). The first stage is fast, and retains data for a day, a week or a month; the second one makes it
//! last, in place, shortly before that time is over, and never where the data died before.
//!
//! Blocks that are written in the first stage wait in lists, by write mode and first write. Idle dies secure
//! them within a window before their deadline. A die whose second stages can wait no longer carries them
//! out whatever else it has to do, the earliest deadline first; where it could not carry out all of
//! them in time, its blocks open in the secured mode, that of the conventional drive.

mod agenda;
mod entry;
mod figures;
mod hooks;
mod lists;
mod mode;
mod modes;
mod outage;
mod promise;
mod secure;
mod selector;
mod stages;
#[cfg(test)]
mod tests;

pub use entry::{
    Deadlines, ENTRY, LazyFtlConfig, Length, LengthOf, Moves, SecondStage, Secures, Thresholds,
    Writes, Written,
};
pub use hooks::{Outage, Promises};
pub use mode::{MODES, WriteMode};

use super::die_group::DieGroup;
use super::superblocks::View as DriveView;
use super::{
    Cells, Data, Hook, Observer, Open, PageRead, Phase, Place, Placement, Profile, Technique,
    Write, erase,
};
use crate::drive::{DriveState, Shape};
use crate::error::Error;
use crate::ids::{BlockId, ById, DieId, DomainId, Id, Ids, PlaneId, PointId, StreamId, Unit};
use crate::metrics::{Counters, Gauge};
use crate::nand::command::Cause;
use crate::nand::{Flash, Geometry, Located, OpTable, READ};
use crate::policy::hotness;
use crate::schema::Config;
use agenda::Agenda;
use figures::Figures;
use lists::{Entry as Waiting, Lists};
use modes::Rows;
use secure::Costs;
use selector::{Selector, View};
use serde_json::{Map, Value};
use stages::Stages;
use std::ops::Range;

/// The secured mode, among the blocks opened.
const SECURED: usize = MODES;

/// The technique.
pub struct LazyFtl {
    config: LazyFtlConfig,
    /// The group that it is given.
    given: Option<usize>,
    rows: Rows,
    dies: Ids<DieId>,
    /// Pages of a word line.
    pages: u32,
    units_per_line: u32,
    lines_per_block: u32,
    /// Host temperatures that may be written in a first stage: the streams below.
    lazy_streams: u32,
    /// Errors per KiB of the margin that erases spend.
    errors_spent: f64,
    margin_ns: u64,
    /// Word lines of a row of a superblock, and the dies over which they go; of other blocks one.
    row_lines: u32,
    row_dies: u32,
    /// Time that a die needs for the second stages of a word line of each plane that works with others,
    /// with their reads, while every other die of its channel does the same.
    line_ns: u64,
    /// Such a time, so long that it is no more than the due share of the die's time; of the dies of a superblock
    /// together.
    shared_line_ns: u64,
    /// What a die takes for second stages and for moves.
    costs: Costs,
    lists: Lists,
    /// After which first stage, and since when at the earliest, word lines of each block have their second one.
    secured: ById<BlockId, Option<(WriteMode, u64)>>,
    agenda: Agenda,
    selector: Selector,
    /// Blocks opened when the selector last looked.
    looked_at: u64,
    /// What each die has before it, as the last write saw that had to open a block there.
    backlog_ns: ById<DieId, u64>,
    /// P/E cycles of each domain's most worn block.
    most_pec: ById<DomainId, u32>,
    under_way: Stages,
    /// The unit that was to be moved last.
    moved: Unit,
    /// The first promise that was not kept.
    broken: Option<String>,
    now_ns: u64,
    /// False during preconditioning, which is secured.
    has_begun: bool,
    figures: Figures,
}

impl LazyFtl {
    /// The technique for the drive of `config`.
    ///
    /// # Errors
    /// A drive on which it does not work, with what to change.
    pub fn new(own: LazyFtlConfig, config: &Config) -> Result<Self, Error> {
        Self::for_drive(own, &DriveView::of(config)?)
    }

    /// The technique for the drive that the FTL sees.
    fn for_drive(own: LazyFtlConfig, drive: &DriveView<'_>) -> Result<Self, Error> {
        let config = &*drive.config;
        let geometry = Geometry::new(config)?;
        let die_group = DieGroup::of("lazy_ftl", &own.group, config, &geometry)?;
        entry::check_drive(&own, config, &die_group)?;
        let group = die_group.group;
        let pages = group.bits;
        let lines_per_block = group.pages_per_block / pages;
        let (row_lines, row_dies) = drive.row(die_group.index);
        let line_ns = own.line_ns(&die_group, drive.of_flash)?;
        let shared_line_ns = (line_ns as f64 * (1.0 + 1.0 / own.due_share)) as u64;
        let shared_line_ns = shared_line_ns.div_ceil(row_dies.into());
        let errors_spent = erase::build(config)?.errors_spent(die_group.index);
        entry::check_promises(&own, shared_line_ns * u64::from(lines_per_block), errors_spent)?;
        let logical_units = group.units() as f64 / (1.0 + config.drive.over_provisioning);
        let dies = group.dies;
        Ok(Self {
            given: die_group.given(),
            rows: Rows::default(),
            dies,
            pages,
            units_per_line: pages * group.units_per_page,
            lines_per_block,
            lazy_streams: match own.writes {
                Writes::All => u32::MAX,
                Writes::Hot => hotness::temperatures(&config.ftl.hotness) - 1,
            },
            errors_spent,
            margin_ns: (own.margin_s * 1e9) as u64,
            row_lines,
            row_dies,
            line_ns,
            shared_line_ns,
            costs: Costs::new(&own, &die_group)?,
            lists: Lists::new(group.blocks.end().number(), dies.end().number()),
            secured: ById::filled(None, group.blocks.end().number()),
            agenda: Agenda::new(dies.end().number()),
            selector: Selector::new(&own, group, logical_units as u64),
            looked_at: 0,
            backlog_ns: ById::filled(0, dies.end().number()),
            // A domain has a plane at least.
            most_pec: ById::filled(0, group.planes.end().number()),
            under_way: Stages::default(),
            moved: Unit::NONE,
            broken: None,
            now_ns: 0,
            has_begun: false,
            figures: Figures::default(),
            config: own,
        })
    }

    /// True for a stream whose blocks may be written in a first stage.
    fn is_lazy(&self, state: &DriveState, stream: StreamId) -> bool {
        let layout = &state.layout;
        let is_moved =
            layout.separate && (stream == layout.gc_stream || stream == layout.wear_stream);
        let is_own = stream <= layout.gc_stream.min(StreamId(self.lazy_streams - 1)) && !is_moved;
        self.has_begun && (is_own || self.config.moves == Moves::Lazy && is_moved)
    }

    /// The time for which first stages hold that are written from now on, on a block with so many P/E cycles.
    fn held_ns(&self, mode: WriteMode, pec: u32) -> Range<u64> {
        let retention_ns = self.config.retention_ns(mode, self.errors_spent, pec);
        self.now_ns..self.now_ns.saturating_add(retention_ns)
    }

    /// The time for which first stages hold on the blocks of an entry.
    fn held_in_ns(&self, state: &DriveState, entry: &Waiting) -> Range<u64> {
        let pecs = self.lists.members(entry.block).map(|block| state.blocks[block].erases);
        self.held_ns(entry.mode, pecs.max().unwrap_or(0))
    }

    /// Word lines of a block that were programmed.
    fn programmed_lines(&self, state: &DriveState, block: BlockId) -> u32 {
        state.blocks[block].next / self.units_per_line
    }

    /// Whether a word line of a block holds valid data.
    fn holds_data(&self, state: &DriveState, block: BlockId, line: u32) -> bool {
        let place = line * self.units_per_line;
        state.valid.next(block, place).is_some_and(|next| next < place + self.units_per_line)
    }

    fn die_of(&self, state: &DriveState, block: BlockId) -> DieId {
        state.geometry.die_of(state.geometry.plane_of(block))
    }

    /// The selector looks once for every block that is opened. It takes a faster mode only if the die of the next
    /// block could well secure in time what it wrote of late in that mode.
    fn select(&mut self, state: &DriveState, plane: PlaneId) {
        let opened = self.figures.opened.iter().sum();
        if opened == self.looked_at {
            return;
        }
        self.looked_at = opened;
        let view = View { dies: self.dies, now_ns: self.now_ns };
        let Some(switch) = self.selector.look(state, &self.lists, view) else { return };
        let is_faster = switch.mode < self.selector.mode();
        if !is_faster || self.could_have_promised(state, plane, switch.mode) {
            self.selector.switch(switch);
        }
    }

    /// A word line of a block got its first data; of blocks that are filled side by side, the first tells of all.
    #[inline(never)]
    fn begun(&mut self, state: &DriveState, at: &Located, now_ns: u64) {
        let &Located { block, place, .. } = at;
        let point = state.blocks[block].point();
        if state.points[point].first_lane().block != block {
            return;
        }
        if place == 0 {
            self.opened(state, block, point, now_ns);
        }
        if self.lists.waits(block) {
            let lanes = state.points[point].lanes().len();
            debug_assert_eq!(lanes, self.lists.members(block).count(), "open blocks stay together");
            self.figures.first_stages += lanes as u64;
        }
    }

    /// A block got its first data: how it is written says its shape.
    fn opened(&mut self, state: &DriveState, block: BlockId, point: PointId, now_ns: u64) {
        let point_of_block = &state.points[point];
        let (lanes, row) = (point_of_block.lanes(), point_of_block.shape().row);
        let count = lanes.len() as u64;
        let Some(mode) = self.rows.mode_of(row) else {
            if self.is_lazy(state, state.blocks[block].stream()) {
                self.figures.opened[SECURED] += count;
            }
            return;
        };
        self.figures.opened[mode as usize] += count;
        let die = self.die_of(state, block);
        let pecs = lanes.iter().map(|lane| state.blocks[lane.block].erases);
        let retention_ns =
            self.config.retention_ns(mode, self.errors_spent, pecs.max().unwrap_or(0));
        self.lists.open(die, lanes, mode, now_ns..now_ns.saturating_add(retention_ns));
        self.plan(state, die);
        self.agenda.look_by(die, now_ns + 1);
    }
}

impl Technique for LazyFtl {
    fn profile(&self) -> Profile {
        // Dies are looked at one by one, each at its time: idle moments are of no use.
        let hooks = &[Hook::Placement, Hook::ReadPlan, Hook::Promises];
        Profile { group: self.given, ..Profile::of(hooks) }
    }

    fn metrics(&self, state: &DriveState, _: &Counters) -> Map<String, Value> {
        self.report(state)
    }

    fn gauges(&self, state: &DriveState) -> Vec<Gauge> {
        vec![("lazy_ftl_waiting", self.waiting(state) as f64)]
    }

    fn warnings(&self, state: &DriveState) -> Vec<String> {
        self.tell(state)
    }

    fn promises(&self) -> Option<&dyn Promises> {
        Some(self)
    }

    fn promises_mut(&mut self) -> Option<&mut dyn Promises> {
        Some(self)
    }
}

impl Placement for LazyFtl {
    /// It looks at what has to open a block alone.
    fn settles(&self, _: StreamId, _: Cause) -> bool {
        true
    }

    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        self.now_ns = write.now_ns;
        let die = state.geometry.die_of(state.layout.planes_of_scope(write.scope).first());
        self.backlog_ns[die] = state.backlog_ns(write.load, die);
        Place::Stream(write.stream)
    }

    fn open(&mut self, state: &DriveState, stream: StreamId, plane: PlaneId) -> Open {
        if !self.is_lazy(state, stream) {
            return Open::Erased(None);
        }
        self.select(state, plane);
        let mode = self.selector.mode();
        if !self.may_promise(state, plane, mode) {
            return Open::Erased(None);
        }
        let filling = state.layout.of_scope(state.layout.scope_of(plane));
        Open::Erased(Some(Shape { row: self.rows.first[mode as usize], ..filling.shape }))
    }
}

impl Cells for LazyFtl {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        self.rows = self.config.add_operations(table, flash);
    }

    /// Either stage is read as the conventional drive's programs are, and has the errors of its mode, which grow
    /// from its own program on. A second stage has fewer than a conventional program, because it comes when the
    /// early loss of charge is over.
    fn read_plan(&self, _: &DriveState, at: &Located) -> PageRead {
        let line = at.place / self.units_per_line;
        let data = match self.lists.entry_of(at.block) {
            Some(entry) if line >= entry.done => {
                Some(Data { mode: entry.mode.name(), since_ns: Some(entry.since_ns) })
            }
            _ => self.secured[at.block].map(|(mode, since_ns)| Data {
                mode: mode.secured_name(),
                since_ns: Some(since_ns),
            }),
        };
        PageRead { data, ..PageRead::of(READ) }
    }
}

impl Observer for LazyFtl {
    fn begin(&mut self, state: &DriveState, phase: Phase) {
        match phase {
            Phase::Drive(_) => {}
            Phase::Run => {
                self.has_begun = true;
                for block in state.geometry.groups[self.given.unwrap_or(0)].blocks {
                    self.note_wear(state, block);
                }
            }
            Phase::Measured => {
                // What the selector has yet to look at stays so.
                let opened: u64 = self.figures.opened.iter().sum();
                self.looked_at = self.looked_at.wrapping_sub(opened);
                self.figures = Figures::default();
            }
        }
    }

    /// A fill is secured.
    fn preset(&mut self, _: &DriveState, _: BlockId) {}

    fn read(&mut self, _: &DriveState, at: &Located, now_ns: u64) {
        self.now_ns = now_ns;
        self.note_read(at.block, at.place / self.units_per_line);
    }

    fn written(&mut self, state: &DriveState, at: &Located, cause: Cause, now_ns: u64) {
        self.now_ns = now_ns;
        self.figures.host_units += u64::from(cause == Cause::Host);
        self.figures.gc_units += u64::from(cause == Cause::Gc);
        if at.place.is_multiple_of(self.units_per_line) {
            self.begun(state, at, now_ns);
        }
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        self.note_wear(state, block);
        self.secured[block] = None;
        if self.lists.waits(block) {
            let die = self.die_of(state, block);
            self.figures.dropped += u64::from(self.lines_per_block - self.lists.done(block));
            self.lists.erase(die, block);
            self.agenda.is_stale(die);
        }
    }
}
