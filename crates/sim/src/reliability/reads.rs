//! How often the pages of a drive are sensed, since when they hold what they do, and how often their blocks were read.

use super::Chip;
use super::page::{ErasedCells, Page};
use super::retries::{FILE, Retries};
use super::tally::{Sensed, Tally};
use crate::error::Error;
use crate::ids::{BlockId, ById};
use crate::nand::command::Cause;
use crate::schema::{Config, ReadErrors};
use crate::util::mix;
use std::ops::Range;

/// How often pages are sensed, by kind of flash, and what their blocks have been through.
#[derive(Debug)]
pub struct ReadModel {
    groups: Vec<Retries>,
    /// Time of each word line's last program, in seconds since the start of the run; by block, as far as it was
    /// programmed since.
    programmed_s: ById<BlockId, Vec<u32>>,
    /// Of blocks of the flash.
    histories: ById<BlockId, History>,
}

/// What a block has been through since its erase.
#[derive(Debug, Clone, Copy, Default)]
struct History {
    /// Pages that were read.
    reads: u32,
    /// The step of the retry table by which the last one was.
    step: u16,
}

impl ReadModel {
    /// That of a drive of `blocks` blocks, which are `of_flash` blocks of the flash, and whose erase scheme says of group
    /// `n` `erased_cells(n)`; `None` where one sensing reads every page.
    ///
    /// # Errors
    /// Error rates that do not fit the drive.
    pub fn of(
        config: &Config,
        (blocks, of_flash): (u32, u32),
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
        let programmed_s = ById::filled(Vec::new(), blocks);
        Ok(Some(Self {
            groups,
            programmed_s,
            histories: ById::filled(History::default(), of_flash),
        }))
    }

    /// Word lines of a block are programmed.
    pub fn programmed(&mut self, block: BlockId, word_lines: Range<u32>, now_ns: u64) {
        let times = &mut self.programmed_s[block];
        if times.len() < word_lines.end as usize {
            times.resize(word_lines.end as usize, 0);
        }
        let now_s = (now_ns / 1_000_000_000) as u32;
        times[word_lines.start as usize..word_lines.end as usize].fill(now_s);
    }

    /// A block of the flash is erased.
    pub fn erased(&mut self, block: BlockId) {
        self.histories[block] = History::default();
    }

    /// Time since a word line was last programmed; since the start of the run where that was before.
    pub fn age_h(&self, block: BlockId, word_line: u32, now_ns: u64) -> f64 {
        let since_s = self.programmed_s[block].get(word_line as usize).copied().unwrap_or(0);
        now_ns.saturating_sub(u64::from(since_s) * 1_000_000_000) as f64 / 3.6e12
    }

    /// Pages of a block of the flash that were read since its erase.
    pub fn reads(&self, block: BlockId) -> u32 {
        self.histories[block].reads
    }

    /// Senses a page of a kind of flash, whose read covers `pages`, until the code corrects it.
    pub fn sense(&mut self, group: usize, page: &Page, pages: u32, cause: Cause) -> Sensed {
        let history = &mut self.histories[page.block];
        let sensed = self.groups[group].sense(page, history.step.into(), cause);
        history.reads = history.reads.saturating_add(pages);
        if !sensed.is_lost {
            history.step = sensed.step as u16;
        }
        sensed
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

/// True where `drive.reads.table` is the path of a file that has not been read yet.
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
        let model = ReadModel::of(&config, (2, 2), |_| None).expect("tables that are built in");
        let mut model = model.expect("pages have errors");
        let hour_ns = 3_600_000_000_000;
        model.programmed(BlockId(1), 2..4, hour_ns);
        let ages: Vec<f64> = (0..5).map(|at| model.age_h(BlockId(1), at, 3 * hour_ns)).collect();
        assert_eq!(ages, [3.0, 3.0, 2.0, 2.0, 3.0]);
        model.programmed(BlockId(1), 0..1, 3 * hour_ns);
        assert_eq!(model.age_h(BlockId(1), 0, 3 * hour_ns), 0.0);
        assert_eq!(model.age_h(BlockId(0), 0, hour_ns), 1.0);
    }
}
