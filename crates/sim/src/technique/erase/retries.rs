//! Read retries: how often a page is sensed, from its error rate (the cell laboratory's
//! table), the word line it lies on, and what the code corrects.

use super::ecc::{Code, Ecc};
use super::rates::{BITS_PER_KIB, ErrorRates, References};
use crate::error::Error;
use crate::ids::{BlockId, Id};
use crate::nand::Mode;
use crate::schema::{Cell as FlashCell, ChipConfig};
use crate::util::mix;
use std::cell::Cell;

/// Word lines are taken from so many classes, equally common.
const CLASSES: u64 = 64;
/// Sets the draws for reads apart from those for word lines.
const READ: u64 = 0x5265_6164;
/// Sensings of a page at most, beyond which the controller has other means.
const SENSINGS_MAX: u32 = 16;

/// What retries follow from, as a scheme's parameters give it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conditions {
    /// Errors per KiB that the code corrects, where `code` is the bound.
    pub ecc_bits: f64,
    /// The bound, or a code by its table.
    pub code: Code,
    /// Age of all data besides the time since its block was erased.
    pub data_age_h: f64,
    /// The temperature that it aged at: one of the table's.
    pub temperature_c: f64,
    /// Standard deviation over word lines of the logarithm of their error rates.
    pub word_line_sigma: f64,
    /// The voltages that pages are read by.
    pub references: References,
    /// Errors of a retry, of those of the sensing before.
    pub retry_share: f64,
}

/// How often pages are sensed.
#[derive(Debug)]
pub(super) struct Retries {
    conditions: Conditions,
    ecc: Ecc,
    rates: ErrorRates,
    /// Those of the modes in which techniques program cells, by the table.
    stages: Vec<(String, ErrorRates)>,
    /// The page type that is read by the lowest reference, the one above the erased state.
    first: usize,
    /// Factor on the error rate of each class of word lines.
    factors: Vec<f64>,
    seed: u64,
    reads: Cell<u64>,
    sensings: Cell<u64>,
    /// Errors per KiB that first sensings are expected to have, in sum.
    errors: Cell<f64>,
    /// Those of each that do not count.
    before: (u64, u64, f64),
}

/// A page about to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub block: BlockId,
    pub word_line: u32,
    /// Page type: which bit of the cells it is.
    pub kind: usize,
    /// P/E cycles, or those by ISPE that did as much damage.
    pub pec: f64,
    /// Time since its block was erased.
    pub erased_h: f64,
    /// Errors per KiB besides, of a block left short of its erase, in pages that tell its cells from
    /// programmed ones.
    pub short_errors: f64,
    /// How a technique's own program left its cells; none: as a conventional one does.
    pub stage: Option<Stage>,
}

/// A program of a technique's own: its mode in the table, and the time since.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    pub mode: Mode,
    pub age_h: f64,
}

impl Retries {
    /// Retries of a chip whose error rates are `table`, on a drive of `chip`.
    ///
    /// # Errors
    /// The table has no such cells, or not this temperature.
    pub fn new(
        table: &str,
        chip: &ChipConfig,
        seed: u64,
        conditions: Conditions,
    ) -> Result<Self, Error> {
        let (at_c, references) = (conditions.temperature_c, conditions.references);
        let of_mode = |mode: &str| ErrorRates::parse(table, mode, at_c, references);
        let rates = of_mode(chip.cell.name())?;
        let mut modes: Vec<&str> =
            table.lines().skip(2).filter_map(|l| l.split(',').next()).collect();
        modes.dedup();
        let stages = modes.into_iter().filter_map(|mode| Some((mode.into(), of_mode(mode).ok()?)));
        let stages = stages.collect();
        let ecc = Ecc::of(conditions.code, conditions.ecc_bits, chip.page_kib * 1024.0)?;
        let class = |class: u64| {
            let place = (class as f64 + 0.5) / CLASSES as f64;
            libm::exp(conditions.word_line_sigma * wordline_stats::normal_quantile(place))
        };
        let factors = (0..CLASSES).map(class).collect();
        let (reads, sensings) = (Cell::new(0), Cell::new(0));
        let first = read_above_erased(chip.cell);
        let (errors, before) = (Cell::new(0.0), (0, 0, 0.0));
        Ok(Self {
            conditions,
            ecc,
            rates,
            stages,
            first,
            factors,
            seed,
            reads,
            sensings,
            errors,
            before,
        })
    }

    /// Pages count anew from here on. The draws of a code go on with the reads before.
    pub fn count_anew(&mut self) {
        self.before = (self.reads.get(), self.sensings.get(), self.errors.get());
    }

    /// Sensings of a page.
    pub fn sensings(&self, page: &Page) -> u32 {
        let age_h = self.conditions.data_age_h + page.erased_h;
        let class = class_of(self.seed, page.block, page.word_line);
        let of_stage = page.stage.as_ref().and_then(|stage| {
            let rates = &self.stages.iter().find(|(mode, _)| mode == stage.mode)?.1;
            Some(rates.log_errors(page.kind, page.pec, stage.age_h))
        });
        let conventional = || self.rates.log_errors(page.kind, page.pec, age_h);
        let nominal = libm::exp(of_stage.unwrap_or_else(conventional));
        let short = if page.kind == self.first { page.short_errors } else { 0.0 };
        let mut errors = nominal * self.factors[class] + short;
        self.errors.set(self.errors.get() + errors);
        let mut sensings = 1;
        while sensings < SENSINGS_MAX && self.is_lost(errors / BITS_PER_KIB, sensings) {
            errors *= self.conditions.retry_share;
            sensings += 1;
        }
        self.reads.set(self.reads.get() + 1);
        self.sensings.set(self.sensings.get() + u64::from(sensings));
        sensings
    }

    /// Whether the code loses the page at this sensing.
    fn is_lost(&self, rber: f64, sensing: u32) -> bool {
        let chance = self.ecc.loss(rber);
        if chance <= 0.0 || chance >= 1.0 {
            return chance >= 1.0;
        }
        let nonce = self.reads.get() * u64::from(SENSINGS_MAX) + u64::from(sensing);
        let word = mix(self.seed ^ mix(nonce ^ READ));
        ((word >> 11) as f64) < chance * (1u64 << 53) as f64
    }

    /// Retries for each page that counts, over several kinds of flash.
    pub fn mean(all: &[&Self]) -> f64 {
        let reads = Self::pages(all);
        let sensings: u64 = all.iter().map(|one| one.sensings.get() - one.before.1).sum();
        (sensings - reads) as f64 / reads.max(1) as f64
    }

    /// Errors per KiB that a page which counts is expected to have when it is first sensed, over several kinds of
    /// flash.
    pub fn errors_mean(all: &[&Self]) -> f64 {
        let errors: f64 = all.iter().map(|one| one.errors.get() - one.before.2).sum();
        errors / Self::pages(all).max(1) as f64
    }

    /// Pages that count.
    fn pages(all: &[&Self]) -> u64 {
        all.iter().map(|one| one.reads.get() - one.before.0).sum()
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
