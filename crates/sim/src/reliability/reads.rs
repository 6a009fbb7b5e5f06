//! How often the pages of a drive are sensed, since when they hold what they do, and how often their blocks were read.

use super::Chip;
use super::page::{ErasedCells, Known, Page};
use super::retries::Retries;
use super::sources::FILE;
use super::tally::{Sensed, Tally};
use crate::error::Error;
use crate::ids::{BlockId, ById, Id};
use crate::nand::command::Cause;
use crate::nand::{Geometry, Group};
use crate::schema::{Config, ReadErrors};
use crate::util::{large_zeros, mix};
use std::ops::Range;

/// How often pages are sensed, by kind of flash, and what their blocks have been through.
#[derive(Debug)]
pub struct ReadModel {
    groups: Vec<Retries>,
    /// Time of each word line's last program, in seconds since the start of the run.
    programmed_s: Vec<u32>,
    /// Where the word lines of each kind of flash of the drive begin there.
    lines: Vec<Lines>,
    /// Of blocks of the flash, and of those of the drive, which may have fewer, when they were filled.
    histories: ById<BlockId, History>,
}

/// The word lines of the blocks of a kind of flash.
#[derive(Debug, Clone, Copy)]
struct Lines {
    block: BlockId,
    first: usize,
    per_block: usize,
}

/// What a block has been through since its erase: a line of the cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct History {
    /// When the first of its word lines was programmed, and when the last: most often in one second, and the time of each
    /// line need not be looked up.
    filled_s: (u32, u32),
    /// Pages that were read.
    reads: u32,
    /// The step of the retry table by which the next one is read first.
    step: u16,
    known: Known,
}

impl History {
    /// A block in which nothing was programmed since the start of the run.
    const NONE: Self = Self { filled_s: (0, 0), reads: 0, step: 0, known: Known::NOTHING };
}

impl ReadModel {
    /// Reads of a drive, whose blocks are `of_flash` blocks of the flash, and whose erase scheme says of group `n`
    /// `erased_cells(n)`; `None` where one sensing reads every page.
    ///
    /// # Errors
    /// Error rates that do not fit the drive.
    pub fn of(
        config: &Config,
        (drive, of_flash): (&Geometry, u32),
        erased_cells: impl Fn(usize) -> Option<ErasedCells>,
    ) -> Result<Option<Self>, Error> {
        let reads = &config.drive.reads;
        if reads.model == ReadErrors::None {
            return Ok(None);
        }
        let retries = |(group, kind): (usize, &crate::schema::Chips<'_>)| {
            // Groups draw apart.
            let seed = mix(config.run.seed) ^ if group == 0 { 0 } else { mix(group as u64) };
            let usual =
                ErasedCells { chip: Chip::of_cells(kind.chip.cell), word_lines_alike: false };
            Retries::new(erased_cells(group).unwrap_or(usual), kind.chip, seed, reads)
        };
        let groups =
            config.drive.kinds().iter().enumerate().map(retries).collect::<Result<_, _>>()?;
        let mut first = 0;
        let lines_of = |group: &Group| {
            let per_block = group.pages_per_block.div_ceil(group.bits) as usize;
            let lines = Lines { block: group.blocks.first(), first, per_block };
            first += per_block * group.blocks.count() as usize;
            lines
        };
        let lines = drive.groups.iter().map(lines_of).collect();
        let histories = ById::filled(History::NONE, of_flash);
        let programmed_s = large_zeros(first);
        Ok(Some(Self { groups, programmed_s, lines, histories }))
    }

    /// Word lines of a block, which is of a kind of flash, are programmed.
    #[inline]
    pub fn programmed(
        &mut self,
        (group, block): (usize, BlockId),
        word_lines: Range<u32>,
        now_ns: u64,
    ) {
        let first = self.line_of(group, block, word_lines.start);
        let now_s = (now_ns / 1_000_000_000) as u32;
        self.programmed_s[first..][..word_lines.len()].fill(now_s);
        let (first_s, last_s) = &mut self.histories[block].filled_s;
        (*first_s, *last_s) = ((*first_s).min(now_s), now_s);
    }

    #[inline]
    fn line_of(&self, group: usize, block: BlockId, word_line: u32) -> usize {
        let Lines { block: from, first, per_block } = self.lines[group];
        first + (block.number() - from.number()) as usize * per_block + word_line as usize
    }

