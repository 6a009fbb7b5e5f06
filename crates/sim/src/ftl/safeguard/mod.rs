//! What the translation layer of a drive without capacitor does so that a power cut takes nothing that was
//! flushed: it fills word lines up before it counts on them, lets erases wait for what superseded the
//! block's data, copies what a program in place puts at risk, and writes down what was trimmed.
//!
//! None of it is there where `power.protection` is `"capacitor"`.

mod copies;
mod durable;
mod metadata;
mod spare;
mod trims;

use super::Io;
use crate::drive::{DriveState, WritePoint};
use crate::engine::Scheduler;
use crate::ftl::{Allocator, Eraser, Writer};
use crate::ids::{BlockId, ById, Lpn, PointId, Unit};
use crate::nand::{BlockState, Geometry};
use crate::schema::{Config, PowerConfig};
use crate::technique::Hooks;
use copies::CopySpace;
use metadata::Metadata;
pub(super) use metadata::Site;
use spare::Spares;
use trims::Trims;
pub(super) use trims::trim_units;
pub use trims::{trim_pages, units_per_trim_page};

/// The word line that a write point is filling.
#[derive(Debug, Default)]
struct OpenLine {
    /// True while a program is still to come that can damage what the word line holds.
    is_open: bool,
    /// Whether new data of the host is in it.
    holds_host: bool,
    /// Whether data is in it that is to be durable at once.
    holds_fua: bool,
    /// Where the write point began it.
    from: u32,
    /// The units whose data is superseded by what is in it.
    superseded: Vec<Unit>,
}

/// What a drive without capacitor keeps in mind.
#[derive(Debug)]
pub(super) struct Safeguard<J> {
    rules: PowerConfig,
    lines: ById<PointId, OpenLine>,
    /// By block, the ends of the programs that superseded its data.
    erase_after: ById<BlockId, J>,
    /// The ends of all programs that may not be over.
    programs: J,
    /// While a write is taken that is to be durable at once: the ends of its programs.
    fua: Option<J>,
    /// Programs added to that since it was last cleared of those that are over.
    added: usize,
    /// Programs that were not over then.
    kept: usize,
    copies: CopySpace<J>,
    spares: Spares<J>,
    metadata: Option<Metadata<J>>,
    trims: Trims,
    /// False while the drive is preconditioned: nobody counts on its data yet.
    has_begun: bool,
    /// What it had no room for, if anything.
    lacked_room_for: Option<&'static str>,
}

/// Programs after which those that are over are forgotten, or as many as were kept then: a drive that cannot keep up
/// has any number.
const FORGET_EVERY: usize = 64;

impl<J: Default> Safeguard<J> {
    /// What `config` asks for; `None`: a capacitor does it.
    pub fn of(
        config: &Config,
        state: &DriveState,
        first_trim_page: Lpn,
        site: Option<Site>,
    ) -> Option<Self> {
        (!config.power.protection.bears_all()).then(|| Self {
            rules: config.power.clone(),
            lines: state.points.ids().into_iter().map(|_| OpenLine::default()).collect(),
            erase_after: joins(state),
            programs: J::default(),
            fua: None,
            added: 0,
            kept: 0,
            copies: CopySpace::new(state),
            spares: Spares::new(state),
            metadata: site.map(|site| Metadata::new(site, state)),
            trims: Trims::new(first_trim_page),
            has_begun: false,
            lacked_room_for: None,
        })
    }

    /// Hands the safeguard to another scheduler, when nothing is under way.
    pub fn under<J2: Default>(self, state: &DriveState) -> Safeguard<J2> {
        Safeguard {
            rules: self.rules,
            lines: self.lines,
            erase_after: joins(state),
            programs: J2::default(),
            fua: None,
            added: 0,
            kept: 0,
            copies: self.copies.under(),
            spares: Spares::new(state),
            metadata: self.metadata.map(|it| it.under(state)),
            trims: self.trims,
            has_begun: self.has_begun,
            lacked_room_for: self.lacked_room_for,
        }
    }

    /// Whether a restart takes no block for erased that only reads so.
    pub fn erases_again(&self) -> bool {
        self.rules.erases_again
    }

    /// Somebody counts on the drive's data from now on.
    pub fn begin(&mut self) {
        self.has_begun = true;
    }

    /// Data of a unit was superseded by what joined the program of a write point.
    pub fn placed(&mut self, point: PointId, at: &WritePoint, old: Unit, by_host: bool) {
        let line = &mut self.lines[point];
        if !line.is_open {
            (line.is_open, line.from) = (true, at.place() + at.shape().offset);
        }
        let told = self.trims.told.take();
        line.holds_fua |= by_host && self.fua.is_some();
        line.holds_host |= by_host || told.is_some();
        line.superseded.extend(old.known().into_iter().chain(told.unwrap_or_default()));
    }

