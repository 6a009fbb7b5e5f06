//! What must come before what in a block: pages are programmed in order, an erase (or a reprogram of
//! pages that hold data) waits for the reads that came before it, and everything after it waits for
//! it. Since a die takes its operations up one after the other, it is enough that each begins after
//! the one before it.

use super::slab::{Handle, Join, Site, Slab};
use crate::engine::scheduler::{FlashOp, Source};
use crate::ids::{BlockId, ById};
use crate::nand::{Kind, Needs, Span};

/// A block as time sees it: its state in the map is ahead of it. Less than a cache line, for every
/// operation looks at one.
#[derive(Debug, Clone, Default)]
struct Timeline {
    /// The program or erase that was issued last.
    last_change: Handle,
    /// Reads that have not begun.
    reads: u32,
    /// Changes that wait for some of them.
    held: u32,
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
    /// The pages.
    span: Span,
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

/// A change of a block that waits for the reads that were issued before it. Those that come later neither
/// wait for it nor hold it back: until it begins they may go first.
#[derive(Debug)]
struct Held {
    block: BlockId,
    index: u32,
    /// The change's place among all operations.
    number: u64,
    /// Reads issued before it that have not begun.
    reads: u32,
}

/// The timelines of all blocks.
#[derive(Debug)]
pub struct Order {
    blocks: ById<BlockId, Timeline>,
    /// Few at a time.
    held: Vec<Held>,
}

impl Order {
    /// Timelines of `blocks` blocks on which nothing is under way.
    pub fn new(blocks: u32) -> Self {
        Self { blocks: ById::filled(Timeline::default(), blocks), held: Vec::new() }
    }

    /// Where an operation on its own pages and on `others` that starts after `after` finds its data, if it is a read: in the
    /// controller only if all of it is there.
    #[inline]
    pub fn find(&self, op: &FlashOp, others: &[Span], after: &Join, slab: &Slab) -> Found {
        if op.kind != Kind::Read {
            return Found::Cells;
        }
        let mut found = self.blocks[op.span.block].find(op.span.page, after, slab);
        for span in others {
            let other = self.blocks[span.block].find(span.page, after, slab);
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
        for at in 0..slab.get(index).sites() {
            let Span { block, page, .. } = slab.get(index).site(at).span;
            if let Found::After(program) = self.blocks[block].find(page, after, slab) {
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
        for at in 0..slab.get(index).sites() {
            let span = slab.get(index).site(at).span;
            let timeline = &mut self.blocks[span.block];
            let life = timeline.enter(index, span, slab, &mut self.held);
            slab.get_mut(index).set_life(at, life);
        }
    }

    /// A read that was the `number`th of all operations has begun; returns the operation that may queue
    /// now, if there is one.
    #[inline]
    pub fn read_began(&mut self, block: BlockId, number: u64, slab: &mut Slab) -> Option<u32> {
        let timeline = &mut self.blocks[block];
        timeline.reads -= 1;
        if timeline.held == 0 { None } else { self.let_go(block, number, slab) }
    }

    /// The changes of a block that waited for this read wait for one less. Of several each waits for the
    /// one before it to begin, so that no more than one may queue.
    #[cold]
    fn let_go(&mut self, block: BlockId, number: u64, slab: &mut Slab) -> Option<u32> {
        let mut freed = None;
        let timeline = &mut self.blocks[block];
        self.held.retain_mut(|held| {
            if held.block != block || held.number < number {
                return true;
            }
            held.reads -= 1;
            if held.reads > 0 {
                return true;
            }
            timeline.held -= 1;
            let entry = slab.get_mut(held.index);
            entry.waiting -= 1;
            if entry.waiting == 0 {
                debug_assert_eq!(freed, None, "two changes of block {block} may queue");
                freed = Some(held.index);
            }
            false
        });
        freed
    }

    /// Operation `index` is over.
    #[inline]
    pub fn leave(&mut self, index: u32, slab: &Slab) {
        let entry = slab.get(index);
        if entry.op.kind != Kind::Program || entry.op.needs != Needs::Erased {
            return;
        }
        for at in 0..entry.sites() {
            let Site { span, life } = entry.site(at);
            let timeline = &mut self.blocks[span.block];
            if timeline.life == life {
                timeline.programmed = timeline.programmed.max(span.end());
            }
        }
    }
}

impl Timeline {
    /// Where a read of a page, which starts after `after`, finds its data.
    #[inline]
    fn find(&self, page: u32, after: &Join, slab: &Slab) -> Found {
        let covers = |pass: &&Pass| pass.span.contains(page) && slab.is_live(pass.program);
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
    fn enter(&mut self, index: u32, span: Span, slab: &mut Slab, held: &mut Vec<Held>) -> u32 {
        let op = slab.get(index).op;
        if op.kind == Kind::Read && !slab.get(index).in_turn {
            self.reads += 1;
            return self.life;
        }
        if self.last_change != slab.handle(index) {
            slab.follow(index, self.last_change);
            self.last_change = slab.handle(index);
        }
        if op.kind == Kind::Read {
            return self.life;
        }
        if op.needs != Needs::Erased && self.reads > 0 {
            let number = slab.get(index).number;
            held.push(Held { block: span.block, index, number, reads: self.reads });
            self.held += 1;
            slab.get_mut(index).waiting += 1;
        }
        match (op.kind, op.needs) {
            (Kind::Erase, _) => {
                self.life += 1;
                (self.programmed, self.issued) = (0, 0);
                self.passes.clear();
            }
            (_, Needs::Erased) if span.page >= self.issued => {
                if self.programmed == self.issued {
                    self.programmed = span.page;
                }
                self.issued = span.end();
                if op.source != Source::Controller {
                    self.add_pass(index, span, slab);
                }
            }
            // A further pass over the block, or a reprogram.
            _ => self.add_pass(index, span, slab),
        }
        self.life
    }

    fn add_pass(&mut self, index: u32, span: Span, slab: &Slab) {
        self.passes.retain(|pass| slab.is_live(pass.program));
        let (source, program) = (slab.get(index).op.source, slab.handle(index));
        self.passes.push(Pass { span, source, program });
    }
}
