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
mod lists;
mod modes;
mod promise;
mod selector;

pub use entry::{ENTRY, LazyFtlConfig};
pub use modes::{MODES, WriteMode};

use super::{
    Apply, Background, Cells, Codec, Hook, Idle, Moment, Observer, Open, Place, Placement,
    Technique, Write,
};
use crate::drive::{DriveState, Shape};
use crate::engine::{Cause, Load};
use crate::error::Error;
use crate::ids::{ById, DieId, DomainId, Ids, PlaneId, PointId};
use crate::nand::{BlockState, Flash, Geometry, OpTable, Span};
use crate::schema::Config;
use agenda::Agenda;
use figures::Figures;
use lists::{Entry as Waiting, Lists};
use modes::Rows;
use rustc_hash::FxHashMap;
use selector::Selector;
use serde_json::{Map, Value};

/// Pages of a word line.
const PAGES: u32 = 3;
/// The secured mode, among the blocks opened.
const SECURED: usize = MODES;

/// A second stage that has not been told to be over.
#[derive(Debug, Clone, Copy)]
struct UnderWay {
    deadline_ns: u64,
    lines: u64,
}

/// What a step towards the next second stage came to.
enum Next {
    /// A second stage.
    Stage(Apply),
    /// Something else had to be cleared away first.
    Again,
    /// Nothing is to be done now.
    Nothing,
}

