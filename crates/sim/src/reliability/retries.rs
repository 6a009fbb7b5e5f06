//! How often pages of one kind of flash are sensed: by their error rate, the word line that they lie on, and what
//! the code corrects.

use super::ecc::Ecc;
use super::grid::{BITS_PER_KIB, Condition, Place};
use super::page::{ErasedCells, Known, Page, Stage};
use super::rates::ErrorRates;
use super::sources::Rates;
use super::tally::{Sensed, Tally};
use crate::error::{Error, infeasible};
use crate::ids::{BlockId, Id};
use crate::nand::command::Cause;
use crate::schema::{Cell as FlashCell, ChipConfig, ErrorsBy, ReadErrors, ReadsConfig, RetryOrder};
use crate::util::mix;

/// Word lines are taken from so many classes, equally common.
const CLASSES: u64 = 64;
/// Sets the draws for reads apart from those for word lines, and those for soft decoding from these.
const READ: u64 = 0x5265_6164;
const SOFT: u64 = 0x536f_6674;
/// Steps where no table says what retries find.
const STEPS: usize = 16;

/// How often pages are sensed.
#[derive(Debug)]
pub(super) struct Retries {
    config: ReadsConfig,
    ecc: Ecc,
    rates: Rates,
    /// Those of the modes in which techniques program cells, by the table.
    stages: Vec<(String, ErrorRates)>,
    /// The page type that is read by the lowest reference, the one above the erased state.
    first: usize,
    /// Factor on the error rate of each class of word lines.
    factors: Vec<f64>,
    /// Steps of the retry table.
    steps: usize,
    /// Layers of a block, and its word lines.
    layers: (u64, u64),
    /// Whether errors depend on the layer.
    has_layers: bool,
    /// Whether what is known of a block says, with the ages of its pages, what errors their first step has.
    keeps: bool,
    /// Whether a result says which reads lie beyond what the rates are known for.
    has_bounds: bool,
    page_bits: u64,
    seed: u64,
    /// Pages that were ever read.
    draws: u64,
    tally: Tally,
    /// What does not count of it.
    before: Tally,
}

/// What the errors of a page that is being read depend on.
struct Errors {
    by: By,
    /// Whether a table says what the steps of retries find.
    knows_steps: bool,
    /// Of its word line.
    factor: f64,
    is_beyond: bool,
}

enum By {
    /// A place in the table of cells as programs of the drive leave them, or in that of a stage.
    Table(Option<usize>, Place),
    /// A rate whatever the step.
    Law(f64),
}

impl Retries {
    /// Retries of flash of `chip` with such cells.
    ///
    /// # Errors
    /// No rates of such cells, at this temperature, or none for what the configuration asks of retries.
    pub fn new(
        cells: ErasedCells,
        chip: &ChipConfig,
        seed: u64,
        config: &ReadsConfig,
    ) -> Result<Self, Error> {
        let ecc = Ecc::of(config, chip.page_kib * 1024.0)?;
        let (rates, stages) = Rates::of(cells.chip, chip, config)?;
        let steps = match &rates {
            Rates::Table(rates) if rates.steps() > 1 => rates.steps(),
            _ if config.retry == RetryOrder::Best => {
                return Err(infeasible(
                    "drive.reads.retry = \"best\", but the error rates have no steps of a retry table",
                    "set drive.reads.retry to \"table\", or give drive.reads.table a column retry",
                ));
            }
            _ => STEPS,
        };
        let of_stages = stages.iter().map(|(_, rates)| rates);
        let (has_layers, is_steady) = match &rates {
            Rates::Table(usual) => {
                let has_layers = of_stages.chain([usual]).any(ErrorRates::has_layers);
                (has_layers, !has_layers && !usual.has_reads())
            }
            Rates::Law(_) => (false, true),
        };
        let sigma = if cells.word_lines_alike { 0.0 } else { config.word_line_sigma };
        let class = |class: u64| {
            let place = (class as f64 + 0.5) / CLASSES as f64;
            libm::exp(sigma * wordline_stats::normal_quantile(place))
        };
        Ok(Self {
            config: config.clone(),
            ecc,
            rates,
            stages,
            first: read_above_erased(chip.cell),
            factors: (0..CLASSES).map(class).collect(),
            steps,
            layers: (
                chip.layers_per_block,
                chip.pages_per_block.div_ceil(u64::from(chip.cell.bits())),
            ),
            has_layers,
            keeps: is_steady && config.retry != RetryOrder::Best,
            has_bounds: config.model != ReadErrors::Cell,
            page_bits: (chip.page_kib * BITS_PER_KIB) as u64,
            seed,
            draws: 0,
            tally: Tally::default(),
            before: Tally::default(),
        })
    }

