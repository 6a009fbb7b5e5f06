//! How often pages of one kind of flash are sensed: by their error rate, the word line that they lie on, and what
//! the code corrects.

use super::ecc::Ecc;
use super::page::{ErasedCells, Page};
use super::rates::{BITS_PER_KIB, ErrorRates, RateTable};
use crate::error::Error;
use crate::ids::{BlockId, Id};
use crate::schema::{Cell as FlashCell, ChipConfig, ErrorsBy, ReadsConfig};
use crate::util::mix;
use std::cell::Cell;

/// Word lines are taken from so many classes, equally common.
const CLASSES: u64 = 64;
/// Sets the draws for reads apart from those for word lines.
const READ: u64 = 0x5265_6164;
/// Sensings of a page at most, beyond which the controller has other means.
const SENSINGS_MAX: u32 = 16;

/// How often pages are sensed.
#[derive(Debug)]
pub(super) struct Retries {
    config: ReadsConfig,
    ecc: Ecc,
    rates: ErrorRates,
    /// Those of the modes in which techniques program cells, by the table.
    stages: Vec<(String, ErrorRates)>,
    /// The page type that is read by the lowest reference, the one above the erased state.
    first: usize,
    /// Factor on the error rate of each class of word lines.
    factors: Vec<f64>,
    seed: u64,
    tally: Cell<Tally>,
    /// What does not count of it.
    before: Tally,
}

/// Pages that were read, and what they took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Pages.
    pub pages: u64,
    /// Times that they were sensed.
    pub sensings: u64,
    /// Errors per KiB that first sensings are expected to have, in sum.
    pub errors: f64,
}

impl Retries {
    /// Retries of flash of `chip` with such cells.
    ///
    /// # Errors
    /// The table has no such cells, or not this temperature.
    pub fn new(
        cells: ErasedCells,
        chip: &ChipConfig,
        seed: u64,
        config: &ReadsConfig,
    ) -> Result<Self, Error> {
        let name = format!("rber.csv of {}", cells.chip);
        let table = RateTable::parse(&name, cells.chip.error_rates())?;
        let of_mode = |mode: &str| table.of(mode, config.temperature_c, config.references);
        let rates = of_mode(chip.cell.name())?;
        let stages = table.modes().filter_map(|mode| Some((mode.into(), of_mode(mode).ok()?)));
        let stages = stages.collect();
        let ecc = Ecc::of(config.code, config.ecc_bits, chip.page_kib * 1024.0)?;
        let sigma = if cells.word_lines_alike { 0.0 } else { config.word_line_sigma };
        let class = |class: u64| {
            let place = (class as f64 + 0.5) / CLASSES as f64;
            libm::exp(sigma * wordline_stats::normal_quantile(place))
        };
        let factors = (0..CLASSES).map(class).collect();
        let first = read_above_erased(chip.cell);
        let (config, tally, before) = (config.clone(), Cell::default(), Tally::default());
        Ok(Self { config, ecc, rates, stages, first, factors, seed, tally, before })
    }

    /// Pages count anew from here on. The draws of a code go on with the reads before.
    pub fn count_anew(&mut self) {
        self.before = self.tally.get();
    }

    /// Sensings of a page.
    pub fn sensings(&self, page: &Page) -> u32 {
        let age_h = self.config.data_age_h + page.age_h;
        let pec = match self.config.errors_by {
            ErrorsBy::Damage => page.equivalent_pec,
            ErrorsBy::Cycles => f64::from(page.pec),
        };
        let class = class_of(self.seed, page.block, page.word_line);
        let of_stage = page.stage.as_ref().and_then(|stage| {
            let rates = &self.stages.iter().find(|(mode, _)| mode == stage.mode)?.1;
            Some(rates.log_errors(page.kind, pec, stage.age_h.unwrap_or(age_h)))
        });
        let conventional = || self.rates.log_errors(page.kind, pec, age_h);
        let nominal = libm::exp(of_stage.unwrap_or_else(conventional));
        let short = if page.kind == self.first { page.short_errors } else { 0.0 };
        let mut errors = nominal * self.factors[class] + short;
        let expected = errors;
        let mut sensings = 1;
        while sensings < SENSINGS_MAX && self.is_lost(errors / BITS_PER_KIB, sensings) {
            errors *= self.config.retry_share;
            sensings += 1;
        }
        let Tally { pages, sensings: before, errors } = self.tally.get();
        self.tally.set(Tally {
            pages: pages + 1,
            sensings: before + u64::from(sensings),
            errors: errors + expected,
        });
        sensings
    }

    /// Whether the code loses the page at this sensing.
    fn is_lost(&self, rber: f64, sensing: u32) -> bool {
        let chance = self.ecc.loss(rber);
        if chance <= 0.0 || chance >= 1.0 {
            return chance >= 1.0;
        }
        let nonce = self.tally.get().pages * u64::from(SENSINGS_MAX) + u64::from(sensing);
        let word = mix(self.seed ^ mix(nonce ^ READ));
        ((word >> 11) as f64) < chance * (1u64 << 53) as f64
    }

    /// Of the pages that count.
    pub fn tally(&self) -> Tally {
        let (all, before) = (self.tally.get(), self.before);
        Tally {
            pages: all.pages - before.pages,
            sensings: all.sensings - before.sensings,
            errors: all.errors - before.errors,
        }
    }
}

/// The page type whose bit changes between the erased state and the next one, in the laboratory's Gray
/// codes: the high page of MLC, the low one of all others.
fn read_above_erased(cells: FlashCell) -> usize {
    usize::from(cells == FlashCell::Mlc)
}

fn class_of(seed: u64, block: BlockId, word_line: u32) -> usize {
    let index = u64::from(block.number()) << 32 | u64::from(word_line);
    let word = mix(seed ^ mix(index));
    (word % CLASSES) as usize
}
