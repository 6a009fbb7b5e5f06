//! The pages that a restart reads: those of each drive before it does anything, and those of an array before it writes.

use crate::drive::DriveState;
use crate::flash::{Found, Image};
use crate::ids::{BlockId, ById, DieId, Lpn};
use crate::nand::{BlockState, Span};
use std::collections::BTreeSet;

/// What is read.
#[derive(Debug)]
pub struct Scan {
    /// Pages.
    pub page_reads: u64,
    /// Whether a checkpoint is among them.
    pub by_checkpoint: bool,
    /// Time that it takes: dies work side by side, channels carry one page at a time.
    pub ms: f64,
}

impl Scan {
    /// Those of drives that restart at the same time.
    pub fn side_by_side(scans: impl Iterator<Item = Self>) -> Self {
        let none = Self { page_reads: 0, by_checkpoint: true, ms: 0.0 };
        scans.fold(none, |sum, scan| Self {
            page_reads: sum.page_reads + scan.page_reads,
            by_checkpoint: sum.by_checkpoint && scan.by_checkpoint,
            ms: sum.ms.max(scan.ms),
        })
    }

    /// The scan of a restart.
    pub fn of(state: &DriveState, image: &Image) -> Self {
        let mut reads = Reads::new(state);
        match &image.checkpoint {
            None => {
                for block in state.geometry.blocks() {
                    reads.add(block, 0..programmed(state, image, block).max(1));
                }
            }
            Some(found) => reads.since(state, image, found),
        }
        reads.over(image.checkpoint.is_some())
    }

    /// A scan of the pages with the data of logical units.
    pub fn of_units(state: &DriveState, units: impl Iterator<Item = Lpn>) -> Self {
        let geometry = &state.geometry;
        let held = units.filter_map(|lpn| state.map.at(lpn).known());
        let page = |unit| {
            let (block, place) = geometry.locate(unit);
            (block, place / geometry.of(block).units_per_page)
        };
        let pages: BTreeSet<(BlockId, u32)> = held.map(page).collect();
        let mut reads = Reads::new(state);
        pages.into_iter().for_each(|(block, page)| reads.add(block, page..page + 1));
        reads.over(false)
    }
}

/// Pages of a block up to the last one that holds something.
fn programmed(state: &DriveState, image: &Image, block: BlockId) -> u32 {
    let pages = 0..state.geometry.of(block).pages_per_block;
    let holds = |&page: &u32| image.held.lines.holds(Span { block, page, pages: 1 });
    pages.rev().find(holds).map_or(0, |last| last + 1)
}

/// Pages read so far, and what they keep busy.
struct Reads<'a> {
    state: &'a DriveState,
    pages: u64,
    sensing_ns: ById<DieId, u64>,
    transfers_ns: Vec<u64>,
}

impl<'a> Reads<'a> {
    fn new(state: &'a DriveState) -> Self {
        let dies = state.geometry.dies().count();
        let transfers_ns = vec![0; state.geometry.channels as usize];
        Self { state, pages: 0, sensing_ns: ById::filled(0, dies), transfers_ns }
    }

    /// All are read.
    fn over(self, by_checkpoint: bool) -> Scan {
        let busiest = self.sensing_ns.iter().chain(&self.transfers_ns).max().copied();
        let ms = busiest.unwrap_or(0) as f64 / 1e6;
        Scan { page_reads: self.pages, by_checkpoint, ms }
    }

    /// Pages of a block that is not bad.
    fn add(&mut self, block: BlockId, pages: std::ops::Range<u32>) {
        let state = self.state;
        if state.blocks[block].state == BlockState::Bad {
            return;
        }
        let (group, of_group) = (state.geometry.of(block), state.geometry.group_of(block));
        let row = state.ops.of_group(of_group).read;
        let read = state.ops.row(row);
        let die = state.geometry.die_of_block(block);
        let channel = state.geometry.channel_of(die) as usize;
        let transfer_ns = state.ops.transfer_ns(row, u64::from(group.page_bytes));
        for page in pages {
            self.sensing_ns[die] += read.array_ns[group.page_type(page) as usize];
            self.transfers_ns[channel] += transfer_ns + state.ops.command_ns(row);
            self.pages += 1;
        }
    }

    /// A checkpoint, its journal, and what was programmed since: of other blocks that hold no data the first page,
    /// which says whether they are erased, unless they were so at the checkpoint.
    fn since(&mut self, state: &DriveState, image: &Image, found: &Found) {
        let mut holds_data = ById::filled(false, state.geometry.blocks().count());
        for unit in image.map.iter().filter_map(|unit| unit.known()) {
            holds_data[state.geometry.locate(unit).0] = true;
        }
        let mut is_erased = ById::filled(false, state.geometry.blocks().count());
        found.checkpoint.erased.iter().for_each(|&block| is_erased[block] = true);
        for block in state.geometry.blocks() {
            if found.listed[block] {
                let pages = state.geometry.of(block).pages_per_block;
                // The first erased page is where it ends.
                self.add(block, 0..(programmed(state, image, block) + 1).min(pages));
            } else if !is_erased[block] && !holds_data[block] {
                self.add(block, 0..1);
            }
        }
        let own = found.checkpoint.blocks.len() as u32;
        // Both anchors, the checkpoint, and the journal with the page behind its end.
        for page in 0..2 + found.checkpoint.parts.1 + found.records + 1 {
            let block = found.checkpoint.blocks[(page % own) as usize];
            self.add(block, 0..1);
        }
    }
}
