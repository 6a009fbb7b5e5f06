//! What a command costs: array time and energy.

use crate::drive::DriveState;
use crate::ids::BlockId;
use crate::nand::command::{Command, Extent, Program, Read, Sensing};
use crate::nand::{Entry, PROGRAM, READ, Span};

/// What a command costs, and the row that says so.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost<'a> {
    pub row: &'a Entry,
    pub array_ns: u64,
    pub energy_nj: u64,
}

impl Cost<'_> {
    /// Something more that is done at the same time: together they take as long as the slower of them.
    fn beside(self, other: Self) -> Self {
        let energy_nj = self.energy_nj + other.energy_nj;
        let slower = if other.array_ns > self.array_ns { other } else { self };
        Self { energy_nj, ..slower }
    }
}

impl DriveState {
    /// The row by which a program of `row` is carried out in a block.
    #[inline(always)]
    pub(super) fn program_row(&self, row: u8, block: BlockId) -> u8 {
        if row == PROGRAM { self.blocks[block].program_row } else { row }
    }

    /// The row of a read by `row` as the word lines of a block know it.
    #[inline(always)]
    pub(super) fn sensing_row(&self, row: u8, block: BlockId) -> u8 {
        let rows = || self.ops.of_group(self.geometry.group_of(block));
        if row == READ { rows().read } else { row }
    }

    /// The row of an erase of a block.
    #[inline(always)]
    pub(super) fn erase_row(&self, block: BlockId) -> u8 {
        self.ops.of_group(self.geometry.group_of(block)).erase
    }

    /// The row of a command in a block, that of its span of number `at`.
    pub(super) fn row_of(&self, command: &Command<'_>, at: usize, block: BlockId) -> u8 {
        match command {
            Command::Program(program) => self.program_row(program.row, block),
            Command::Read(read) => self.sensing_row(read.sensing_of(at).row, block),
            Command::Erase(_) => self.erase_row(block),
        }
    }

    /// What a program takes.
    #[inline(always)]
    pub(super) fn program_cost(&self, program: Program<'_>) -> Cost<'_> {
        let Program { row, extent, span, others, .. } = program;
        self.program_cost_by((row, extent), span, others)
    }

    /// What a program by a row takes in its spans.
    #[inline(always)]
    pub(super) fn program_cost_by(
        &self,
        (row, extent): (u8, Extent),
        span: Span,
        others: &[Span],
    ) -> Cost<'_> {
        let cost = self.program_cost_of(row, extent, span);
        match others {
            [] => cost,
            _ => self.with_other_spans((row, extent), others, cost),
        }
    }

    // Given what it looks at, as is all that is called seldom: the whole command would be kept in memory.
    #[cold]
    fn with_other_spans<'a>(
        &'a self,
        (row, extent): (u8, Extent),
        others: &[Span],
        first: Cost<'a>,
    ) -> Cost<'a> {
        let others = others.iter().map(|&span| self.program_cost_of(row, extent, span));
        others.fold(first, Cost::beside)
    }

    /// What a program by a row takes in a span.
    #[inline(always)]
    fn program_cost_of(&self, asked_row: u8, extent: Extent, span: Span) -> Cost<'_> {
        let group = self.geometry.of(span.block);
        let own_row = self.blocks[span.block].program_row;
        let row = if asked_row == PROGRAM { own_row } else { asked_row };
        let entry = self.ops.entry(row);
        let definition = &entry.op;
        let last = group.bits as usize - 1;
        let kind = group.page_type(span.page) as usize;
        let pages = span.pages as usize;
        let (mut array_ns, energy_nj) = match extent {
            _ if pages == 1 => (definition.array_ns[kind], definition.energy_nj[kind]),
            extent if kind + pages <= group.bits as usize => {
                // Within a word line page types follow one another.
                debug_assert!(extent != Extent::WordLines || pages == last + 1);
                let of_pages = |values: &[u64; 4]| values[kind..kind + pages].iter().sum::<u64>();
                let array_ns = match extent {
                    Extent::Once => definition.array_ns[kind],
                    Extent::PartOfWordLine | Extent::WordLines => definition.array_ns[last],
                    Extent::Pages => of_pages(&definition.array_ns),
                };
                (array_ns, of_pages(&definition.energy_nj))
            }
            extent => {
                let kinds = (span.page..span.end()).map(|page| group.page_type(page) as usize);
                let array_ns = match extent {
                    Extent::Once => definition.array_ns[kind],
                    Extent::PartOfWordLine => definition.array_ns[last],
                    Extent::WordLines => {
                        u64::from(span.pages / group.bits) * definition.array_ns[last]
                    }
                    Extent::Pages => kinds.clone().map(|kind| definition.array_ns[kind]).sum(),
                };
                (array_ns, kinds.map(|kind| definition.energy_nj[kind]).sum())
            }
        };
        if asked_row != PROGRAM {
            array_ns = self.ops.slowed_ns(own_row, array_ns);
        }
        Cost { row: entry, array_ns, energy_nj }
    }

    /// What a program or an erase takes, nanojoules.
    pub(super) fn changing_nj(&self, command: &Command<'_>) -> u64 {
        match command {
            Command::Program(program) => self.program_cost(*program).energy_nj,
            Command::Erase(erase) => erase.energy_nj,
            Command::Read(_) => 0,
        }
    }

    /// What a read takes.
    #[inline(always)]
    pub(super) fn read_cost(&self, read: Read<'_>) -> Cost<'_> {
        self.sensing_cost((read.span, read.sensing), (read.others, read.other_sensings))
    }

    /// What sensing pages takes.
    #[inline(always)]
    pub(super) fn sensing_cost(
        &self,
        (span, sensing): (Span, Sensing),
        (others, sensings): (&[Span], &[Sensing]),
    ) -> Cost<'_> {
        let cost = self.sensing(span, sensing);
        match others {
            [] => cost,
            _ => self.with_other_senses(others, sensings, cost),
        }
    }

    #[cold]
    fn with_other_senses<'a>(
        &'a self,
        others: &[Span],
        sensings: &[Sensing],
        first: Cost<'a>,
    ) -> Cost<'a> {
        let others = others.iter().zip(sensings);
        others.map(|(&span, &sensing)| self.sensing(span, sensing)).fold(first, Cost::beside)
    }

    /// What it takes to sense the pages of a unit, in their plane.
    #[inline(always)]
    fn sensing(&self, span: Span, sensing: Sensing) -> Cost<'_> {
        let group = self.geometry.of(span.block);
        let row = match sensing.row {
            READ => self.blocks[span.block].read_row,
            row => row,
        };
        let entry = self.ops.entry(row);
        let definition = &entry.op;
        let of = |page| {
            let kind = group.page_type(page) as usize;
            (definition.array_ns[kind], definition.energy_nj[kind])
        };
        let (array_ns, energy_nj) = match span.pages {
            1 => of(span.page),
            _ => (span.page..span.end())
                .map(of)
                .fold((0, 0), |sum, page| (sum.0 + page.0, sum.1 + page.1)),
        };
        let times = u64::from(sensing.times);
        Cost { row: entry, array_ns: array_ns * times, energy_nj: energy_nj * times }
    }
}
