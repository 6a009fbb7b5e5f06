//! What must come before what in a block: pages are programmed in order, an erase (or a reprogram of
//! pages that hold data) waits for the reads that came before it, and everything after it waits for
//! it. Since a die takes its operations up one after the other, it is enough that each begins after
//! the one before it.

use super::slab::{Handle, Join, Slab};
use crate::engine::scheduler::{FlashOp, Source};
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
    /// Programs that may not be over and say more than `issued`, oldest first: of pages that were
    /// programmed before, and of data that is not in the controller.
    passes: Vec<Pass>,
}

/// A program of some pages of a block.
#[derive(Debug, Clone, Copy)]
struct Pass {
    /// Its first page.
    first: u32,
    /// The page after its last one.
    end: u32,
    /// Where the data is until it is over.
    source: Source,
    program: Handle,
}

/// Where a read finds its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// In the controller: it takes no flash read.
    Controller,
    /// In the cells.
    Cells,
    /// In the cells once this operation is over.
    After(Handle),
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
            passes: Vec::new(),
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

    /// Where an operation on `blocks` that starts after `after` finds its data, if it is a read: in the
    /// controller only if all of it is there.
    #[inline]
    pub fn find(&self, op: &FlashOp, blocks: &[u32], after: &Join, slab: &Slab) -> Found {
        if op.kind != Kind::Read {
            return Found::Cells;
        }
        let page = op.page;
        let mut found = self.blocks[blocks[0] as usize].find(page, after, slab);
        for &block in &blocks[1..] {
            let other = self.blocks[block as usize].find(page, after, slab);
            if matches!((found, other), (Found::Controller, _) | (Found::Cells, Found::After(_))) {
                found = other;
            }
        }
        found
    }

    /// The read `index` waits for every program that holds its data. It takes its turn among the changes
    /// of its blocks: those to come follow it.
    #[cold]
    fn wait_for_data(&self, index: u32, after: &Join, slab: &mut Slab) {
        slab.get_mut(index).in_turn = true;
        let page = slab.get(index).op.page;
        for at in 0..slab.get(index).blocks.len() {
            let (block, _) = slab.get(index).blocks.get(at);
            if let Found::After(program) = self.blocks[block as usize].find(page, after, slab) {
                slab.wait(index, program);
            }
        }
    }

    /// Operation `index`, which starts after `after`, is issued: it waits for what must come before it,
    /// and a read that was `found` to, for its data.
    #[inline]
    pub fn enter(&mut self, index: u32, found: Found, after: &Join, slab: &mut Slab) {
        if let Found::After(_) = found {
            self.wait_for_data(index, after, slab);
        }
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
    /// Where a read of a page, which starts after `after`, finds its data.
    #[inline]
    fn find(&self, page: u32, after: &Join, slab: &Slab) -> Found {
        let covers =
            |pass: &&Pass| (pass.first..pass.end).contains(&page) && slab.is_live(pass.program);
        for pass in self.passes.iter().rev().filter(covers) {
            match pass.source {
                Source::Controller => return Found::Controller,
                // A read that must wait for something else may come too late to go first.
                Source::Cells if !slab.has_begun(pass.program) && !slab.is_any_live(after) => {}
                Source::Cells | Source::Register => return Found::After(pass.program),
            }
        }
        match (self.programmed..self.issued).contains(&page) {
            true => Found::Controller,
            false => Found::Cells,
        }
    }

    /// Returns the life of the block that the operation belongs to.
    #[inline]
    fn enter(&mut self, index: u32, slab: &mut Slab) -> u32 {
        let op = slab.get(index).op;
        if op.kind == Kind::Read && !slab.get(index).in_turn {
            self.reads += 1;
            return self.life;
        }
        slab.follow(index, self.last_change);
        self.last_change = slab.handle(index);
        if op.kind == Kind::Read {
            return self.life;
        }
        if op.needs != Needs::Erased && self.reads > 0 && self.waits_for_reads == NONE {
            self.waits_for_reads = index;
            slab.get_mut(index).waiting += 1;
        }
        match (op.kind, op.needs) {
            (Kind::Erase, _) => {
                self.life += 1;
                (self.programmed, self.issued) = (0, 0);
                self.passes.clear();
            }
            (_, Needs::Erased) if op.page >= self.issued => {
                if self.programmed == self.issued {
                    self.programmed = op.page;
                }
                self.issued = op.page + op.pages;
                if op.source != Source::Controller {
                    self.add_pass(index, slab);
                }
            }
            // A further pass over the block, or a reprogram.
            _ => self.add_pass(index, slab),
        }
        self.life
    }

    fn add_pass(&mut self, index: u32, slab: &Slab) {
        self.passes.retain(|pass| slab.is_live(pass.program));
        let (op, program) = (slab.get(index).op, slab.handle(index));
        let (first, end) = (op.page, op.page + op.pages);
        self.passes.push(Pass { first, end, source: op.source, program });
    }
}
