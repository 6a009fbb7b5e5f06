//! What must come before what in a block: pages are programmed in order, an erase (or a reprogram of
//! pages that hold data) waits for the reads that came before it, and everything after it waits for
//! it. Since a die takes its operations up one after the other, it is enough that each begins after
//! the one before it.

use super::slab::{Handle, Slab};
use crate::nand::{Kind, Needs};

/// A block as time sees it (its state in the map is ahead of it).
#[derive(Debug, Clone, Default)]
struct Timeline {
    /// The program or erase that was issued last.
    last_change: Handle,
    /// Programs that may not be over: first page, end, operation.
    programs: Vec<(u32, u32, Handle)>,
    /// Reads that may not be over.
    reads: Vec<Handle>,
}

/// The timelines of all blocks.
#[derive(Debug)]
pub struct Order {
    blocks: Vec<Timeline>,
}

/// Adds to a list of which some entries may be over; those leave before the list grows.
fn push<E>(list: &mut Vec<E>, entry: E, is_live: impl FnMut(&E) -> bool) {
    if list.len() == list.capacity() {
        list.retain(is_live);
    }
    list.push(entry);
}

impl Order {
    /// Timelines of `blocks` blocks on which nothing is under way.
    pub fn new(blocks: u32) -> Self {
        Self { blocks: vec![Timeline::default(); blocks as usize] }
    }

    /// True when the data of a page is still in the controller, its program not being over.
    pub fn is_in_controller(&self, block: u32, page: u32, slab: &Slab) -> bool {
        let covers = |&(first, end, handle): &(u32, u32, Handle)| {
            (first..end).contains(&page) && slab.is_live(handle)
        };
        self.blocks[block as usize].programs.iter().any(covers)
    }

    /// Operation `index` is issued: it waits for what must come before it.
    pub fn enter(&mut self, index: u32, slab: &mut Slab) {
        let (op, handle) = (slab.get(index).op, slab.handle(index));
        for at in 0..slab.get(index).blocks.len() {
            let timeline = &mut self.blocks[slab.get(index).blocks[at] as usize];
            if op.kind == Kind::Read {
                push(&mut timeline.reads, handle, |&read| slab.is_live(read));
                continue;
            }
            slab.follow(index, timeline.last_change);
            timeline.last_change = handle;
            if op.needs != Needs::Erased {
                for read in timeline.reads.drain(..) {
                    slab.follow(index, read);
                }
            }
            if op.kind == Kind::Program {
                let program = (op.page, op.page + op.pages, handle);
                push(&mut timeline.programs, program, |&(_, _, program)| slab.is_live(program));
            }
        }
    }
}
