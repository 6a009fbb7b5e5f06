//! What each word line has been through since its last erase, and so which operations it may still take.
//!
//! A program of pages that hold nothing needs them erased, the pages below them on their word line not
//! skipped over later, and the pages of their type in the order of the word lines, which is what keeps
//! the disturbance by neighbours within what a chip is made for. A program in place needs a word line
//! in a mode that its row names, and no more passes than its row allows.

use super::ops::NORMAL_NUMBER;
use super::{ERASED, Geometry, Kind, Needs, OpTable, Span};

/// Pages of a word line at most.
const TYPES: usize = 4;
const PAGES_SHIFT: u32 = 4;
const PASSES_SHIFT: u32 = 8;

/// A word line: how it was programmed, which of its pages, how often in place since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Line(u16);

impl Line {
    fn mode(self) -> u8 {
        (self.0 & 0xf) as u8
    }

    /// One bit for each page type.
    fn pages(self) -> u16 {
        self.0 >> PAGES_SHIFT & 0xf
    }

    fn passes(self) -> u8 {
        (self.0 >> PASSES_SHIFT) as u8
    }

    fn new(mode: u8, pages: u16, passes: u8) -> Self {
        Self(u16::from(mode) | pages << PAGES_SHIFT | u16::from(passes) << PASSES_SHIFT)
    }
}

/// The word lines of one kind of flash.
#[derive(Debug, Clone)]
struct Lines {
    first_block: u32,
    per_block: u32,
    bits: u32,
    lines: Vec<Line>,
}

/// The word lines of a drive.
#[derive(Debug, Clone)]
pub struct WordLines {
    groups: Vec<Lines>,
    /// By block and page type: the first word line whose page of that type may still be programmed.
    next: Vec<[u32; TYPES]>,
}

impl WordLines {
    /// Those of an erased drive.
    pub fn new(geometry: &Geometry) -> Self {
        let lines = |group: &super::Group| {
            let per_block = group.pages_per_block.div_ceil(group.bits);
            let count = group.blocks.len() * per_block as usize;
            let lines = vec![Line::default(); count];
            Lines { first_block: group.blocks.start, per_block, bits: group.bits, lines }
        };
        let next = vec![[0; TYPES]; geometry.blocks() as usize];
        Self { groups: geometry.groups.iter().map(lines).collect(), next }
    }

    /// The group of a block, and the first word line of the block there.
    fn locate(&self, block: u32) -> (usize, usize) {
        let group = self.groups.partition_point(|group| group.first_block <= block) - 1;
        let Lines { first_block, per_block, .. } = self.groups[group];
        (group, ((block - first_block) * per_block) as usize)
    }

    /// A block is erased.
    pub fn erase(&mut self, block: u32) {
        let (group, first) = self.locate(block);
        let Lines { per_block, lines, .. } = &mut self.groups[group];
        lines[first..first + *per_block as usize].fill(Line::default());
        self.next[block as usize] = [0; TYPES];
    }

    /// The first pages of an erased block were programmed as the conventional drive does.
    pub fn fill(&mut self, block: u32, pages: u32) {
        let span = Span { block, page: 0, pages };
        self.each_line(span, |line, of_line| {
            *line = Line::new(NORMAL_NUMBER, line.pages() | of_line, 0);
        });
        self.advance(span);
    }

    /// Carries out an operation of `row` on `span`, if the word lines allow it.
    ///
    /// # Errors
    /// What forbids it: the word line and what it has been through.
    pub fn carry_out(&mut self, ops: &OpTable, row: u8, span: Span) -> Result<(), String> {
        let definition = ops.row(row);
        if definition.kind == Kind::Erase {
            self.erase(span.block);
            return Ok(());
        }
        self.judge(ops, row, span)?;
        if definition.kind == Kind::Program {
            let in_place = u8::from(definition.needs == Needs::Programmed);
            let to = ops.mode_after(row);
            self.each_line(span, |line, of_line| {
                *line = Line::new(to, line.pages() | of_line, line.passes() + in_place);
            });
            self.advance(span);
        }
        Ok(())
    }

