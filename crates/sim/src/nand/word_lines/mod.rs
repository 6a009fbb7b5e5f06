//! What each word line has been through since its last erase, and so which operations it may still take.
//!
//! A program of pages that hold nothing needs them erased, the pages below them on their word line not
//! skipped over later, and the pages of their type in the order of the word lines, which is what keeps
//! the disturbance by neighbours within what a chip is made for. A program in place needs a word line
//! in a mode that its row names, and no more passes than its row allows.

mod line;
mod rules;
#[cfg(test)]
mod tests;

use super::ops::{NORMAL_NUMBER, Rule};
use super::{Geometry, Group, Kind, Needs, OpTable, Span};
use crate::ids::{BlockId, ById, Ids};
use crate::util::{FastDiv, LINE_BYTES, large_vec, prefetch};
use line::Line;
use rules::{Fault, Faulty, fault, fresh_fault, history, is_passed, why};
use std::ops::Range;

/// Pages of a word line at most.
const TYPES: usize = 4;

/// The blocks of one kind of flash, and where their word lines stand.
#[derive(Debug, Clone, Copy)]
struct Kin {
    blocks: Ids<BlockId>,
    per_block: u32,
    bits: u32,
    by_bits: FastDiv,
    /// Page types of a block's last word line, one bit for each: fewer where pages are no multiple of bits.
    types_of_last: u16,
    /// The first word line of them.
    first: usize,
}

impl Kin {
    /// The first word line of a block.
    #[inline]
    fn first_of(&self, block: BlockId) -> usize {
        self.first + (self.blocks.place_of(block) * self.per_block) as usize
    }

    /// The word line of a page, and the page's type.
    #[inline(always)]
    fn locate(&self, page: u32) -> (u32, u32) {
        let (at, kind) = self.by_bits.div_rem(page.into());
        (at as u32, kind)
    }

    /// The word line of a span, and the page types that it covers of it; `None` where it covers pages of several,
    /// or none of the block.
    #[inline]
    fn one_line(&self, span: &Span) -> Option<(u32, u16)> {
        let (at, kind) = self.locate(span.page);
        let is_one = at < self.per_block && kind + span.pages <= self.bits;
        is_one.then(|| (at, ((1 << span.pages) - 1) << kind))
    }

    /// The word lines of a block.
    fn lines_of(&self, block: BlockId) -> Range<usize> {
        let first = self.first_of(block);
        first..first + self.per_block as usize
    }
}

/// The word lines of a drive.
#[derive(Debug, Clone)]
pub struct WordLines {
    /// The first kind of flash, at hand: most drives have one.
    first: Kin,
    /// The others.
    further: Vec<Kin>,
    lines: Vec<Line>,
    /// By block and page type: the first word line whose page of that type may still be programmed.
    next: ById<BlockId, [u32; TYPES]>,
}

impl WordLines {
    /// Those of an erased drive.
    pub fn new(geometry: &Geometry) -> Self {
        let mut count = 0;
        let mut kin: Vec<Kin> = Vec::with_capacity(geometry.groups.len());
        for group in &geometry.groups {
            let per_block = group.pages_per_block.div_ceil(group.bits);
            let types_of_last = (1 << (group.pages_per_block - (per_block - 1) * group.bits)) - 1;
            let (blocks, bits, first) = (group.blocks, group.bits, count);
            let by_bits = FastDiv::new(bits);
            kin.push(Kin { blocks, per_block, bits, by_bits, types_of_last, first });
            count += blocks.count() as usize * per_block as usize;
        }
        let next = ById::filled([0; TYPES], geometry.blocks().count());
        let further = kin.split_off(1);
        Self { first: kin[0], further, lines: large_vec(Line::default(), count), next }
    }

    /// The kind of flash of a block.
    #[inline]
    fn kin_of(&self, block: BlockId) -> &Kin {
        if block < self.first.blocks.end() { &self.first } else { self.further_kin_of(block) }
    }

    #[inline]
    fn further_kin_of(&self, block: BlockId) -> &Kin {
        &self.further[super::geometry::index_of(&self.further, |kin| kin.blocks.end() <= block)]
    }

    /// Asks the cache for the word line of a page.
    #[inline]
    pub fn prefetch_page(&self, block: BlockId, page: u32) {
        let kin = self.kin_of(block);
        prefetch(&self.lines, kin.first_of(block) + kin.locate(page).0 as usize);
    }

    /// Asks the cache for the word lines of a block.
    #[inline]
    pub fn prefetch_block(&self, block: BlockId) {
        let at_once = LINE_BYTES / size_of::<Line>();
        let lines = self.kin_of(block).lines_of(block);
        lines.step_by(at_once).for_each(|line| prefetch(&self.lines, line));
    }

