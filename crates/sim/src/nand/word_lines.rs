//! What each word line has been through since its last erase, and so which operations it may still take.
//!
//! A program of pages that hold nothing needs them erased, the pages below them on their word line not
//! skipped over later, and the pages of their type in the order of the word lines, which is what keeps
//! the disturbance by neighbours within what a chip is made for. A program in place needs a word line
//! in a mode that its row names, and no more passes than its row allows.

use super::ops::{NORMAL_NUMBER, Rule};
use super::{ERASED, Geometry, Kind, Needs, OpTable, Span, Transition};
use crate::ids::{BlockId, ById, Ids};

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
    blocks: Ids<BlockId>,
    per_block: u32,
    bits: u32,
    /// Page types of a block's last word line, one bit for each: fewer where pages are no multiple of bits.
    types_of_last: u16,
    lines: Vec<Line>,
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

    /// The group of a block, and the first word line of the block there.
    #[inline]
    fn locate(&self, block: BlockId) -> (usize, usize) {
        let group = super::geometry::index_of(&self.groups, |group| group.blocks.end() <= block);
        let Lines { blocks, per_block, .. } = self.groups[group];
        (group, (blocks.place_of(block) * per_block) as usize)
    }

    /// A block is erased.
    pub fn erase(&mut self, block: BlockId) {
        let (group, first) = self.locate(block);
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
    #[inline]
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
    fn program_line(&mut self, (group, first): (usize, usize), rule: Rule, span: Span) -> bool {
        let Lines { bits, per_block, ref mut lines, .. } = self.groups[group];
        let (at, of_line) = piece(span.page, span, bits);
        if rule.kind != Kind::Program || at >= per_block || span.end() > (at + 1) * bits {
            return false;
        }
        let (line, next) = (&mut lines[first + at as usize], &mut self.next[span.block]);
        let is_allowed = fault(rule, *line, of_line, at, next).is_none();
        if is_allowed {
            *line = programmed(rule, *line, of_line);
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
    fn program(&mut self, place: (usize, usize), rule: Rule, span: Span) {
        if rule.kind == Kind::Program {
            self.change(place, span, |line, of_line| programmed(rule, line, of_line));
        }
    }

    /// The word lines of a block.
    fn of_block(&self, block: BlockId) -> &[Line] {
        let (group, first) = self.locate(block);
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
        let types = self.groups[self.locate(block).0].types_of_last;
        let past = |line: &Line| (line.mode(), line.pages() & types, line.passes());
        let lines = self.of_block(block);
        lines.first().map(past) == lines.last().map(past)
    }

    /// True where every page of a span on one word line was programmed, so that it can be read.
    #[inline]
    pub fn holds(&self, span: Span) -> bool {
        let (group, first) = self.locate(span.block);
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
    fn fault(&self, (group, first): (usize, usize), rule: Rule, span: Span) -> Option<Faulty> {
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
        (group, first): (usize, usize),
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
        let (group, first) = self.locate(block);
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

/// Page types by their bits, lowest first.
fn types(mut of_line: u16) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (of_line != 0).then(|| {
            let kind = of_line.trailing_zeros();
            of_line &= of_line - 1;
            kind
        })
    })
}

/// A word line after a program of some of its pages.
#[inline]
fn programmed(rule: Rule, line: Line, of_line: u16) -> Line {
    let in_place = u8::from(rule.needs == Needs::Programmed);
    Line::new(rule.to, line.pages() | of_line, line.passes() + in_place)
}

/// Pages of word line `at` were programmed: those of their types before them no longer may be.
#[inline]
fn pass(next: &mut [u32; TYPES], at: u32, of_line: u16) {
    for kind in types(of_line) {
        next[kind as usize] = next[kind as usize].max(at + 1);
    }
}

/// What forbids an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Beyond,
    NotProgrammed,
    Programmed,
    HigherPage,
    LaterLine,
    Erased,
    Passes,
    Mode,
}

/// What forbids an operation on some pages of word line `at`, and the lowest page type at fault.
#[inline]
fn fault(
    rule: Rule,
    line: Line,
    of_line: u16,
    at: u32,
    next: &[u32; TYPES],
) -> Option<(u32, Fault)> {
    let first = of_line.trailing_zeros();
    match (rule.kind, rule.needs) {
        (Kind::Erase, _) | (_, Needs::NoValidData) => None,
        (Kind::Read, _) => {
            let missing = of_line & !line.pages();
            types(missing).next().map(|kind| (kind, Fault::NotProgrammed))
        }
        (Kind::Program, Needs::Programmed) => {
            in_place_fault(rule, line).map(|fault| (first, fault))
        }
        (Kind::Program, Needs::Erased) => {
            let fresh = fresh_fault(rule, line, first).map(|fault| (first, fault));
            let is_late = |&kind: &u32| at < next[kind as usize];
            fresh.or_else(|| types(of_line).find(is_late).map(|kind| (kind, Fault::LaterLine)))
        }
    }
}

/// Why a page that holds nothing may not be programmed, nor those above it.
fn fresh_fault(rule: Rule, line: Line, kind: u32) -> Option<Fault> {
    match line.pages() >> kind {
        0 if rule.takes(line.mode()) => None,
        0 => Some(Fault::Mode),
        from if from & 1 == 1 => Some(Fault::Programmed),
        _ => Some(Fault::HigherPage),
    }
}

/// Why pages that hold data may not be programmed in place.
fn in_place_fault(rule: Rule, line: Line) -> Option<Fault> {
    match () {
        () if line.pages() == 0 => Some(Fault::Erased),
        () if line.passes() >= rule.passes => Some(Fault::Passes),
        () if !rule.takes(line.mode()) => Some(Fault::Mode),
        () => None,
    }
}

/// What forbids an operation, and the page: its word line in its block, and its type.
#[derive(Debug, Clone, Copy)]
struct Faulty {
    line: u32,
    kind: u32,
    fault: Fault,
}

/// What forbids an operation of a row on a word line, in words.
fn why(ops: &OpTable, row: u8, line: Line, fault: Fault) -> String {
    let Transition { from, passes, .. } = ops.row(row).transition;
    match fault {
        Fault::Beyond => "it lies beyond its block".to_owned(),
        Fault::NotProgrammed => "it was not programmed".to_owned(),
        Fault::Programmed => "it has been programmed since the last erase".to_owned(),
        Fault::HigherPage => "a higher page of its word line was programmed before".to_owned(),
        Fault::LaterLine => {
            "a page of its type on a later word line was programmed before".to_owned()
        }
        Fault::Erased => "its word line is erased".to_owned(),
        Fault::Passes => format!("its word line may be programmed in place {passes} times"),
        Fault::Mode => {
            format!("its word line is {}, not {}", ops.mode_name(line.mode()), from.join(" or "))
        }
    }
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

#[cfg(test)]
mod tests {
    use super::WordLines;
    use crate::ids::BlockId;
    use crate::nand::{
        ERASED, Geometry, Kind, Mode, NORMAL, Needs, OpRow, OpTable, PROGRAM, READ, Span,
        Transition,
    };
    use crate::schema::Config;

    const FIRST: Mode = "first";
    const SECOND: Mode = "second";

    /// TLC blocks of 4 word lines, a first stage of whole word lines and a second one in place.
    struct Rig {
        ops: OpTable,
        lines: WordLines,
        first: u8,
        second: u8,
    }

    fn rig() -> Rig {
        let mut config = Config::default();
        config.drive.chip.pages_per_block = 12;
        let geometry = Geometry::new(&config).expect("a valid geometry");
        let mut ops = OpTable::default();
        let chip = config.drive.kinds()[0].chip;
        ops.add_flash(chip, &geometry.groups[0]).expect("latencies of each page type");
        let row = |name, needs, transition| OpRow {
            name,
            kind: Kind::Program,
            needs,
            array_ns: [1; 4],
            transition,
            transfers: true,
            energy_nj: [0; 4],
        };
        let first = ops.push(row("first", Needs::Erased, Transition::first(&[ERASED], FIRST)));
        let in_place = Transition { from: &[FIRST, SECOND], to: SECOND, passes: 2 };
        let second = ops.push(row("second", Needs::Programmed, in_place));
        Rig { lines: WordLines::new(&geometry), ops, first, second }
    }

    impl Rig {
        /// Carries out an operation on pages of block 1; the reason if it may not be.
        fn go(&mut self, row: u8, page: u32, pages: u32) -> Option<String> {
            self.lines.carry_out(&self.ops, row, Span { block: BlockId(1), page, pages }).err()
        }

        fn refuses(&mut self, row: u8, page: u32, pages: u32, why: &str) {
            let fault = self.go(row, page, pages).expect("it is illegal");
            assert!(fault.contains(why), "{fault}");
        }
    }

    #[test]
    fn pages_are_programmed_once_and_lowest_first() {
        let mut rig = rig();
        assert_eq!(rig.go(PROGRAM, 0, 2), None);
        rig.refuses(PROGRAM, 1, 1, "it has been programmed since the last erase");
        assert_eq!(rig.go(READ, 1, 1), None);
        rig.refuses(READ, 2, 1, "it was not programmed; word line 0 is normal");
        assert_eq!(rig.go(PROGRAM, 2, 1), None);
        assert_eq!(rig.go(PROGRAM, 5, 1), None, "the last page of a word line, the others skipped");
        rig.refuses(PROGRAM, 4, 1, "a higher page of its word line was programmed before");
    }

    #[test]
    fn pages_of_a_type_are_programmed_in_the_order_of_word_lines() {
        let mut rig = rig();
        assert_eq!(rig.go(PROGRAM, 6, 1), None);
        rig.refuses(PROGRAM, 3, 1, "on a later word line was programmed before");
        assert_eq!(rig.go(PROGRAM, 1, 1), None, "of another type");
        assert_eq!(rig.go(PROGRAM, 9, 1), None);
    }

    #[test]
    fn a_word_line_takes_so_many_programs_in_place_and_no_more() {
        let mut rig = rig();
        let (first, second) = (rig.first, rig.second);
        rig.refuses(second, 0, 3, "its word line is erased");
        assert_eq!(rig.go(first, 0, 3), None);
        assert_eq!(rig.go(second, 0, 3), None);
        assert_eq!(rig.go(second, 0, 3), None);
        rig.refuses(second, 0, 3, "its word line may be programmed in place 2 times");
        rig.refuses(second, 0, 3, "word line 0 is second, its pages 0, 1, 2 programmed");
    }

    #[test]
    fn a_program_needs_the_modes_that_its_row_names() {
        let mut rig = rig();
        let (first, second) = (rig.first, rig.second);
        assert_eq!(rig.go(PROGRAM, 0, 3), None);
        rig.refuses(second, 0, 3, "its word line is normal, not first or second");
        assert_eq!(rig.go(first, 3, 2), None);
        rig.refuses(first, 5, 1, "its word line is first, not erased");
        rig.refuses(PROGRAM, 5, 1, "its word line is first, not erased or normal");
    }

    #[test]
    fn a_block_is_even_once_a_pass_has_gone_over_all_of_it() {
        let mut config = Config::default();
        config.drive.chip.pages_per_block = 11;
        let mut lines = WordLines::new(&Geometry::new(&config).expect("a valid geometry"));
        let block = BlockId(1);
        assert!(lines.is_erased(block) && lines.is_even(block));
        lines.fill(block, 10);
        assert!(!lines.is_erased(block) && !lines.is_even(block));
        lines.fill(block, 11);
        assert!(lines.is_even(block), "its last word line has two pages");
        let mut rig = rig();
        let (first, second) = (rig.first, rig.second);
        assert_eq!(rig.go(first, 0, 12), None);
        assert_eq!(rig.go(second, 0, 9), None);
        assert!(!rig.lines.is_even(block), "a second pass stopped before the last word line");
        assert_eq!(rig.go(second, 9, 3), None);
        assert!(rig.lines.is_even(block));
    }

    #[test]
    fn an_erase_forgets_all_and_what_was_filled_is_normal() {
        let mut rig = rig();
        let (first, second) = (rig.first, rig.second);
        rig.refuses(READ, 0, 1, "it was not programmed; word line 0 is erased");
        assert_eq!(rig.go(first, 0, 3), None);
        assert_eq!(rig.go(READ, 2, 1), None);
        rig.lines.erase(BlockId(1));
        rig.refuses(READ, 2, 1, "it was not programmed");
        rig.lines.fill(BlockId(1), 4);
        assert_eq!(rig.go(READ, 3, 1), None);
        rig.refuses(second, 0, 1, &format!("its word line is {NORMAL}"));
        rig.refuses(first, 3, 3, "it has been programmed");
        assert_eq!(rig.go(PROGRAM, 4, 2), None);
        assert_eq!(rig.go(first, 6, 3), None);
        rig.refuses(first, 9, 4, "of page 12 of block 1: it lies beyond its block");
    }
}
