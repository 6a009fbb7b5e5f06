//! What must come before what in a block: pages are programmed in order, an erase waits for all
//! that came before it, and everything after it waits for the erase. Since a die takes its
//! operations up one after the other, it is enough that each begins after the one before it.

use super::slab::{Handle, Slab};
use crate::nand::Kind;

/// A block as time sees it (its state in the map is ahead of it).
#[derive(Debug, Clone, Default)]
struct Timeline {
    /// Pages below this have been programmed.
    programmed: u32,
    /// The program or erase that was issued last.
    last_change: Handle,
    /// Reads under way since then.
    reads: Vec<Handle>,
}

/// The timelines of all blocks.
#[derive(Debug)]
pub struct Order {
    blocks: Vec<Timeline>,
}

impl Order {
    /// Timelines of `blocks` blocks, of which `programmed(block)` pages hold data.
    pub fn new(blocks: u32, programmed: impl Fn(u32) -> u32) -> Self {
        let timeline = |block| Timeline { programmed: programmed(block), ..Timeline::default() };
        Self { blocks: (0..blocks).map(timeline).collect() }
    }

    /// True when the data of a page is still in the controller, its program not being over.
    pub fn is_in_controller(&self, block: u32, page: u32, slab: &Slab) -> bool {
        let timeline = &self.blocks[block as usize];
        page >= timeline.programmed && slab.is_live(timeline.last_change)
    }

    /// Operation `index` is issued: it waits for what must come before it.
    pub fn enter(&mut self, index: u32, slab: &mut Slab) {
        let kind = slab.get(index).op.kind;
        for at in 0..slab.get(index).blocks.len() {
            let block = slab.get(index).blocks[at];
            let timeline = &mut self.blocks[block as usize];
            if kind == Kind::Read {
                timeline.reads.retain(|&read| slab.is_live(read));
                timeline.reads.push(slab.handle(index));
                continue;
            }
            slab.follow(index, timeline.last_change);
            timeline.last_change = slab.handle(index);
            if kind == Kind::Erase {
                for read in timeline.reads.drain(..) {
                    slab.follow(index, read);
                }
            }
        }
    }

    /// Operation `index` is over.
    pub fn leave(&mut self, index: u32, slab: &Slab) {
        let entry = slab.get(index);
        for &block in &entry.blocks {
            let timeline = &mut self.blocks[block as usize];
            match entry.op.kind {
                Kind::Read => {}
                Kind::Program => {
                    timeline.programmed = timeline.programmed.max(entry.op.page + entry.op.pages);
                }
                Kind::Erase => timeline.programmed = 0,
            }
        }
    }
}