/// The technique.
pub struct LazyFtl {
    config: LazyFtlConfig,
    rows: Rows,
    dies: Ids<DieId>,
    units_per_line: u32,
    lines_per_block: u32,
    /// For how long the first stage of each mode holds.
    retention_ns: [u64; MODES],
    margin_ns: u64,
    /// Time that a die needs for the second stages of a word line of each plane that works with others,
    /// with their reads, while every other die of its channel does the same.
    line_ns: u64,
    /// The same, so long that it is no more than the due share of the die's time.
    shared_line_ns: u64,
    lists: Lists,
    agenda: Agenda,
    selector: Selector,
    /// Blocks opened when the selector last looked.
    looked_at: u64,
    /// What each die has before it, as the last write saw that had to open a block there.
    backlog_ns: ById<DieId, u64>,
    /// Domains that have a block with more wear than the modes are made for.
    is_worn: ById<DomainId, bool>,
    under_way: FxHashMap<u32, UnderWay>,
    next_ticket: u32,
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
        let geometry = Geometry::new(config)?;
        entry::check_drive(&own, config, &geometry)?;
        let group = &geometry.groups[0];
        let lines_per_block = group.pages_per_block / PAGES;
        let line_ns = own.line_ns(config, &geometry)?;
        let shared_line_ns = (line_ns as f64 * (1.0 + 1.0 / own.due_share)) as u64;
        entry::check_promises(&own, shared_line_ns * u64::from(lines_per_block))?;
        let logical_units = crate::drive::logical_units(config, &geometry);
        let dies = geometry.dies();
        Ok(Self {
            rows: Rows::default(),
            dies,
            units_per_line: PAGES * group.units_per_page,
            lines_per_block,
            retention_ns: WriteMode::ALL.map(|mode| own.retention_ns(mode)),
            margin_ns: (own.margin_s * 1e9) as u64,
            line_ns,
            shared_line_ns,
            lists: Lists::new(geometry.blocks(), dies.count()),
            agenda: Agenda::new(dies.count()),
            selector: Selector::new(&own, &geometry, logical_units.into()),
            looked_at: 0,
            backlog_ns: ById::filled(0, dies.count()),
            // A domain has a plane at least.
            is_worn: ById::filled(false, geometry.planes().count()),
            under_way: FxHashMap::default(),
            next_ticket: 0,
            now_ns: 0,
            has_begun: false,
            figures: Figures::default(),
            config: own,
        })
    }

    /// True for a stream whose blocks may be written in a first stage.
    fn is_lazy(&self, state: &DriveState, stream: u32) -> bool {
        let layout = &state.layout;
        let is_moved =
            layout.separate && (stream == layout.gc_stream || stream == layout.wear_stream);
        let is_own = stream <= layout.gc_stream && !is_moved;
        self.has_begun && (is_own || self.config.moves == "lazy" && is_moved)
    }

    /// When an entry's first stages hold no longer.
    fn deadline_ns(&self, entry: &Waiting) -> u64 {
        entry.since_ns + self.retention_ns[entry.mode as usize]
    }

    /// Word lines of a block that were programmed.
    fn programmed_lines(&self, state: &DriveState, block: u32) -> u32 {
        state.blocks[block as usize].next / self.units_per_line
    }

    /// True where a word line of a block holds valid data.
    fn holds_data(&self, state: &DriveState, block: u32, line: u32) -> bool {
        let place = line * self.units_per_line;
        state.valid.next(block, place).is_some_and(|next| next < place + self.units_per_line)
    }

    fn die_of(&self, state: &DriveState, block: u32) -> DieId {
        state.geometry.die_of(state.geometry.plane_of(block))
    }

    /// The selector looks once for every block that is opened.
    fn select(&mut self) {
        let opened = self.figures.opened.iter().sum();
        if opened != self.looked_at {
            self.looked_at = opened;
            self.selector.look(&self.lists, &self.retention_ns, self.dies, self.now_ns);
        }
    }

    /// A block got its first data: how it is written says its shape.
    fn opened(&mut self, state: &DriveState, block: u32, point: PointId, now_ns: u64) {
        let point_of_block = &state.points[point];
        let (lanes, row) = (point_of_block.lanes(), point_of_block.shape().row);
        let count = lanes.len() as u64;
        let Some(mode) = self.rows.mode_of(row) else {
            if self.is_lazy(state, u32::from(state.blocks[block as usize].stream)) {
                self.figures.opened[SECURED] += count;
            }
            return;
        };
        self.figures.opened[mode as usize] += count;
        let die = self.die_of(state, block);
        self.lists.open(die, lanes, mode, now_ns);
        self.plan(state, die);
        self.agenda.look_by(die, now_ns + 1);
    }

    /// One step towards the next second stage of a die. What is not due is secured within the window only.
    fn step(&mut self, state: &DriveState, die: DieId, urgent: bool) -> Next {
        let Some(entry) = self.first_due(die) else { return Next::Nothing };
        if !urgent && self.window_ns(&entry) > self.now_ns {
            return Next::Nothing;
        }
        let members: Vec<u32> = self.lists.members(entry.block).collect();
        let is_open = state.blocks[entry.block as usize].state == BlockState::Open;
        let is_dead = members.iter().all(|&block| state.blocks[block as usize].valid == 0);
        if is_dead && !is_open {
            let left = u64::from(self.lines_per_block - entry.done);
            self.figures.dropped += left * members.len() as u64;
            self.lists.remove(die, entry);
            self.agenda.is_stale(die);
        } else if entry.done < self.programmed_lines(state, entry.block) {
            return self.finish_line(state, die, entry, &members, urgent);
        } else if is_open && entry.since_ns == self.now_ns {
            return Next::Nothing;
        } else if is_open {
            // What waits in the merge buffer is not on the flash yet, and later data is younger still.
            self.lists.wait_again(die, entry, self.now_ns);
            self.plan(state, die);
        } else {
            self.lists.remove(die, entry);
        }
        Next::Again
    }

    /// The next word line of an entry is secured in the blocks where it holds valid data.
    fn finish_line(
        &mut self,
        state: &DriveState,
        die: DieId,
        entry: Waiting,
        members: &[u32],
        urgent: bool,
    ) -> Next {
        let line = entry.done;
        debug_assert!(line < self.lines_per_block);
        let span = |&block: &u32| Span { block, page: line * PAGES, pages: PAGES };
        let held = members.iter().filter(|&&block| self.holds_data(state, block, line));
        let spans: Vec<Span> = held.map(span).collect();
        members.iter().for_each(|&block| self.lists.finish_line(block));
        self.agenda.gain(die, self.shared_line_ns);
        let lines = spans.len() as u64;
        self.figures.dropped += members.len() as u64 - lines;
        if spans.is_empty() {
            return Next::Again;
        }
        match urgent {
            true => self.figures.due += lines,
            false => self.figures.idle += lines,
        }
        let ticket = self.next_ticket;
        self.next_ticket = ticket.wrapping_add(1);
        self.under_way.insert(ticket, UnderWay { deadline_ns: self.deadline_ns(&entry), lines });
        let row = self.rows.second[entry.mode as usize];
        Next::Stage(Apply { spans, row, urgent, ticket: Some(ticket) })
    }
}