    /// Pages count anew from here on. The draws of a code go on with the reads before.
    pub fn count_anew(&mut self) {
        self.before = self.tally.clone();
    }

    /// Whether errors grow with damage, not with the number of P/E cycles.
    #[inline]
    pub fn counts_damage(&self) -> bool {
        self.config.errors_by == ErrorsBy::Damage
    }

    /// Whether reads of a block go on from the step by which a page of it was read last.
    pub fn goes_on(&self) -> bool {
        self.config.retry == RetryOrder::LastGood
    }

    /// Senses a page of an age once where that does by what is known of its block, of which so many pages were read; else
    /// nothing happens.
    #[inline(always)]
    pub fn passes(
        &mut self,
        known: &Known,
        (block, word_line, kind): (BlockId, u32, usize),
        (reads, age_h): (u32, f64),
        cause: Cause,
    ) -> bool {
        let age_h = self.config.data_age_h + age_h;
        let (pec, reads_so_far) = (known.pec.1, f64::from(reads));
        let nominal = match &mut self.rates {
            Rates::Table(rates) if self.has_bounds && rates.is_older(age_h) => return false,
            Rates::Table(rates) => rates.errors_within(kind, known.pec, age_h),
            Rates::Law(law) => {
                let condition = Condition { pec, age_h, reads: reads_so_far, layer: 0.0 };
                if law.is_beyond(&condition) {
                    return false;
                }
                law.rber(&condition) * BITS_PER_KIB
            }
        };
        let short = if kind == self.first { known.short_errors } else { 0.0 };
        let errors = nominal * self.factors[class_of(self.seed, block, word_line)] + short;
        self.draws += 1;
        if self.ecc.is_lost(errors, || self.draw(READ, 1)) {
            self.draws -= 1;
            return false;
        }
        self.tally.add_first((errors, self.page_bits), false, cause);
        true
    }

    /// Senses a page of a block of which so many were read, until the code corrects it; `None` where that takes one sensing.
    /// `last_good` is the step by which a page of the block was read last; what further reads may know of it is kept.
    pub fn sense(
        &mut self,
        page: &Page,
        (reads, last_good): (u32, usize),
        known: &mut Known,
        cause: Cause,
    ) -> Option<Sensed> {
        let errors = self.errors_of(page, reads);
        let first = match self.config.retry {
            RetryOrder::Table => 0,
            RetryOrder::LastGood => last_good,
            RetryOrder::Best => self.best_step(page, &errors),
        };
        let nominal = self.nominal(page, &errors, first);
        if self.keeps && page.stage.is_none() && !errors.is_beyond {
            *known = self.known_of(page);
        }
        let expected = self.of_word_line(page, &errors, (nominal, first));
        self.draws += 1;
        let is_lost = self.ecc.is_lost(expected, || self.draw(READ, 1));
        self.tally.add_first((expected, self.page_bits), errors.is_beyond, cause);
        is_lost.then(|| self.sense_again(page, &errors, (first, expected), cause))
    }

    /// What further reads may know of the block of a page.
    fn known_of(&self, page: &Page) -> Known {
        let pec = match &self.rates {
            Rates::Table(rates) => rates.place_of_pec(page.pec),
            Rates::Law(_) => (0, page.pec),
        };
        Known { cycles: page.cycles, pec, short_errors: page.short_errors }
    }

    /// Senses a page by further steps, the first having found that many errors.
    #[cold]
    fn sense_again(
        &mut self,
        page: &Page,
        errors: &Errors,
        (first, expected): (usize, f64),
        cause: Cause,
    ) -> Sensed {
        let (mut step, mut least) = (first, expected);
        let mut sensed = Sensed { retries: 0, soft: 0, soft_decodings: 0, is_lost: true, step };
        for tried in 1..self.steps {
            step = match self.config.retry {
                RetryOrder::Table | RetryOrder::LastGood => (first + tried) % self.steps,
                RetryOrder::Best => tried - usize::from(tried <= first),
            };
            let errors = self.at_step(page, errors, step);
            least = least.min(errors);
            let is_lost = self.ecc.is_lost(errors, || self.draw(READ, tried as u64 + 1));
            sensed = Sensed { retries: tried as u32, is_lost, step, ..sensed };
            if !is_lost {
                break;
            }
        }
        if sensed.is_lost {
            self.decode_softly(&mut sensed, least);
        }
        self.tally.add_retries(&sensed, cause);
        sensed
    }

