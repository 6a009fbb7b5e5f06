//! Cells one by one: programmed, disturbed, aged and read in integers, so that every machine, and
//! any order, gives the same cells.
//!
//! Cell c of a word line draws 128 bits by [`crate::rng::philox`] from the counter (c, word line,
//! block, chip and draw) and the seed as key: one draw for its class, its neighbours' classes, its
//! speed, its first program and its last rest, one more for each further program or rest.
//! Voltages are integers of 1/256 unit. A standard normal is the sum of two entries of a table of
//! 4,096 quantiles, stretched beyond 2.9 standard deviations. The shares beyond any place are a
//! normal number's within 5 % up to 4.7 standard deviations and within 13 % up to 5; it ends at 5.4,
//! where 4e-8 of the cells would be.

mod compiled;
mod kernel;

use crate::{Chip, Conditions, Error, Plan, WordLine};
use compiled::Compiled;
pub(crate) use compiled::{NORMAL_BITS, SCALE};
pub(crate) use kernel::BATCH;

/// Which cells: the same names give the same cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Seed of the campaign.
    pub seed: u64,
    /// Number of the chip, below 2^24.
    pub chip: u32,
    /// Block of the chip.
    pub block: u32,
    /// Word line of the block.
    pub word_line: u32,
}

/// What was read from many cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Cells read.
    pub cells: u64,
    /// Bits read wrong, by page.
    pub errors: [u64; 4],
}

impl Tally {
    /// Adds what was read elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.cells += other.cells;
        for (errors, more) in self.errors.iter_mut().zip(&other.errors) {
            *errors += more;
        }
    }
}

/// Word lines that went through one plan under one set of conditions.
pub struct MonteCarlo(Compiled);

impl MonteCarlo {
    /// Prepares a plan for a word line, read with these references.
    ///
    /// # Errors
    /// Conditions that the chip's laws do not reach, or cells that spread too far for the integers.
    pub fn new(
        chip: &Chip,
        plan: &Plan,
        conditions: &Conditions,
        line: &WordLine,
        references: &[f64],
    ) -> Result<Self, Error> {
        Compiled::new(chip, plan, conditions, line, references).map(Self)
    }

    /// Programs, disturbs, ages and reads the cells `cells` of a word line.
    pub fn read(&self, identity: Identity, cells: std::ops::Range<u32>) -> Tally {
        let mut tally = Tally::default();
        let mut first = cells.start;
        while first < cells.end {
            let count = (cells.end - first).min(kernel::BATCH as u32);
            let errors = kernel::read(&self.0, identity, first, count as usize);
            tally.merge(&Tally { cells: u64::from(count), errors: errors.map(u64::from) });
            first += count;
        }
        tally
    }

    /// Voltages, in integers of [`SCALE`] to a unit, of the [`BATCH`] cells from `first` on, and how
    /// fast each is, 2^[`NORMAL_BITS`] to a standard deviation.
    pub(crate) fn batch(&self, identity: Identity, first: u32) -> ([i32; BATCH], [i32; BATCH]) {
        (kernel::voltages(&self.0, identity, first).1, kernel::speeds(identity, first))
    }

    /// Class and voltage, in units, of each of the cells `cells`, as [`MonteCarlo::read`] sees them.
    pub fn voltages(&self, identity: Identity, cells: std::ops::Range<u32>) -> Vec<(usize, f64)> {
        let mut out = Vec::with_capacity(cells.len());
        let mut first = cells.start;
        while first < cells.end {
            let count = (cells.end - first).min(kernel::BATCH as u32) as usize;
            let (classes, voltages) = kernel::voltages(&self.0, identity, first);
            let both = classes.iter().zip(&voltages).take(count);
            out.extend(both.map(|(c, v)| (*c as usize, f64::from(*v) / compiled::SCALE)));
            first += count as u32;
        }
        out
    }
}

#[cfg(test)]
mod tests;
