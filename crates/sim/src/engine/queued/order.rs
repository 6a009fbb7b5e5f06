//! What must come before what in a block: pages are programmed in order, an erase (or a reprogram of
//! pages that hold data) waits for the reads that came before it, and everything after it waits for
//! it. Since a die takes its operations up one after the other, it is enough that each begins after
//! the one before it.

use super::slab::{Handle, Slab};
use crate::nand::{Kind, Needs};
use crate::util::NONE;

/// A block as time sees it: its state in the map is ahead of it. Less than a cache line, for every
/// operation looks at one.
#[derive(Debug, Clone)]
struct Timeline {
    /// The program or erase that was issued last.
    last_change: Handle,
    /// Reads that have not begun.
    reads: u32,
    /// The operation that waits for them.
    waits_for_reads: u32,
    /// Erases issued so far: the life that the next two belong to.
    life: u32,
    /// Pages up to here have been programmed.
    programmed: u32,
    /// Programs have been issued for the pages from there to here.
    issued: u32,
    /// Reprograms that may not be over: first page, end, operation.
    reprograms: Vec<(u32, u32, Handle)>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            last_change: Handle::default(),
            reads: 0,
            waits_for_reads: NONE,
            life: 0,
            programmed: 0,
            issued: 0,
            reprograms: Vec::new(),
        }
    }
}

/// The timelines of all blocks.
#[derive(Debug)]
pub struct Order {
    blocks: Vec<Timeline>,
}

impl Order {
    /// Timelines of `blocks` blocks on which nothing is under way.
    pub fn new(blocks: u32) -> Self {
        Self { blocks: vec![Timeline::default(); blocks as usize] }
    }

    /// True when the data of a page is still in the controller, its program not being over.
    #[inline]
    pub fn is_in_controller(&self, block: u32, page: u32, slab: &Slab) -> bool {
        let timeline = &self.blocks[block as usize];
        let covers = |&(first, end, handle): &(u32, u32, Handle)| {
            (first..end).contains(&page) && slab.is_live(handle)
        };
        (timeline.programmed..timeline.issued).contains(&page)
            || timeline.reprograms.iter().any(covers)
    }

    /// Operation `index` is issued: it waits for what must come before it.
    #[inline]
    pub fn enter(&mut self, index: u32, slab: &mut Slab) {
        for at in 0..slab.get(index).blocks.len() {
            let (block, _) = slab.get(index).blocks.get(at);
            let life = self.blocks[block as usize].enter(index, slab);
            slab.get_mut(index).blocks.set_life(at, life);
        }
    }

    /// A read has begun; returns the operation that may queue now, if there is one.
    #[inline]
    pub fn read_began(&mut self, block: u32, slab: &mut Slab) -> Option<u32> {
        let timeline = &mut self.blocks[block as usize];
        timeline.reads -= 1;
        if timeline.reads > 0 || timeline.waits_for_reads == NONE {
            return None;
        }
        let index = std::mem::replace(&mut timeline.waits_for_reads, NONE);
        let entry = slab.get_mut(index);
        entry.waiting -= 1;
        (entry.waiting == 0).then_some(index)
    }

    /// Operation `index` is over.
    #[inline]
    pub fn leave(&mut self, index: u32, slab: &Slab) {
        let entry = slab.get(index);
        if entry.op.kind != Kind::Program || entry.op.needs != Needs::Erased {
            return;
        }
        for at in 0..entry.blocks.len() {
            let (block, life) = entry.blocks.get(at);
            let timeline = &mut self.blocks[block as usize];
            if timeline.life == life {
                timeline.programmed = entry.op.page + entry.op.pages;
            }
        }
    }
}

impl Timeline {
    /// Returns the life of the block that the operation belongs to.
    #[inline]
    fn enter(&mut self, index: u32, slab: &mut Slab) -> u32 {
        let op = slab.get(index).op;
        if op.kind == Kind::Read {
            self.reads += 1;
            return self.life;
        }
        slab.follow(index, self.last_change);
        self.last_change = slab.handle(index);
        if op.needs != Needs::Erased && self.reads > 0 && self.waits_for_reads == NONE {
            self.waits_for_reads = index;
            slab.get_mut(index).waiting += 1;
        }
        match (op.kind, op.needs) {
            (Kind::Erase, _) => {
                self.life += 1;
                (self.programmed, self.issued) = (0, 0);
                self.reprograms.clear();
            }
            (_, Needs::Erased) if op.page >= self.issued => {
                if self.programmed == self.issued {
                    self.programmed = op.page;
                }
                self.issued = op.page + op.pages;
            }
            // A further pass over the block, or a reprogram.
            _ => {
                self.reprograms.retain(|&(_, _, handle)| slab.is_live(handle));
                self.reprograms.push((op.page, op.page + op.pages, slab.handle(index)));
            }
        }
        self.life
    }
}