    /// The step by which a page has the fewest errors.
    fn best_step(&self, page: &Page, errors: &Errors) -> usize {
        let of: Vec<f64> = (0..self.steps).map(|step| self.at_step(page, errors, step)).collect();
        (0..self.steps).min_by(|&a, &b| of[a].total_cmp(&of[b])).unwrap_or(0)
    }

    /// What the errors of a page depend on.
    #[inline(always)]
    fn errors_of(&mut self, page: &Page, reads: u32) -> Errors {
        let is_by_table = matches!(self.rates, Rates::Table(_));
        let stage = page.stage.as_ref().filter(|_| is_by_table);
        let table = stage.and_then(|stage| self.table_of(stage));
        let condition = Condition {
            pec: page.pec,
            age_h: stage
                .and_then(|stage| stage.age_h)
                .unwrap_or(self.config.data_age_h + page.age_h),
            reads: f64::from(reads),
            layer: match self.has_layers {
                true => (u64::from(page.word_line) * self.layers.0 / self.layers.1) as f64,
                false => 0.0,
            },
        };
        let factor = self.factors[class_of(self.seed, page.block, page.word_line)];
        let (by, knows_steps, is_beyond) = match &mut self.rates {
            Rates::Law(law) => (By::Law(law.rber(&condition)), false, law.is_beyond(&condition)),
            Rates::Table(usual) => {
                let rates = table.map_or(&*usual, |table| &self.stages[table].1);
                let by = By::Table(table, rates.place(&condition));
                (by, rates.steps() > 1, usual.is_beyond(&condition))
            }
        };
        Errors { by, knows_steps, factor, is_beyond: is_beyond && self.has_bounds }
    }

    /// The table of a technique's own program, where there is one.
    fn table_of(&self, stage: &Stage) -> Option<usize> {
        self.stages.iter().position(|(mode, _)| mode == stage.mode)
    }

    /// Errors per KiB of a page by a step of the retry table.
    fn at_step(&self, page: &Page, errors: &Errors, step: usize) -> f64 {
        self.of_word_line(page, errors, (self.nominal(page, errors, step), step))
    }

    /// Errors per KiB to be expected by a step, as far as a table knows it, on a word line like most.
    #[inline(always)]
    fn nominal(&self, page: &Page, errors: &Errors, step: usize) -> f64 {
        match (&errors.by, &self.rates) {
            (By::Table(table, place), Rates::Table(usual)) => {
                let rates = table.map_or(usual, |table| &self.stages[table].1);
                rates.errors(page.kind, step, place)
            }
            (By::Law(rber), _) => rber * BITS_PER_KIB,
            (By::Table(..), Rates::Law(_)) => unreachable!("a law has no tables"),
        }
    }

    /// Those of its own word line: a share of those of the steps before where no table knows the steps.
    #[inline(always)]
    fn of_word_line(&self, page: &Page, errors: &Errors, (nominal, step): (f64, usize)) -> f64 {
        let short = if page.kind == self.first { page.short_errors } else { 0.0 };
        let first = nominal * errors.factor + short;
        let further = if errors.knows_steps { 0 } else { step };
        (0..further).fold(first, |errors, _| errors * self.config.retry_share)
    }

    /// Decodes a page by how doubtful its bits are, once no step has helped.
    fn decode_softly(&self, sensed: &mut Sensed, errors: f64) {
        for (bits, sensings) in (0..self.ecc.soft_levels()).zip([2, 4]) {
            sensed.soft += sensings;
            sensed.soft_decodings += 1;
            sensed.is_lost = self.ecc.is_lost_softly(bits, errors, || self.draw(SOFT, bits as u64));
            if !sensed.is_lost {
                return;
            }
        }
    }

    /// A number from 0 to below 1 for the page that is being read; `number` sets its draws apart.
    #[inline]
    fn draw(&self, of: u64, number: u64) -> f64 {
        let nonce = (self.draws - 1) * self.steps.max(STEPS) as u64 + number;
        let word = mix(self.seed ^ mix(nonce ^ of));
        (word >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of the pages that count.
    pub fn tally(&self) -> Tally {
        self.tally.since(&self.before)
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