    /// May an operation of `row` be carried out on `span`?
    ///
    /// # Errors
    /// What forbids it: the word line and what it has been through.
    pub fn judge(&self, ops: &OpTable, row: u8, span: Span) -> Result<(), String> {
        let definition = ops.row(row);
        let (group, first) = self.locate(span.block);
        let Lines { bits, per_block, ref lines, .. } = self.groups[group];
        if span.end() > per_block * bits {
            return Err(format!("{} of pages beyond block {}", definition.name, span.block));
        }
        for page in span.page..span.end() {
            let (at, kind) = (page / bits, page % bits);
            let line = lines[first + at as usize];
            let fault = match (definition.kind, definition.needs) {
                (Kind::Erase, _) | (_, Needs::NoValidData) => None,
                (Kind::Read, _) => fault(line.pages() >> kind & 1 == 0, "it was not programmed"),
                (Kind::Program, Needs::Programmed) => in_place_fault(ops, row, line, kind),
                (Kind::Program, Needs::Erased) => fresh_fault(ops, row, line, kind).or(fault(
                    at < self.next[span.block as usize][kind as usize],
                    "a page of its type on a later word line was programmed before",
                )),
            };
            if let Some(fault) = fault {
                return Err(format!(
                    "{} of page {page} of block {}: {fault}; {}",
                    definition.name,
                    span.block,
                    history(ops, at, line)
                ));
            }
        }
        Ok(())
    }

    /// Calls `change` for each word line of a span, with one bit for each page type of the span there.
    fn each_line(&mut self, span: Span, mut change: impl FnMut(&mut Line, u16)) {
        let (group, first) = self.locate(span.block);
        let Lines { bits, ref mut lines, .. } = self.groups[group];
        let mut page = span.page;
        while page < span.end() {
            let (at, kind) = (page / bits, page % bits);
            let count = (bits - kind).min(span.end() - page);
            change(&mut lines[first + at as usize], ((1 << count) - 1) << kind);
            page += count;
        }
    }

    fn advance(&mut self, span: Span) {
        let (group, _) = self.locate(span.block);
        let bits = self.groups[group].bits;
        let next = &mut self.next[span.block as usize];
        for page in span.page..span.end() {
            let of_type = &mut next[(page % bits) as usize];
            *of_type = (*of_type).max(page / bits + 1);
        }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        let lines: usize = self.groups.iter().map(|group| group.lines.capacity()).sum();
        lines * size_of::<Line>() + self.next.capacity() * size_of::<[u32; TYPES]>()
    }
}

fn fault(is_one: bool, what: &'static str) -> Option<String> {
    is_one.then(|| what.to_owned())
}

/// Why a page that holds nothing may not be programmed.
fn fresh_fault(ops: &OpTable, row: u8, line: Line, kind: u32) -> Option<String> {
    if line.pages() >> kind & 1 == 1 {
        return fault(true, "it has been programmed since the last erase");
    }
    if line.pages() >> kind != 0 {
        return fault(true, "a higher page of its word line was programmed before");
    }
    mode_fault(ops, row, line)
}

/// Why a page that holds data may not be programmed in place.
fn in_place_fault(ops: &OpTable, row: u8, line: Line, kind: u32) -> Option<String> {
    let at_most = ops.row(row).transition.passes;
    if line.pages() == 0 {
        return fault(true, "its word line is erased");
    }
    if line.passes() >= at_most {
        return Some(format!("its word line may be programmed in place {at_most} times"));
    }
    if at_most == 0 {
        return Some(format!("page type {kind} takes no program in place"));
    }
    mode_fault(ops, row, line)
}

fn mode_fault(ops: &OpTable, row: u8, line: Line) -> Option<String> {
    let from = ops.row(row).transition.from;
    let mode = ops.mode_name(line.mode());
    (!from.contains(&mode)).then(|| format!("its word line is {mode}, not {}", from.join(" or ")))
}

/// What a word line has been through.
fn history(ops: &OpTable, at: u32, line: Line) -> String {
    match ops.mode_name(line.mode()) {
        ERASED => format!("word line {at} is erased"),
        mode => {
            let pages: Vec<String> = (0..TYPES)
                .filter(|kind| line.pages() >> kind & 1 == 1)
                .map(|kind| kind.to_string())
                .collect();
            format!(
                "word line {at} is {mode}, its pages {} programmed since the erase, {} times in place",
                pages.join(", "),
                line.passes()
            )
        }
    }
}
