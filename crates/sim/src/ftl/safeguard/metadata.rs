//! Metadata for a quick restart: checkpoints of the map and a journal of the blocks that were programmed since, in an
//! area of its own. Its two halves take turns, so that a whole checkpoint is always there.

use super::Io;
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::tape::Other;
use crate::flash::taping::count_other;
use crate::flash::{Checkpoint, Found, Note, Record};
use crate::ftl::{Allocator, Eraser, Media};
use crate::ids::{BlockId, ById};
use crate::nand::command::{Cause, Data, Extent, Program};
use crate::nand::{BlockState, Geometry, Group, PROGRAM, Span};
use crate::schema::Config;
use crate::technique::Hooks;
use std::sync::Arc;

/// Bytes of an entry of the map, and of what is kept of a block.
const ENTRY_BYTES: (u64, u64) = (4, 8);
/// Records of blocks that a journal takes besides those after which a checkpoint is due: those that garbage
/// collection opens before it can be written, and those of restarts.
const SPARE_RECORDS: u32 = 64;

/// Where the area is, and what fits in it.
#[derive(Debug, Clone)]
pub struct Site {
    /// The blocks of each half.
    halves: [Vec<BlockId>; 2],
    /// Blocks that are programmed for the first time since a checkpoint, after which the next one is due.
    limit: u32,
    /// Pages of a checkpoint.
    pages: u32,
}

impl Site {
    /// The area of a drive: blocks of its first kind of flash that are not bad, one of each plane in turn.
    /// `None`: no metadata is kept, or there is no room for it.
    pub fn of(
        config: &Config,
        geometry: &Geometry,
        mapped: u64,
        is_bad: &ById<BlockId, bool>,
    ) -> Option<Self> {
        let share = config.power.checkpoint_share;
        if share == 0.0 || config.power.protection.bears_all() {
            return None;
        }
        let (group, blocks) = (&geometry.groups[0], geometry.blocks().count());
        let limit = ((f64::from(blocks) * share) as u32).max(1);
        let bytes = mapped * ENTRY_BYTES.0 + u64::from(blocks) * ENTRY_BYTES.1;
        let pages = bytes.div_ceil(u64::from(group.page_bytes)) as u32;
        let lines = pages.div_ceil(group.bits) + 1 + 2 * limit + SPARE_RECORDS;
        let per_half = match lines_of(group) {
            0 => return None,
            of_block => lines.div_ceil(of_block) as usize,
        };
        let good = |place: u32| {
            let of_planes = group.planes.iter();
            of_planes
                .filter_map(move |plane| geometry.blocks_of_plane(plane).iter().nth(place as usize))
        };
        let mut all = (0..group.blocks_per_plane).flat_map(good).filter(|&block| !is_bad[block]);
        let mut half = || all.by_ref().take(per_half).collect::<Vec<BlockId>>();
        let halves = [half(), half()];
        (halves[1].len() == per_half).then_some(Self { halves, limit, pages })
    }

    /// All blocks of the area.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.halves.iter().flatten().copied()
    }
}

/// Word lines of a block that may be filled.
fn lines_of(group: &Group) -> u32 {
    group.pages_per_block / group.bits
}

/// What is kept, and where the next of it goes.
#[derive(Debug)]
pub(super) struct Metadata<J> {
    site: Site,
    /// The number of the newest checkpoint; 0: there is none yet.
    number: u64,
    half: usize,
    /// The next word line of the half.
    line: u32,
    /// Whether each block is one that a restart looks at.
    listed: ById<BlockId, bool>,
    /// Blocks listed since the checkpoint.
    added: u32,
    /// The end of the record that lists a block.
    recorded: ById<BlockId, J>,
    /// The end of the newest anchor.
    anchored: J,
    /// The ends of the erases since.
    erased: J,
}

impl<J: Default> Metadata<J> {
    pub fn new(site: Site, state: &DriveState) -> Self {
        let blocks = state.geometry.blocks();
        Self {
            site,
            number: 0,
            half: 1,
            line: 0,
            listed: ById::filled(false, blocks.count()),
            added: 0,
            recorded: super::joins(state),
            anchored: J::default(),
            erased: J::default(),
        }
    }

    /// Hands the metadata to another scheduler, when nothing is under way.
    pub fn under<J2: Default>(self, state: &DriveState) -> Metadata<J2> {
        let Self { site, number, half, line, listed, added, .. } = self;
        let (recorded, anchored, erased) = (super::joins(state), J2::default(), J2::default());
        Metadata { site, number, half, line, listed, added, recorded, anchored, erased }
    }

    /// A checkpoint that a restart found is the newest.
    fn take_up(&mut self, found: &Found) {
        (self.number, self.half) = (found.checkpoint.number, found.half);
        self.listed.clone_from(&found.listed);
    }

    /// The blocks listed.
    fn listed(&self) -> Vec<BlockId> {
        self.listed.ids().into_iter().filter(|&block| self.listed[block]).collect()
    }

