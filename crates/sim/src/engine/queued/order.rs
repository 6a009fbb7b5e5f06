//! What must come before what in a block: pages are programmed in order, an erase (or a reprogram of
//! pages that hold data) waits for the reads that came before it, and everything after it waits for
//! it. Since a die takes its operations up one after the other, it is enough that each begins after
//! the one before it.

use super::slab::{Entry, Handle, Join, Site, Slab};
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
    /// Changes that wait for some of them, the last one first.
    held: Option<Box<Held>>,
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
#[derive(Debug, Clone)]
struct Held {
    index: u32,
    /// The change's place among all operations.
    number: u64,
    /// Reads issued before it that have not begun.
    reads: u32,
    /// The change of the same block that was issued before it.
    before: Option<Box<Held>>,
}

/// The timelines of all blocks.
#[derive(Debug)]
pub struct Order {
    blocks: ById<BlockId, Timeline>,
}

impl Order {
    /// Timelines of `blocks` blocks on which nothing is under way.
    pub fn new(blocks: u32) -> Self {
        Self { blocks: ById::filled(Timeline::default(), blocks) }
    }

    /// Where an operation on its own pages and on `others` that starts after `after` finds its data, if it is a read: in the
    /// controller only if all of it is there.
    #[inline]
    pub fn find(&self, op: &FlashOp, others: &[Span], after: &Join, slab: &Slab) -> Found {
        if op.kind != Kind::Read {
            return Found::Cells;
        }
        let found = self.blocks[op.span.block].find(op.span.page, after, slab);
        if others.is_empty() { found } else { self.find_others(found, others, after, slab) }
    }

    #[cold]
    fn find_others(&self, first: Found, others: &[Span], after: &Join, slab: &Slab) -> Found {
        others.iter().fold(first, |found, span| {
            let other = self.blocks[span.block].find(span.page, after, slab);
            match (found, other) {
                (Found::Controller, _) | (Found::Cells, Found::After(_)) => other,
                _ => found,
            }
        })
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

    /// Operation `op`, which starts after `after`, is issued: it waits for what must come before it, and
    /// a read that was `found` to, for its data.
    #[inline(always)]
    pub fn enter(
        &mut self,
        op: &FlashOp,
        handle: Handle,
        found: Found,
        after: &Join,
        slab: &mut Slab,
    ) {
        let is_in_turn = matches!(found, Found::After(_));
        if is_in_turn {
            self.wait_for_data(handle.index(), after, slab);
        }
        let timeline = &mut self.blocks[op.span.block];
        match (op.kind, is_in_turn) {
            (Kind::Read, false) => timeline.reads += 1,
            (Kind::Read, true) => timeline.take_turn(handle, slab),
            _ => {
                timeline.take_turn(handle, slab);
                let life = timeline.change(op, op.span, handle, slab);
                slab.get_mut(handle.index()).set_life(0, life);
            }
        }
        if slab.get(handle.index()).sites() > 1 {
            self.enter_others(op, handle, is_in_turn, slab);
        }
    }

    #[cold]
    fn enter_others(&mut self, op: &FlashOp, handle: Handle, is_in_turn: bool, slab: &mut Slab) {
        for at in 1..slab.get(handle.index()).sites() {
            let span = slab.get(handle.index()).site(at).span;
            let timeline = &mut self.blocks[span.block];
            if op.kind == Kind::Read && !is_in_turn {
                timeline.reads += 1;
                continue;
            }
            timeline.take_turn(handle, slab);
            if op.kind != Kind::Read {
                let life = timeline.change(op, span, handle, slab);
                slab.get_mut(handle.index()).set_life(at, life);
            }
        }
    }

    /// A read that was the `number`th of all operations has begun; returns the operation that may queue
    /// now, if there is one.
    #[inline(always)]
    pub fn read_began(&mut self, block: BlockId, number: u64, slab: &mut Slab) -> Option<u32> {
        let timeline = &mut self.blocks[block];
        timeline.reads -= 1;
        if timeline.held.is_none() { None } else { timeline.let_go(number, slab) }
    }

    /// An operation is over.
    #[inline(always)]
    pub fn leave(&mut self, entry: &Entry) {
        if entry.op.kind != Kind::Program || entry.op.needs != Needs::Erased {
            return;
        }
        self.leave_block(entry.site(0));
        for at in 1..entry.sites() {
            self.leave_block(entry.site(at));
        }
    }

    #[inline]
    fn leave_block(&mut self, Site { span, life }: Site) {
        let timeline = &mut self.blocks[span.block];
        if timeline.life == life {
            timeline.programmed = timeline.programmed.max(span.end());
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

    /// The changes that waited for this read wait for one less. Of several each waits for the one before
    /// it to begin, so that no more than one may queue.
    #[inline(never)]
    fn let_go(&mut self, number: u64, slab: &mut Slab) -> Option<u32> {
        let mut freed = None;
        let mut link = &mut self.held;
        while let Some(held) = link.as_mut().filter(|held| held.number > number) {
            held.reads -= 1;
            if held.reads > 0 {
                link = &mut link.as_mut()?.before;
                continue;
            }
            let entry = slab.get_mut(held.index);
            entry.waiting -= 1;
            if entry.waiting == 0 {
                debug_assert_eq!(freed, None, "two changes of a block may queue");
                freed = Some(held.index);
            }
            *link = held.before.take();
        }
        freed
    }

    /// An operation begins after the changes of the block that were issued before it, and those to come
    /// begin after it.
    #[inline(always)]
    fn take_turn(&mut self, handle: Handle, slab: &mut Slab) {
        if self.last_change != handle {
            slab.follow(handle.index(), std::mem::replace(&mut self.last_change, handle));
        }
    }

    /// An operation changes what pages of the block hold; returns the life that it belongs to.
    #[inline(always)]
    fn change(&mut self, op: &FlashOp, span: Span, handle: Handle, slab: &mut Slab) -> u32 {
        if op.needs != Needs::Erased && self.reads > 0 {
            self.hold(handle.index(), slab);
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
                    self.add_pass(op.source, span, handle, slab);
                }
            }
            // A further pass over the block, or a reprogram.
            _ => self.add_pass(op.source, span, handle, slab),
        }
        self.life
    }

    /// A change waits for the reads that have not begun.
    #[cold]
    fn hold(&mut self, index: u32, slab: &mut Slab) {
        let entry = slab.get_mut(index);
        entry.waiting += 1;
        let (number, reads, before) = (entry.number, self.reads, self.held.take());
        self.held = Some(Box::new(Held { index, number, reads, before }));
    }

    #[cold]
    fn add_pass(&mut self, source: Source, span: Span, program: Handle, slab: &Slab) {
        self.passes.retain(|pass| slab.is_live(pass.program));
        self.passes.push(Pass { span, source, program });
    }
}
