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
use super::{Geometry, Kind, OpTable, Span};
use crate::ids::{BlockId, ById, Ids};
use line::{Line, types};
use rules::{Fault, Faulty, fault, history, why};

/// Pages of a word line at most.
const TYPES: usize = 4;

/// The word lines of one kind of flash.
#[derive(Debug, Clone)]
struct Lines {
    blocks: Ids<BlockId>,
    per_block: u32,
    bits: u32,
    /// Page types of a block's last word line, one bit for each: fewer where pages are no multiple of bits.
    types_of_last: u16,
    lines: Vec<Line>,
}

/// Where the word lines of a block stand.
#[derive(Clone, Copy)]
struct Place {
    group: usize,
    /// The first of them, within the group.
    first: usize,
}

/// The word lines of a drive.
#[derive(Debug, Clone)]
pub struct WordLines {
    groups: Vec<Lines>,
    /// By block and page type: the first word line whose page of that type may still be programmed.
    next: ById<BlockId, [u32; TYPES]>,
}

impl WordLines {
    /// Those of an erased drive.
    pub fn new(geometry: &Geometry) -> Self {
        let lines = |group: &super::Group| {
            let per_block = group.pages_per_block.div_ceil(group.bits);
            let count = group.blocks.count() as usize * per_block as usize;
            let lines = vec![Line::default(); count];
            let types_of_last = (1 << (group.pages_per_block - (per_block - 1) * group.bits)) - 1;
            Lines { blocks: group.blocks, per_block, bits: group.bits, types_of_last, lines }
        };
        let next = ById::filled([0; TYPES], geometry.blocks().count());
        Self { groups: geometry.groups.iter().map(lines).collect(), next }
    }

    #[inline]
    fn locate(&self, block: BlockId) -> Place {
        let group = super::geometry::index_of(&self.groups, |group| group.blocks.end() <= block);
        let Lines { blocks, per_block, .. } = self.groups[group];
        Place { group, first: (blocks.place_of(block) * per_block) as usize }
    }

    /// A block is erased.
    pub fn erase(&mut self, block: BlockId) {
        let Place { group, first } = self.locate(block);
        let Lines { per_block, lines, .. } = &mut self.groups[group];
        lines[first..first + *per_block as usize].fill(Line::default());
        self.next[block] = [0; TYPES];
    }

    /// The first pages of an erased block were programmed as the conventional drive does.
    pub fn fill(&mut self, block: BlockId, pages: u32) {
        let span = Span { block, page: 0, pages };
        self.change(self.locate(block), span, |line, of_line| {
            Line::new(NORMAL_NUMBER, line.pages() | of_line, 0)
        });
    }

    /// Carries out an operation of `row` on `span`, if the word lines allow it.
    ///
    /// # Errors
    /// What forbids it: the word line and what it has been through.
    #[inline(always)]
    pub fn carry_out(&mut self, ops: &OpTable, row: u8, span: Span) -> Result<(), String> {
        let rule = ops.rule(row);
        if rule.kind == Kind::Erase {
            self.erase(span.block);
            return Ok(());
        }
        let place = self.locate(span.block);
        if self.program_line(place, rule, span) {
            return Ok(());
        }
        if let Some(fault) = self.fault(place, rule, span) {
            return Err(self.explain(ops, row, span.block, fault));
        }
        self.program(place, rule, span);
        Ok(())
    }

    /// Programs pages of one word line, if that is all and allowed: most programs are of one, which is then
    /// looked at once.
    #[inline]
    fn program_line(&mut self, Place { group, first }: Place, rule: Rule, span: Span) -> bool {
        let Lines { bits, per_block, ref mut lines, .. } = self.groups[group];
        let (at, of_line) = piece(span.page, span, bits);
        if rule.kind != Kind::Program || at >= per_block || span.end() > (at + 1) * bits {
            return false;
        }
        let (line, next) = (&mut lines[first + at as usize], &mut self.next[span.block]);
        let is_allowed = fault(rule, *line, of_line, at, next).is_none();
        if is_allowed {
            *line = line.programmed(rule, of_line);
            pass(next, at, of_line);
        }
        is_allowed
    }