    /// Notes the end of a program.
    fn note_end<S: Scheduler<Join = J>>(&mut self, sched: &S, stamp: S::Stamp) {
        sched.join(&mut self.programs, stamp);
        self.added += 1;
        if self.added >= FORGET_EVERY.max(self.kept) {
            let mut live = J::default();
            self.kept = sched.merge(&mut live, &self.programs);
            (self.programs, self.added) = (live, 0);
        }
    }

    /// A program that superseded the data of a unit ends so.
    fn protect<S: Scheduler<Join = J>>(
        &mut self,
        sched: &S,
        geometry: &Geometry,
        old: Unit,
        stamp: S::Stamp,
    ) {
        sched.join(&mut self.erase_after[geometry.locate(old).0], stamp);
    }

    /// What superseded the data of a unit supersedes a copy of it as well.
    fn is_copied(&mut self, unit: Unit, copy: Unit) {
        let lists = self.lines.iter_mut().map(|line| &mut line.superseded);
        for list in lists.filter(|list| list.contains(&unit)) {
            list.push(copy);
        }
        let trimmed = self.trims.units.iter().find(|&&(of, _)| of == unit);
        self.trims
            .units
            .extend(trimmed.map(|&(_, lpn)| (copy, lpn)).into_iter().collect::<Vec<_>>());
    }

    /// Whether what superseded the data of a unit is in a word line that is still open.
    fn is_superseded_in_open_line(&self, unit: Unit) -> bool {
        self.trims.units.iter().any(|&(of, _)| of == unit)
            || self.lines.iter().any(|line| line.superseded.contains(&unit))
    }
}

fn joins<J: Default>(state: &DriveState) -> ById<BlockId, J> {
    state.geometry.blocks().into_iter().map(|_| J::default()).collect()
}

/// A program of a write point that was issued.
#[derive(Debug, Clone, Copy)]
pub(super) struct Issued {
    /// A block that it went to.
    pub block: BlockId,
    /// Where it began in the block.
    pub place: u32,
    /// Its units there.
    pub units: u32,
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    /// Without room for what keeps data the run ends.
    fn lack_room_for(&mut self, what: &'static str) {
        self.read_only = true;
        if let Some(safeguard) = &mut self.safeguard {
            safeguard.lacked_room_for.get_or_insert(what);
        }
    }

