//! The cells of a drive, block by block: memory is taken as pages are programmed, and given back by an erase.

use wordline_sim::ids::{BlockId, ById};

/// What a unit of flash holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kept {
    /// Nothing was programmed.
    Nothing = 0,
    /// What the drive was filled with, or data of which nothing but zeroes is known: only its out-of-band area.
    Bare = 1,
    /// Data.
    Data = 2,
}

/// A block with anything in it.
#[derive(Debug)]
struct Block {
    kept: Box<[Kept]>,
    /// As large as the block; the system gives pages of it only once they are written to.
    cells: Box<[u8]>,
    /// Reads since it was erased.
    reads: u32,
}

/// The cells of a drive.
#[derive(Debug)]
pub struct Slabs {
    stored_bytes: usize,
    blocks: ById<BlockId, Option<Block>>,
}

impl Slabs {
    /// Erased blocks.
    pub fn new(blocks: u32, stored_bytes: usize) -> Self {
        let blocks = (0..blocks).map(|_| None).collect();
        Self { stored_bytes, blocks }
    }

    /// What the unit at a place of a block holds.
    pub fn kept(&self, block: BlockId, place: u32) -> Kept {
        self.blocks[block].as_ref().map_or(Kept::Nothing, |it| it.kept[place as usize])
    }

    /// The cells of a unit; none where it holds nothing.
    pub fn cells(&self, block: BlockId, place: u32) -> &[u8] {
        let at = place as usize * self.stored_bytes;
        self.blocks[block].as_ref().map_or(&[], |it| &it.cells[at..at + self.stored_bytes])
    }

    /// The cells of a unit that holds `kept` from now on, in a block of `units`.
    pub fn program(&mut self, block: BlockId, units: u32, place: u32, kept: Kept) -> &mut [u8] {
        let (units, at) = (units as usize, place as usize * self.stored_bytes);
        let bytes = units * self.stored_bytes;
        let new = || Block {
            kept: vec![Kept::Nothing; units].into(),
            cells: vec![0; bytes].into(),
            reads: 0,
        };
        let it = self.blocks[block].get_or_insert_with(new);
        it.kept[place as usize] = kept;
        &mut it.cells[at..at + self.stored_bytes]
    }

    /// A block is read once more; returns how often it was before, since its erase.
    pub fn count_read(&mut self, block: BlockId) -> u32 {
        self.blocks[block].as_mut().map_or(0, |it| {
            it.reads = it.reads.wrapping_add(1);
            it.reads - 1
        })
    }

    /// A block is erased.
    pub fn erase(&mut self, block: BlockId) {
        self.blocks[block] = None;
    }
}
