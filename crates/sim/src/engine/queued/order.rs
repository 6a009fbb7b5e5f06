//! What must come before what in a block: pages are programmed in order, an erase (or a reprogram of
//! pages that hold data) waits for the reads that came before it, and everything after it waits for
//! it. Since a die takes its operations up one after the other, it is enough that each begins after
//! the one before it.

use super::handle::{Handle, Join};
use super::slab::{Entry, Site, Slab, Turn};
use super::waiters::Waiter;
use crate::engine::scheduler::{FlashOp, Source};
use crate::ids::{BlockId, ById, Id};
use crate::nand::{Kind, Needs, Span};
use crate::util::{large_vec_with, prefetch};

/// A block as time sees it: its state in the map is ahead of it. A cache line, for every operation looks at one.
#[derive(Debug, Default)]
#[repr(align(64))]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// In the controller: it takes no flash read.
    Controller,
    /// In the cells.
    Cells,
    /// In the cells once a program is over.
    Later,
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
        Self { blocks: large_vec_with(blocks as usize, Timeline::default).into() }
    }

    /// Asks the cache for what a read from a block looks at.
    #[inline(always)]
    pub fn prefetch(&self, block: BlockId) {
        prefetch(self.blocks.as_slice(), block.index());
    }

    /// Operation `op`, which starts after `after`, is issued: it waits for what must come before it, and a read
    /// for its data, in its turn among the changes of the block. `None`: that is in the controller.
    #[inline(always)]
    pub fn enter(
        &mut self,
        op: &FlashOp,
        handle: Handle,
        after: &Join,
        slab: &mut Slab,
    ) -> Option<Turn> {
        let timeline = &mut self.blocks[op.span.block];
        let mut turn = Turn::default();
        if op.kind == Kind::Read {
            match timeline.find(op.span.page, after, slab) {
                Found::Controller => return None,
                Found::Cells => {}
                Found::Later => {
                    turn.in_turn = true;
                    turn.waits = timeline.wait_for_data(op.span.page, handle, after, slab);
                }
            }
        }
        timeline.enter(op, op.span, handle, &mut turn, slab);
        Some(turn)
    }

    /// An operation is issued that works in other places besides: in the controller only if all of the data is there.
    #[cold]
    pub fn enter_all(
        &mut self,
        op: &FlashOp,
        others: &[Span],
        handle: Handle,
        after: &Join,
        slab: &mut Slab,
    ) -> Option<Turn> {
        let spans = std::iter::once(&op.span).chain(others);
        let mut turn = Turn { has_others: true, ..Turn::default() };
        if op.kind == Kind::Read {
            match self.find_all(spans.clone(), after, slab) {
                Found::Controller => return None,
                Found::Cells => {}
                Found::Later => {
                    turn.in_turn = true;
                    let wait = |span: &Span| {
                        self.blocks[span.block].wait_for_data(span.page, handle, after, slab)
                    };
                    turn.waits = spans.map(wait).sum();
                }
            }
        }
        self.blocks[op.span.block].enter(op, op.span, handle, &mut turn, slab);
        slab.set_others(handle.index(), others);
        for (at, &span) in others.iter().enumerate() {
            let mut own = turn;
            self.blocks[span.block].enter(op, span, handle, &mut own, slab);
            turn.waits = own.waits;
            slab.others_mut(handle.index())[at].life = own.life;
        }
        Some(turn)
    }

    /// Where a read of several places finds its data: later if one of them does, or else in the cells.
    fn find_all<'a>(
        &self,
        spans: impl Iterator<Item = &'a Span>,
        after: &Join,
        slab: &Slab,
    ) -> Found {
        let find = |span: &Span| self.blocks[span.block].find(span.page, after, slab);
        spans.map(find).max().unwrap_or(Found::Cells)
    }

    /// A read that was the `number`th of all operations has begun; returns the operation that may queue
    /// now, if there is one.
    #[inline(always)]
    pub fn read_began(&mut self, block: BlockId, number: u64, slab: &mut Slab) -> Option<u32> {
        let timeline = &mut self.blocks[block];
        timeline.reads -= 1;
        if timeline.held.is_none() { None } else { timeline.let_go(number, slab) }
    }

    /// An operation is over that worked in `others`, too.
    #[inline(always)]
    pub fn leave(&mut self, entry: &Entry, others: &[Site]) {
        if entry.op.kind != Kind::Program || entry.op.needs != Needs::Erased {
            return;
        }
        self.leave_block(entry.first_site());
        others.iter().for_each(|&other| self.leave_block(other));
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
    #[inline(always)]
    fn find(&self, page: u32, after: &Join, slab: &Slab) -> Found {
        if !self.passes.is_empty()
            && let Some(found) = self.find_in_passes(page, after, slab)
        {
            return found;
        }
        match (self.programmed..self.issued).contains(&page) {
            true => Found::Controller,
            false => Found::Cells,
        }
    }

    /// Where a read of a page finds its data if a program says it that tells more than `issued`.
    #[inline(never)]
    fn find_in_passes(&self, page: u32, after: &Join, slab: &Slab) -> Option<Found> {
        self.pass_of(page, after, slab).map(|pass| match pass.source {
            Source::Controller => Found::Controller,
            Source::Cells | Source::Register => Found::Later,
        })
    }

    /// A read waits for the program, if there is one, that holds its data of a page; returns for how many.
    #[cold]
    fn wait_for_data(&self, page: u32, handle: Handle, after: &Join, slab: &mut Slab) -> u32 {
        let Some(program) = self.awaited(page, after, slab) else { return 0 };
        u32::from(slab.tell(program, Waiter::Operation(handle.index())))
    }

    /// The program for whose end a read of a page waits that starts after `after`.
    fn awaited(&self, page: u32, after: &Join, slab: &Slab) -> Option<Handle> {
        let pass = self.pass_of(page, after, slab)?;
        (pass.source != Source::Controller).then_some(pass.program)
    }

    /// The last program of a page that is not over. One that has not begun lets reads of the cells go first, but a read
    /// that must wait for something else may come too late for that.
    fn pass_of(&self, page: u32, after: &Join, slab: &Slab) -> Option<&Pass> {
        let goes_first = |pass: &&Pass| {
            let from_cells = pass.source == Source::Cells && !slab.has_begun(pass.program);
            from_cells && !slab.is_any_live(after)
        };
        let covers = |pass: &&Pass| pass.span.contains(page) && slab.is_live(pass.program);
        self.passes.iter().rev().filter(covers).find(|pass| !goes_first(pass))
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

    /// An operation enters the timeline of a block on whose pages it works.
    #[inline(always)]
    fn enter(
        &mut self,
        op: &FlashOp,
        span: Span,
        handle: Handle,
        turn: &mut Turn,
        slab: &mut Slab,
    ) {
        let is_read = op.kind == Kind::Read;
        if is_read && !turn.in_turn {
            self.reads += 1;
            return;
        }
        self.take_turn(handle, turn, slab);
        if !is_read {
            self.change(op, span, handle, turn, slab);
        }
    }

    /// An operation begins after the changes of the block that were issued before it, and those to come
    /// begin after it.
    #[inline(always)]
    fn take_turn(&mut self, handle: Handle, turn: &mut Turn, slab: &mut Slab) {
        if self.last_change != handle {
            let before = std::mem::replace(&mut self.last_change, handle);
            turn.waits += u32::from(slab.follow(handle.index(), before));
        }
    }

    /// An operation changes what pages of the block hold, in the life of the block that it belongs to.
    #[inline(always)]
    fn change(
        &mut self,
        op: &FlashOp,
        span: Span,
        handle: Handle,
        turn: &mut Turn,
        slab: &mut Slab,
    ) {
        if op.needs != Needs::Erased && self.reads > 0 {
            self.hold(handle.index(), slab.next_number());
            turn.waits += 1;
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
        turn.life = self.life;
    }

    /// A change, the `number`th of all operations, waits for the reads that have not begun.
    #[cold]
    fn hold(&mut self, index: u32, number: u64) {
        let (reads, before) = (self.reads, self.held.take());
        self.held = Some(Box::new(Held { index, number, reads, before }));
    }

    #[cold]
    fn add_pass(&mut self, source: Source, span: Span, program: Handle, slab: &Slab) {
        self.passes.retain(|pass| slab.is_live(pass.program));
        self.passes.push(Pass { span, source, program });
    }
}