    /// A block is erased.
    pub fn erase(&mut self, block: BlockId) {
        let lines = self.kin_of(block).lines_of(block);
        self.lines[lines].fill(Line::default());
        self.next[block] = [0; TYPES];
    }

    /// The first pages of an erased block were programmed as the conventional drive does.
    pub fn fill(&mut self, block: BlockId, pages: u32) {
        let span = Span { block, page: 0, pages };
        self.change(span, |line, of_line| Line::new(NORMAL_NUMBER, line.pages() | of_line, 0));
    }

    /// Carries out an operation of `row` on `span`, which is not copied, for it may just have been written; false where the word lines do not allow it, which
    /// [`Self::judge`] gives the reason for.
    #[inline(always)]
    #[must_use]
    pub fn carry_out(&mut self, ops: &OpTable, row: u8, span: &Span) -> bool {
        let rule = ops.rule(row);
        let is_done = match span.pages == 1 && rule.needs == Needs::Erased {
            true => self.program_page(rule, span),
            false => self.program_line(rule, span),
        };
        is_done || self.carry_out_all(rule, span)
    }

    /// Carries out anything but a program of pages of one word line.
    #[inline(never)]
    fn carry_out_all(&mut self, rule: Rule, span: &Span) -> bool {
        let &span = span;
        let is_allowed = rule.kind == Kind::Erase || self.fault(rule, span).is_none();
        if is_allowed {
            self.do_as(rule, span);
        }
        is_allowed
    }

    /// Programs a page by a row that needs it erased, if that is what it does and allowed.
    #[inline(always)]
    fn program_page(&mut self, rule: Rule, span: &Span) -> bool {
        if rule.kind != Kind::Program {
            return false;
        }
        let kin = self.kin_of(span.block);
        let (at, kind) = kin.locate(span.page);
        if at >= kin.per_block {
            return false;
        }
        let line = kin.first_of(span.block) + at as usize;
        let (line, next) = (&mut self.lines[line], &mut self.next[span.block]);
        let is_allowed = !is_passed(kind, at, next) && fresh_fault(rule, *line, kind).is_none();
        if is_allowed {
            *line = line.programmed(rule, 1 << kind);
            next[kind as usize % TYPES] = at + 1;
        }
        is_allowed
    }

    /// Programs pages of one word line, if that is all and allowed: most programs are of one, which is then
    /// looked at once.
    #[inline]
    fn program_line(&mut self, rule: Rule, span: &Span) -> bool {
        let kin = self.kin_of(span.block);
        if rule.kind != Kind::Program {
            return false;
        }
        let Some((at, of_line)) = kin.one_line(span) else { return false };
        let line = kin.first_of(span.block) + at as usize;
        let (line, next) = (&mut self.lines[line], &mut self.next[span.block]);
        let is_allowed = fault(rule, *line, of_line, at, next).is_none();
        if is_allowed {
            // What was programmed before has been passed.
            if of_line & !line.pages() != 0 {
                pass(next, at, of_line);
            }
            *line = line.programmed(rule, of_line);
        }
        is_allowed
    }

    /// An operation that was found to be legal has been carried out.
    pub fn apply(&mut self, ops: &OpTable, row: u8, span: Span) {
        self.do_as(ops.rule(row), span);
    }

    /// What an operation does to the word lines of a span; a read does nothing to them.
    fn do_as(&mut self, rule: Rule, span: Span) {
        match rule.kind {
            Kind::Erase => self.erase(span.block),
            Kind::Program => self.change(span, |line, of_line| line.programmed(rule, of_line)),
            Kind::Read => {}
        }
    }

    /// The word lines of a block.
    fn of_block(&self, block: BlockId) -> &[Line] {
        &self.lines[self.kin_of(block).lines_of(block)]
    }

    /// Whether nothing was programmed since the last erase.
    pub fn is_erased(&self, block: BlockId) -> bool {
        self.of_block(block).iter().all(|&line| line == Line::default())
    }

    /// Whether the last word line has been through what the first has: no pass over the block stopped on
    /// its way.
    pub fn is_even(&self, block: BlockId) -> bool {
        let types = self.kin_of(block).types_of_last;
        let past = |line: &Line| (line.mode(), line.pages() & types, line.passes());
        let lines = self.of_block(block);
        lines.first().map(past) == lines.last().map(past)
    }

    /// Whether every page of a span on one word line was programmed, so that it can be read.
    #[inline(always)]
    pub fn holds(&self, span: Span) -> bool {
        let kin = self.kin_of(span.block);
        let all = |at: u32, of_line: u16| {
            of_line & !self.lines[kin.first_of(span.block) + at as usize].pages() == 0
        };
        if span.pages == 1 {
            let (at, kind) = kin.locate(span.page);
            return at < kin.per_block && all(at, 1 << kind);
        }
        kin.one_line(&span).is_some_and(|(at, of_line)| all(at, of_line))
    }