    /// The next word line of the half, which is taken; `None`: it is full.
    fn next_line(&mut self, group: &Group) -> Option<(BlockId, u32)> {
        let blocks = &self.site.halves[self.half];
        let (at, line) = (self.line as usize % blocks.len(), self.line / blocks.len() as u32);
        self.line += 1;
        (line < lines_of(group)).then(|| (blocks[at], line * group.bits))
    }
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    fn metadata(&mut self) -> Option<&mut Metadata<S::Join>> {
        self.safeguard.as_mut().and_then(|safeguard| safeguard.metadata.as_mut())
    }

    /// Whether a block belongs to the area for metadata.
    pub(in crate::ftl) fn is_of_metadata(&self, block: BlockId) -> bool {
        let metadata = self.safeguard.as_ref().and_then(|safeguard| safeguard.metadata.as_ref());
        metadata.is_some_and(|metadata| metadata.site.blocks().any(|own| own == block))
    }

    /// A restart goes on from a checkpoint.
    pub(in crate::ftl) fn take_up_metadata(&mut self, found: Option<&Found>) {
        if let (Some(metadata), Some(found)) = (self.metadata(), found) {
            metadata.take_up(found);
        }
        let Some(metadata) = self.metadata() else { return };
        for block in metadata.site.blocks().collect::<Vec<_>>() {
            let is_erased = self.door.chips.as_ref().is_some_and(|chips| chips.is_erased(block));
            self.state.blocks[block].next = u32::from(!is_erased);
        }
    }

    /// What is programmed for the first time since the checkpoint is written down before; returns what the programs
    /// over `spans` wait for besides `after`.
    pub(super) fn list(&mut self, io: &mut Io<S>, spans: &[Span], after: &mut S::Join) {
        let Some(metadata) = self.metadata().filter(|it| it.number > 0) else { return };
        let mut new: Vec<BlockId> = spans.iter().map(|span| span.block).collect();
        new.retain(|&block| !metadata.listed[block]);
        new.dedup();
        if !new.is_empty() {
            new.iter().for_each(|&block| metadata.listed[block] = true);
            metadata.added += new.len() as u32;
            let anchored = std::mem::take(&mut metadata.anchored);
            let stamp = self.write_record(io, Record::Listed(new.clone()), 1, &anchored);
            let Some(metadata) = self.metadata() else { return };
            metadata.anchored = anchored;
            for &block in &new {
                metadata.recorded[block] = S::Join::default();
                if let Some(stamp) = stamp {
                    io.sched.join(&mut metadata.recorded[block], stamp);
                }
            }
        }
        let Some(safeguard) = &self.safeguard else { return };
        let Some(metadata) = &safeguard.metadata else { return };
        for span in spans {
            io.sched.merge(after, &metadata.recorded[span.block]);
        }
    }

    /// A restart writes the checkpoint that it found once more, with the blocks that were listed since, so that it can
    /// write down there what it is about to do.
    pub(in crate::ftl) fn repeat_checkpoint(&mut self, io: &mut Io<S>, found: &Found) {
        let Some(metadata) = self.metadata() else { return };
        let Checkpoint { map, sequence, erased, .. } = &*found.checkpoint;
        let checkpoint = Checkpoint {
            number: metadata.number + 1,
            map: map.clone(),
            sequence: *sequence,
            open: metadata.listed(),
            erased: erased.clone(),
            blocks: Vec::new(),
            parts: (0, 0),
        };
        self.put_checkpoint(io, checkpoint);
    }

    /// Writes a checkpoint to the half whose turn it is.
    fn put_checkpoint(&mut self, io: &mut Io<S>, mut checkpoint: Checkpoint) {
        let Some(metadata) = self.metadata() else { return };
        metadata.half = 1 - metadata.half;
        (metadata.line, metadata.added) = (0, 0);
        metadata.number = checkpoint.number;
        metadata.listed = ById::filled(false, metadata.listed.count());
        checkpoint.open.iter().for_each(|&block| metadata.listed[block] = true);
        checkpoint.blocks = metadata.site.halves[metadata.half].clone();
        let pages = metadata.site.pages;
        let ends_of_erases = std::mem::take(&mut metadata.erased);
        let erased = self.erase_half(io);
        let Some(safeguard) = &self.safeguard else { return };
        let mut all = S::Join::default();
        io.sched.merge(&mut all, &safeguard.programs);
        io.sched.merge(&mut all, &ends_of_erases);
        let bits = self.state.geometry.groups[0].bits;
        checkpoint.parts = (pages.div_ceil(bits), pages);
        for part in 0..checkpoint.parts.0 {
            let pages = bits.min(pages - part * bits);
            if let Some(stamp) = self.write_record(io, Record::Part, pages, &erased) {
                io.sched.join(&mut all, stamp);
            }
        }
        io.sched.merge(&mut all, &erased);
        let anchor = Record::Anchor(Arc::new(checkpoint));
        let stamp = self.write_record(io, anchor, 1, &all);
        if let (Some(stamp), Some(metadata)) = (stamp, self.metadata()) {
            metadata.anchored = S::Join::default();
            io.sched.join(&mut metadata.anchored, stamp);
        }
    }