    /// What the drive had no room for that keeps data through a power cut.
    pub(super) fn lacked_room_for(&self) -> Option<&'static str> {
        self.safeguard.as_ref().and_then(|safeguard| safeguard.lacked_room_for)
    }

    /// A program of a write point was issued: a word line that gets no other one is complete.
    pub(super) fn after_program(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        issued: Issued,
        stamp: S::Stamp,
    ) {
        let Some(safeguard) = &mut self.safeguard else { return };
        safeguard.note_end(&io.sched, stamp);
        if let Some(ends) = safeguard.fua.as_mut().filter(|_| safeguard.lines[point].holds_fua) {
            io.sched.join(ends, stamp);
        }
        let state = &self.backend.state;
        if !is_complete(state, point, issued) {
            return;
        }
        let geometry = &state.geometry;
        let mut superseded = std::mem::take(&mut safeguard.lines[point].superseded);
        for old in superseded.drain(..) {
            safeguard.protect(&io.sched, geometry, old, stamp);
        }
        safeguard.lines[point] = OpenLine { superseded, ..OpenLine::default() };
    }

    /// A program over a unit of the past was issued, which superseded the data of `old`.
    pub(super) fn after_program_over(&mut self, io: &Io<S>, old: Unit, stamp: S::Stamp) {
        let Some(safeguard) = &mut self.safeguard else { return };
        safeguard.note_end(&io.sched, stamp);
        if let Some(ends) = &mut safeguard.fua {
            io.sched.join(ends, stamp);
        }
        if let Some(old) = old.known() {
            safeguard.protect(&io.sched, &self.backend.state.geometry, old, stamp);
        }
    }

    /// Where a write point began the word line that it fills; the place of its program, where nothing was put
    /// there.
    pub(super) fn line_from(&self, point: PointId, place: u32) -> u32 {
        let line = self.safeguard.as_ref().map(|it| &it.lines[point]);
        line.filter(|line| line.is_open).map_or(place, |line| line.from)
    }

    /// Blocks were erased by a command that ends so.
    pub(super) fn note_erase(&mut self, io: &Io<S>, blocks: &[BlockId], stamp: S::Stamp) {
        let Some(safeguard) = &mut self.safeguard else { return };
        let state = &self.backend.state;
        let is_free = |block: &BlockId| state.blocks[*block].state == BlockState::Free;
        let free = blocks.iter().copied().filter(is_free);
        safeguard.spares.erased((&io.sched, stamp), state, free);
        self.note_erase_for_checkpoint(io, stamp);
    }

    /// An erased block was taken to be programmed.
    pub(super) fn note_open(&mut self, io: &Io<S>, block: BlockId) {
        if let Some(safeguard) = &mut self.safeguard {
            safeguard.spares.opened(&io.sched, &self.backend.state, block);
        }
    }

    /// The write points of whose open word lines something holds.
    fn points_where(&self, holds: impl Fn(&Geometry, &OpenLine) -> bool) -> Vec<PointId> {
        let Some(safeguard) = &self.safeguard else { return Vec::new() };
        let lines = safeguard.lines.iter_with_ids();
        let geometry = &self.state.geometry;
        let open = lines.filter(|(_, line)| line.is_open && holds(geometry, line));
        open.map(|(point, _)| point).collect()
    }

    /// What an erase of blocks waits for.
    pub(super) fn erase_after(&mut self, io: &Io<S>, blocks: &[BlockId]) -> S::Join {
        let mut after = S::Join::default();
        let Some(safeguard) = &mut self.safeguard else { return after };
        for &block in blocks {
            let of_block = std::mem::take(&mut safeguard.erase_after[block]);
            if safeguard.rules.erase_waits {
                io.sched.merge(&mut after, &of_block);
            }
        }
        if !safeguard.rules.erase_waits {
            let geometry = &self.backend.state.geometry;
            let is_left = |unit: &Unit| !blocks.contains(&geometry.locate(*unit).0);
            safeguard.lines.iter_mut().for_each(|line| line.superseded.retain(is_left));
            safeguard.trims.units.retain(|(unit, _)| is_left(unit));
        }
        after
    }

    /// The first page that tells of trims, which may be none, and of how many logical units each does.
    pub fn trim_pages(&self) -> (Lpn, u32) {
        let none = Lpn(self.state.map.count());
        let first = self.safeguard.as_ref().map_or(none, |it| it.trims.first_page);
        (first, trims::units_per_trim_page(self.state.geometry.unit_bytes))
    }
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// What the drive holds at the start is counted on: word lines in which blocks of the start end are filled up.
    pub fn complete_first_lines(&mut self, io: &mut Io<S>) {
        if let Some(safeguard) = &mut self.safeguard {
            safeguard.begin();
        }
        for point in self.state.points.ids() {
            let at = &self.state.points[point];
            let Some(lane) = at.lanes().first().filter(|_| at.room() > 0 && !at.shape().asks)
            else {
                continue;
            };
            let group = self.state.geometry.of(lane.block);
            let page = group.page_of(at.place() + at.shape().offset);
            let is_begun = !page.is_multiple_of(group.bits);
            if let Some(safeguard) = &mut self.safeguard
                && is_begun
            {
                safeguard.lines[point].is_open = true;
                self.complete_line(io, point);
            }
        }
    }

    /// Fills up the word line of a write point.
    fn complete_line(&mut self, io: &mut Io<S>, point: PointId) {
        while self.safeguard.as_ref().is_some_and(|it| it.lines[point].is_open) {
            self.end_program(io, point);
        }
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// The blocks that wait to be erased hold data that was superseded: what did so gets onto the flash, and
    /// their erase waits for it.
    pub(super) fn secure_successors(&mut self, io: &mut Io<S>) {
        if self.safeguard.is_none() {
            return;
        }
        // To write down trims takes room, for which GC may have emptied further blocks.
        let mut secured = Vec::new();
        loop {
            let blocks: Vec<BlockId> = self.to_erase.iter().map(|&(block, _)| block).collect();
            if blocks.iter().all(|block| secured.contains(block)) {
                break;
            }
            self.secure(io, &blocks);
            secured = blocks;
        }
    }

    /// What superseded the data of blocks gets onto the flash.
    fn secure(&mut self, io: &mut Io<S>, blocks: &[BlockId]) {
        let Some(safeguard) = self.safeguard.as_ref().filter(|it| it.rules.erase_waits) else {
            return;
        };
        let geometry = &self.state.geometry;
        let is_of_them = |unit: &Unit| blocks.contains(&geometry.locate(*unit).0);
        if safeguard.trims.units.iter().any(|(unit, _)| is_of_them(unit)) {
            self.write_trims(io);
        }
        for point in self.points_where(|geometry, line| {
            line.superseded.iter().any(|&unit| blocks.contains(&geometry.locate(unit).0))
        }) {
            self.complete_line(io, point);
        }
    }
}

/// Whether no further program of a write point goes to the last word line of one that was issued.
fn is_complete(state: &DriveState, point: PointId, issued: Issued) -> bool {
    let at = &state.points[point];
    if at.room() == 0 {
        return true;
    }
    let group = state.geometry.of(issued.block);
    let last = group.page_of(issued.place) + group.pages_of(issued.units) - 1;
    let next = group.page_of(at.place() + at.shape().offset);
    next / group.bits != last / group.bits
}