    /// May an operation of `row` be carried out on `span`?
    ///
    /// # Errors
    /// What forbids it: the word line and what it has been through.
    pub fn judge(&self, ops: &OpTable, row: u8, span: Span) -> Result<(), String> {
        match self.fault(ops.rule(row), span) {
            None => Ok(()),
            Some(fault) => Err(self.explain(ops, row, span.block, fault)),
        }
    }

    /// The first word line of a span that forbids an operation.
    #[inline]
    fn fault(&self, rule: Rule, span: Span) -> Option<Faulty> {
        let kin = self.kin_of(span.block);
        let (bits, first) = (kin.bits, kin.first_of(span.block));
        let next = &self.next[span.block];
        let mut page = span.page;
        while page < span.end() {
            let (at, of_line) = piece(page, span, bits);
            if at >= kin.per_block {
                return Some(Faulty { line: at, kind: 0, fault: Fault::Beyond });
            }
            let line = self.lines[first + at as usize];
            if let Some((kind, fault)) = fault(rule, line, of_line, at, next) {
                return Some(Faulty { line: at, kind, fault });
            }
            page = (at + 1) * bits;
        }
        None
    }

    /// Programs pages: what becomes of each word line is up to `change`, which is told the page types.
    #[inline]
    fn change(&mut self, span: Span, change: impl Fn(Line, u16) -> Line) {
        let kin = self.kin_of(span.block);
        let (bits, first) = (kin.bits, kin.first_of(span.block));
        let next = &mut self.next[span.block];
        let mut page = span.page;
        while page < span.end() {
            let (at, of_line) = piece(page, span, bits);
            let line = &mut self.lines[first + at as usize];
            *line = change(*line, of_line);
            pass(next, at, of_line);
            page = (at + 1) * bits;
        }
    }

    /// Why an operation is illegal, in words.
    #[cold]
    fn explain(&self, ops: &OpTable, row: u8, block: BlockId, faulty: Faulty) -> String {
        let definition = ops.row(row);
        let Faulty { line: at, kind, fault } = faulty;
        let (bits, of_block) = (self.kin_of(block).bits, self.of_block(block));
        let line = of_block.get(at as usize).copied().unwrap_or_default();
        let (why, history) = (why(ops, row, line, fault), history(ops, at, line));
        let number = at * bits + kind;
        format!("{} of page {number} of block {block}: {why}; {history}", definition.name)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// What each has been through, block by block, and how many in a row the same: the mode in the lowest four bits, the
    /// pages that were programmed in the next four, and the programs in place since in the upper eight.
    pub fn runs(&self) -> impl Iterator<Item = (u16, usize)> {
        let mut rest = self.lines.as_slice();
        std::iter::from_fn(move || {
            let &line = rest.first()?;
            let count = alike(rest);
            rest = &rest[count..];
            Some((line.number(), count))
        })
    }

    /// [`Self::runs`] of a block whose first pages were programmed as the conventional drive does.
    pub fn runs_of_filled(group: &Group, pages: u32) -> [(u16, usize); 3] {
        let line = |pages: u32| Line::new(NORMAL_NUMBER, (1 << pages) - 1, 0).number();
        let (whole, rest) = (pages / group.bits, pages % group.bits);
        let is_any = u32::from(rest > 0);
        let erased = group.pages_per_block.div_ceil(group.bits) - whole - is_any;
        let counts = [whole, is_any, erased].map(|count| count as usize);
        [(line(group.bits), counts[0]), (line(rest), counts[1]), (0, counts[2])]
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>() + self.next.bytes()
    }
}

/// How many word lines from the first on are like it.
fn alike(lines: &[Line]) -> usize {
    let first = lines[0];
    // Without a way out within a part, so that many are compared at once.
    let is_alike = |part: &&[Line]| part.iter().fold(true, |all, &line| all & (line == first));
    let whole = 64 * lines.chunks_exact(64).take_while(is_alike).count();
    whole + lines[whole..].iter().take_while(|&&line| line == first).count()
}

/// The word line of a page, and the page types from there on that a span covers of it.
#[inline]
fn piece(page: u32, span: Span, bits: u32) -> (u32, u16) {
    let (at, kind) = (page / bits, page % bits);
    let count = (bits - kind).min(span.end() - page);
    (at, ((1 << count) - 1) << kind)
}

/// Pages of word line `at` were programmed: those of their types before them no longer may be.
#[inline]
fn pass(next: &mut [u32; TYPES], at: u32, of_line: u16) {
    for (kind, next) in next.iter_mut().enumerate() {
        let after = if of_line >> kind & 1 == 1 { at + 1 } else { 0 };
        *next = after.max(*next);
    }
}