    /// Erases the half whose turn it is, once the checkpoint in the other one is whole.
    fn erase_half(&mut self, io: &mut Io<S>) -> S::Join {
        let mut ends = S::Join::default();
        let Some(metadata) = self.metadata() else { return ends };
        let half = metadata.half;
        let anchored = std::mem::take(&mut metadata.anchored);
        for block in metadata.site.halves[half].clone() {
            if self.state.blocks[block].next == 0 {
                continue;
            }
            if let Some(safeguard) = &mut self.safeguard {
                io.sched.merge(&mut safeguard.erase_after[block], &anchored);
            }
            self.note(half, Record::Erased);
            let stamp = self.erase_one(io, block);
            io.sched.join(&mut ends, stamp);
        }
        ends
    }

    /// Blocks are erased: a checkpoint that says so counts once they are.
    pub(super) fn note_erase_for_checkpoint(&mut self, io: &Io<S>, stamp: S::Stamp) {
        if let Some(metadata) = self.metadata() {
            io.sched.join(&mut metadata.erased, stamp);
        }
    }

    /// Programs a word line of the area; `None` where it is full, which ends the run.
    fn write_record(
        &mut self,
        io: &mut Io<S>,
        record: Record,
        pages: u32,
        after: &S::Join,
    ) -> Option<S::Stamp> {
        let group = &self.backend.state.geometry.groups[0];
        let safeguard = self.safeguard.as_mut()?;
        let metadata = safeguard.metadata.as_mut()?;
        let half = metadata.half;
        let Some((block, page)) = metadata.next_line(group) else {
            self.lack_room_for("a record of a block that it opens");
            return None;
        };
        let word_lines = self.state.layout.fillings[0].word_lines;
        let of_line = if word_lines { group.bits } else { pages };
        let units =
            |pages: u32| u64::from((pages * group.units_per_page).div_ceil(group.pages_per_unit));
        let (notes, padding) = (units(pages), units(group.bits).saturating_sub(units(pages)));
        let program = Program {
            span: Span { block, page, pages: of_line },
            others: &[],
            row: PROGRAM,
            extent: if word_lines { Extent::WordLines } else { Extent::Pages },
            data: Data::New,
            closes_block: false,
            cause: Cause::Metadata,
            ticket: None,
            // Programs of the host wait for it.
            urgent: true,
        };
        self.state.blocks[block].next = 1;
        self.note(half, record);
        count_other(&mut self.door.tape, &mut io.counters, Other::Of(Cause::Metadata), notes);
        count_other(&mut self.door.tape, &mut io.counters, Other::Padding, padding);
        Some(self.issue(io, program, after, &[]))
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Writes a checkpoint where one is due. Not to be called while a program is being issued.
    pub(in crate::ftl) fn keep_checkpoints(&mut self, io: &mut Io<S>) {
        let has_begun = self.safeguard.as_ref().is_some_and(|safeguard| safeguard.has_begun);
        let is_due = |it: &Metadata<_>| it.number == 0 || it.added >= it.site.limit;
        if self.metadata().is_some_and(|metadata| has_begun && is_due(metadata)) {
            self.write_checkpoint(io);
        }
    }

    /// Writes a checkpoint of the map as it is: what it says of is on the flash, and complete, before its anchor.
    pub(in crate::ftl) fn write_checkpoint(&mut self, io: &mut Io<S>) {
        if self.metadata().is_none() {
            return;
        }
        self.write_trims(io);
        for point in self.points_where(|_, _| true) {
            self.complete_line(io, point);
        }
        self.end_all_programs(io);
        let state = &self.state;
        let of_state = |wanted: BlockState| {
            let blocks = state.geometry.blocks().into_iter();
            blocks.filter(move |&block| state.blocks[block].state == wanted)
        };
        let Some(safeguard) = self.safeguard.as_ref() else { return };
        let Some(metadata) = safeguard.metadata.as_ref() else { return };
        let checkpoint = Checkpoint {
            number: metadata.number + 1,
            map: state.map.clone(),
            sequence: self.door.chips.as_ref().map_or(0, |chips| chips.written()),
            open: of_state(BlockState::Open).chain(safeguard.copies.blocks()).collect(),
            erased: of_state(BlockState::Free).filter(|&block| !self.owes_erase(block)).collect(),
            blocks: Vec::new(),
            parts: (0, 0),
        };
        self.put_checkpoint(io, checkpoint);
    }
}

impl<T: Hooks> Media<T> {
    fn note(&mut self, half: usize, record: Record) {
        if let Some(chips) = &mut self.door.chips {
            chips.note(Note { half, record });
        }
    }
}
