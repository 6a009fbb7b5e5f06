//! The cells of a drive, block by block, in memory or in an image: room is taken as pages are programmed, and given
//! back by an erase.

use crate::image::ImageFile;
use wordline_sim::ids::{BlockId, ById};

/// What a unit of flash holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kept {
    /// Nothing was programmed.
    Nothing = 0,
    /// Zeroes that take no room: what the drive was filled with, or pages of its own.
    Bare = 1,
    /// Data, or the mark of lost data.
    Data = 2,
    /// Data that is coded over its page, which begins here.
    Second = 3,
    /// The rest of such a page.
    Rest = 4,
}

impl Kept {
    /// True for what takes room in memory.
    fn has_cells(self) -> bool {
        self == Self::Data || self.is_again()
    }

    /// True for cells that were programmed twice.
    fn is_again(self) -> bool {
        matches!(self, Self::Second | Self::Rest)
    }
}

/// A block with anything in it.
#[derive(Debug)]
struct Block {
    kept: Box<[Kept]>,
    /// As large as the block, where it is in memory; the system gives pages of it only once they are written to.
    cells: Box<[u8]>,
    /// Reads since it was erased.
    reads: u32,
}

/// The cells of a drive.
#[derive(Debug)]
pub struct Slabs {
    stored_bytes: usize,
    blocks: ById<BlockId, Option<Block>>,
    image: Option<ImageFile>,
}

impl Slabs {
    /// Erased blocks, in memory or, where there is one, in an image.
    pub fn new(blocks: u32, stored_bytes: usize, image: Option<ImageFile>) -> Self {
        let blocks = (0..blocks).map(|_| None).collect();
        Self { stored_bytes, blocks, image }
    }

    /// The image.
    pub fn image_mut(&mut self) -> Option<&mut ImageFile> {
        self.image.as_mut()
    }

    /// What the unit at a place of a block holds.
    pub fn kept(&self, block: BlockId, place: u32) -> Kept {
        self.blocks[block].as_ref().map_or(Kept::Nothing, |it| it.kept[place as usize])
    }

    /// The cells of so many units from a place on that hold data.
    pub fn cells(&mut self, block: BlockId, place: u32, units: usize) -> Box<[u8]> {
        let bytes = units * self.stored_bytes;
        if let Some(image) = &mut self.image {
            let mut cells = vec![0; bytes].into_boxed_slice();
            image.read(block, place, 0, &mut cells);
            return cells;
        }
        let at = place as usize * self.stored_bytes;
        let block = self.blocks[block].as_ref();
        block.map_or_else(Box::default, |it| it.cells[at..at + bytes].into())
    }

    /// Reads the cells of a unit from byte `from` on; false where it takes no room in memory.
    pub fn read(&mut self, block: BlockId, place: u32, from: usize, cells: &mut [u8]) -> bool {
        if let Some(image) = &mut self.image {
            image.read(block, place, from, cells);
            return true;
        }
        let Some(it) = &self.blocks[block] else { return false };
        let at = place as usize * self.stored_bytes + from;
        let has_cells = it.kept[place as usize].has_cells();
        if has_cells {
            cells.copy_from_slice(&it.cells[at..at + cells.len()]);
        }
        has_cells
    }

    /// The unit at a place of a block of `units` holds `kept` from now on; `fill` writes its cells where they take
    /// room, bare ones only in an image, and second writes over what the cells were.
    pub fn program(
        &mut self,
        (block, place): (BlockId, u32),
        units: u32,
        kept: Kept,
        fill: impl FnOnce(&mut [u8]),
    ) {
        self.note(block, units, place, kept);
        if let Some(image) = &mut self.image {
            let mut cells = vec![0; self.stored_bytes];
            if kept.is_again() {
                image.read(block, place, 0, &mut cells);
            }
            fill(&mut cells);
            if !image.entry(block).is_used {
                image.change(block, |entry| entry.is_used = true);
            }
            image.program(block, place, &cells);
        } else if kept.has_cells()
            && let Some(it) = &mut self.blocks[block]
        {
            let at = place as usize * self.stored_bytes;
            fill(&mut it.cells[at..at + self.stored_bytes]);
        }
    }

    /// What a unit of a block of `units` holds is known.
    pub fn note(&mut self, block: BlockId, units: u32, place: u32, kept: Kept) {
        let units = units as usize;
        let bytes = if self.image.is_some() { 0 } else { units * self.stored_bytes };
        let new = || Block {
            kept: vec![Kept::Nothing; units].into(),
            cells: vec![0; bytes].into(),
            reads: 0,
        };
        self.blocks[block].get_or_insert_with(new).kept[place as usize] = kept;
    }

    /// A block is read once more; returns how often it was before, since its erase.
    pub fn count_read(&mut self, block: BlockId) -> u32 {
        self.blocks[block].as_mut().map_or(0, |it| {
            it.reads = it.reads.wrapping_add(1);
            it.reads - 1
        })
    }

    /// A block of `units` is erased, for the `erases`th time.
    pub fn erase(&mut self, block: BlockId, units: u32, erases: u32) {
        self.blocks[block] = None;
        if let Some(image) = &mut self.image {
            image.erase(block, units);
            image.change(block, |entry| {
                *entry = crate::image::Entry { erases, ..Default::default() }
            });
        }
    }
}