impl Technique for LazyFtl {
    fn claims(&self) -> &[Hook] {
        &[Hook::Placement, Hook::Codec, Hook::Idle]
    }

    fn metrics(&self, state: &DriveState) -> Map<String, Value> {
        self.report(state)
    }

    fn warnings(&self) -> Vec<String> {
        self.tell()
    }
}

impl Placement for LazyFtl {
    fn places_fill(&self) -> bool {
        false
    }

    #[inline]
    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        self.now_ns = write.now_ns;
        let point = state.point_of(write.scope, write.stream);
        if state.points[point].room() == 0 {
            let die = state.geometry.die_of(state.layout.planes_of_scope(write.scope).first());
            self.backlog_ns[die] = write.load.backlog_ns(die);
        }
        Place::Stream(write.stream)
    }

    fn open(&mut self, state: &DriveState, stream: u32, plane: PlaneId) -> Open {
        if !self.is_lazy(state, stream) {
            return Open::Erased(None);
        }
        self.select();
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

    #[inline]
    fn codec(&self, _: &DriveState, _: u32, _: u8) -> Codec {
        // What a cell is programmed to follows from all pages of its word line, the invalid ones too.
        Codec { reads_before: PAGES }
    }
}

impl Background for LazyFtl {
    fn idle(&mut self, state: &DriveState, moment: Moment, load: &dyn Load, now_ns: u64) -> Idle {
        if moment == Moment::Idle {
            // Dies are looked at one by one, each at its time.
            return Idle::Nothing;
        }
        self.now_ns = now_ns;
        while let Some(die) = self.agenda.due(now_ns) {
            if let Some(apply) = self.look(state, die, load.backlog_ns(die)) {
                return Idle::Apply(apply);
            }
        }
        Idle::Nothing
    }

    fn ended(&mut self, _: &DriveState, ticket: u32, end_ns: u64) {
        let known = self.under_way.remove(&ticket);
        debug_assert!(known.is_some(), "a second stage of the name {ticket} ends twice");
        if let Some(stage) = known.filter(|stage| end_ns > stage.deadline_ns) {
            self.figures.late += stage.lines;
        }
    }

    #[inline]
    fn due_ns(&self) -> u64 {
        self.agenda.next_ns()
    }
}

impl Observer for LazyFtl {
    fn count_anew(&mut self) {
        // What the selector has yet to look at stays so.
        let opened: u64 = self.figures.opened.iter().sum();
        self.looked_at = self.looked_at.wrapping_sub(opened);
        self.figures = Figures::default();
    }

    fn begin(&mut self, state: &DriveState) {
        self.has_begun = true;
        for block in 0..state.geometry.blocks() {
            self.note_wear(state, block);
        }
    }

    /// A fill is secured.
    fn preset(&mut self, _: &DriveState, _: u32) {}

    fn written(&mut self, state: &DriveState, unit: u32, _: Cause, now_ns: u64) {
        let (block, place) = state.geometry.locate(unit);
        if place % self.units_per_line != 0 {
            return;
        }
        let point = PointId(state.blocks[block as usize].before);
        if state.points[point].lanes()[0].block != block {
            return;
        }
        if place == 0 {
            self.opened(state, block, point, now_ns);
        }
        if self.lists.waits(block) {
            self.figures.first_stages += self.lists.members(block).count() as u64;
        }
    }

    fn erased(&mut self, state: &DriveState, block: u32) {
        self.note_wear(state, block);
        if self.lists.waits(block) {
            let die = self.die_of(state, block);
            self.figures.dropped += u64::from(self.lines_per_block - self.lists.done(block));
            self.lists.erase(die, block);
            self.agenda.is_stale(die);
        }
    }
}