    /// An operation that was found to be legal has been carried out.
    pub fn apply(&mut self, ops: &OpTable, row: u8, span: Span) {
        let rule = ops.rule(row);
        match rule.kind {
            Kind::Erase => self.erase(span.block),
            Kind::Program | Kind::Read => self.program(self.locate(span.block), rule, span),
        }
    }

    /// What a program does to the word lines of a span; a read does nothing to them.
    #[inline]
    fn program(&mut self, place: Place, rule: Rule, span: Span) {
        if rule.kind == Kind::Program {
            self.change(place, span, |line, of_line| line.programmed(rule, of_line));
        }
    }

    /// The word lines of a block.
    fn of_block(&self, block: BlockId) -> &[Line] {
        let Place { group, first } = self.locate(block);
        let Lines { per_block, ref lines, .. } = self.groups[group];
        &lines[first..first + per_block as usize]
    }

    /// True where nothing was programmed since the last erase.
    pub fn is_erased(&self, block: BlockId) -> bool {
        self.of_block(block).iter().all(|&line| line == Line::default())
    }

    /// True where the last word line has been through what the first has: no pass over the block stopped on
    /// its way.
    pub fn is_even(&self, block: BlockId) -> bool {
        let types = self.groups[self.locate(block).group].types_of_last;
        let past = |line: &Line| (line.mode(), line.pages() & types, line.passes());
        let lines = self.of_block(block);
        lines.first().map(past) == lines.last().map(past)
    }

    /// True where every page of a span on one word line was programmed, so that it can be read.
    #[inline(always)]
    pub fn holds(&self, span: Span) -> bool {
        let Place { group, first } = self.locate(span.block);
        let Lines { bits, per_block, ref lines, .. } = self.groups[group];
        let (at, of_line) = piece(span.page, span, bits);
        at < per_block
            && span.end() <= (at + 1) * bits
            && of_line & !lines[first + at as usize].pages() == 0
    }

    /// May an operation of `row` be carried out on `span`?
    ///
    /// # Errors
    /// What forbids it: the word line and what it has been through.
    pub fn judge(&self, ops: &OpTable, row: u8, span: Span) -> Result<(), String> {
        match self.fault(self.locate(span.block), ops.rule(row), span) {
            None => Ok(()),
            Some(fault) => Err(self.explain(ops, row, span.block, fault)),
        }
    }

    /// The first word line of a span that forbids an operation.
    #[inline]
    fn fault(&self, Place { group, first }: Place, rule: Rule, span: Span) -> Option<Faulty> {
        let Lines { bits, per_block, ref lines, .. } = self.groups[group];
        let next = &self.next[span.block];
        let mut page = span.page;
        while page < span.end() {
            let (at, of_line) = piece(page, span, bits);
            if at >= per_block {
                return Some(Faulty { line: at, kind: 0, fault: Fault::Beyond });
            }
            if let Some((kind, fault)) = fault(rule, lines[first + at as usize], of_line, at, next)
            {
                return Some(Faulty { line: at, kind, fault });
            }
            page = (at + 1) * bits;
        }
        None
    }

    /// Programs pages: what becomes of each word line is up to `change`, which is told the page types.
    #[inline]
    fn change(
        &mut self,
        Place { group, first }: Place,
        span: Span,
        change: impl Fn(Line, u16) -> Line,
    ) {
        let Lines { bits, ref mut lines, .. } = self.groups[group];
        let next = &mut self.next[span.block];
        let mut page = span.page;
        while page < span.end() {
            let (at, of_line) = piece(page, span, bits);
            let line = &mut lines[first + at as usize];
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
        let Place { group, first } = self.locate(block);
        let Lines { bits, per_block, ref lines, .. } = self.groups[group];
        let line = if at < per_block { lines[first + at as usize] } else { Line::default() };
        let (why, history) = (why(ops, row, line, fault), history(ops, at, line));
        let number = at * bits + kind;
        format!("{} of page {number} of block {block}: {why}; {history}", definition.name)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        let lines: usize = self.groups.iter().map(|group| group.lines.capacity()).sum();
        lines * size_of::<Line>() + self.next.bytes()
    }
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
    for kind in types(of_line) {
        next[kind as usize] = next[kind as usize].max(at + 1);
    }
}