    /// A block of the drive is erased, and with it these blocks of the flash.
    pub fn erased(&mut self, block: BlockId, of_flash: impl Iterator<Item = BlockId>) {
        for block in of_flash {
            let history = &mut self.histories[block];
            *history = History { filled_s: history.filled_s, ..History::NONE };
        }
        self.histories[block].filled_s = (u32::MAX, 0);
    }

    /// Time since a word line was last programmed; since the start of the run where that was before.
    #[inline(always)]
    pub fn age_h(&self, (group, block): (usize, BlockId), word_line: u32, now_ns: u64) -> f64 {
        let (first_s, last_s) = self.histories[block].filled_s;
        let since_s = match first_s == last_s {
            true => first_s,
            false => self.programmed_s[self.line_of(group, block, word_line)],
        };
        now_ns.saturating_sub(u64::from(since_s) * 1_000_000_000) as f64 * (1.0 / 3.6e12)
    }

    /// Whether the errors of a kind of flash grow with damage, not with the number of P/E cycles.
    #[inline]
    pub fn counts_damage(&self, group: usize) -> bool {
        self.groups[group].counts_damage()
    }

    /// Senses a page of a kind of flash, whose read covers `pages`, where what is known of its block says that one sensing
    /// does; else nothing happens. `at`: its age, and the P/E cycles of the block.
    #[inline(always)]
    pub fn passes(
        &mut self,
        group: usize,
        page: (BlockId, u32, usize),
        (age_h, cycles): (f64, u32),
        (pages, cause): (u32, Cause),
    ) -> bool {
        let history = &mut self.histories[page.0];
        if history.known.cycles != cycles || history.step != 0 {
            return false;
        }
        let at = (history.reads, age_h);
        let passes = self.groups[group].passes(&history.known, page, at, cause);
        history.reads = history.reads.saturating_add(if passes { pages } else { 0 });
        passes
    }

    /// Senses a page of a kind of flash, whose read covers `pages`, until the code corrects it; `None` where that takes one
    /// sensing.
    pub fn sense(&mut self, group: usize, page: &Page, pages: u32, cause: Cause) -> Option<Sensed> {
        let History { reads, step, known, .. } = &mut self.histories[page.block];
        let before = (*reads, usize::from(*step));
        *reads = reads.saturating_add(pages);
        let sensed = self.groups[group].sense(page, before, known, cause)?;
        if !sensed.is_lost && self.groups[group].goes_on() {
            *step = sensed.step as u16;
        }
        Some(sensed)
    }

    /// Pages count anew from here on. The draws of a code go on with the reads before.
    pub fn count_anew(&mut self) {
        self.groups.iter_mut().for_each(Retries::count_anew);
    }

    /// Of the pages that count.
    pub fn tally(&self) -> Tally {
        self.groups
            .iter()
            .map(Retries::tally)
            .reduce(|one, other| one.and(&other))
            .unwrap_or_default()
    }
}

/// Whether `drive.reads.table` is the path of a file that has not been read yet.
pub fn is_table_file(table: &str) -> bool {
    !table.is_empty() && !table.contains('\n')
}

/// What `drive.reads.table` is once the file at a path was read.
pub fn table_of_file(path: &str, text: &str) -> String {
    format!("{FILE}{path}\n{text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_lines_are_as_old_as_their_last_program() {
        let mut config = Config::default();
        config.drive.reads.model = ReadErrors::Cell;
        let geometry = Geometry::new(&config).expect("the default drive");
        let model = ReadModel::of(&config, (&geometry, 2), |_| None).expect("built-in tables");
        let mut model = model.expect("pages have errors");
        let hour_ns = 3_600_000_000_000;
        let [first, block] = [0, 1].map(|block| (0, BlockId(block)));
        model.programmed(block, 2..4, hour_ns);
        let ages: Vec<f64> = (0..5).map(|at| model.age_h(block, at, 3 * hour_ns)).collect();
        assert_eq!(ages, [3.0, 3.0, 2.0, 2.0, 3.0]);
        model.programmed(block, 0..1, 3 * hour_ns);
        assert_eq!(model.age_h(block, 0, 3 * hour_ns), 0.0);
        assert_eq!(model.age_h(first, 0, hour_ns), 1.0);
        model.erased(block.1, [block.1].into_iter());
        model.programmed(block, 0..2, 4 * hour_ns);
        assert_eq!(
            model.age_h(block, 4, 5 * hour_ns),
            1.0,
            "of which no line was programmed since"
        );
    }
}
