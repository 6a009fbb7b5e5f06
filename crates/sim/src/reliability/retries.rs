//! How often pages of one kind of flash are sensed: by their error rate, the word line that they lie on, and what
//! the code corrects.

use super::ecc::Ecc;
use super::law::Law;
use super::page::{ErasedCells, Page, Stage};
use super::rate_table::RateTable;
use super::rates::{BITS_PER_KIB, Condition, ErrorRates};
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
/// What messages call a user's table whose file has no name.
const OWN: &str = "drive.reads.table";
/// What stands before the name of the file in a user's table.
pub(super) const FILE: &str = "# file ";

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
    page_bits: u64,
    seed: u64,
    /// Pages that were ever read.
    draws: u64,
    tally: Tally,
    /// What does not count of it.
    before: Tally,
}

#[derive(Debug)]
enum Rates {
    Table(ErrorRates),
    Law(Law),
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
        let (rates, stages) = match config.model {
            ReadErrors::Law => (Rates::Law(law(chip, config)?), Vec::new()),
            ReadErrors::Table => {
                let (name, text) = own_table(&config.table)?;
                tables(RateTable::parse(name, text)?, chip, config)?
            }
            ReadErrors::Cell | ReadErrors::None => {
                let name = format!("rber.csv of {}", cells.chip);
                tables(RateTable::parse(&name, cells.chip.error_rates())?, chip, config)?
            }
        };
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

    /// Senses a page until the code corrects it; `last_good` is the step by which one of its block was read last.
    pub fn sense(&mut self, page: &Page, last_good: usize, cause: Cause) -> Sensed {
        let condition = self.condition(page);
        let class = class_of(self.seed, page.block, page.word_line);
        let short = if page.kind == self.first { page.short_errors } else { 0.0 };
        let of_table = self.table_of(page.stage.as_ref()).is_some_and(|rates| rates.steps() > 1);
        let first = self.nominal(page, &condition, 0) * self.factors[class] + short;
        let errors_of = |this: &mut Self, step: usize| match of_table {
            true if step > 0 => this.nominal(page, &condition, step) * this.factors[class] + short,
            true => first,
            false => (0..step).fold(first, |errors, _| errors * this.config.retry_share),
        };
        let best = match self.config.retry {
            RetryOrder::Best => {
                let errors: Vec<f64> = (0..self.steps).map(|step| errors_of(self, step)).collect();
                (0..self.steps).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0)
            }
            RetryOrder::Table | RetryOrder::LastGood => 0,
        };
        let (mut tried, mut expected, mut least) = (0, 0.0, f64::INFINITY);
        let (step, is_lost) = loop {
            let step = match self.config.retry {
                RetryOrder::Table => tried,
                RetryOrder::LastGood => (last_good + tried) % self.steps,
                RetryOrder::Best if tried == 0 => best,
                RetryOrder::Best => tried - usize::from(tried <= best),
            };
            let errors = errors_of(self, step);
            expected = if tried == 0 { errors } else { expected };
            least = f64::min(least, errors);
            tried += 1;
            let is_lost = self.is_lost(self.ecc.loss(errors / BITS_PER_KIB), READ, tried as u64);
            if !is_lost || tried == self.steps {
                break (step, is_lost);
            }
        };
        let mut sensed =
            Sensed { retries: tried as u32 - 1, soft: 0, soft_decodings: 0, is_lost, step };
        if is_lost {
            self.decode_softly(&mut sensed, least / BITS_PER_KIB);
        }
        self.draws += 1;
        let is_beyond = match &self.rates {
            Rates::Table(rates) => {
                self.config.model == ReadErrors::Table && rates.is_beyond(&condition)
            }
            Rates::Law(law) => law.is_beyond(&condition),
        };
        self.tally.add(&sensed, (expected, self.page_bits), is_beyond, cause);
        sensed
    }

    /// What the error rate of a page depends on.
    fn condition(&self, page: &Page) -> Condition {
        let (layers, word_lines) = self.layers;
        let layer = u64::from(page.word_line) * layers / word_lines;
        let of_data = self.config.data_age_h + page.age_h;
        let of_stage = page.stage.as_ref().filter(|it| self.table_of(Some(it)).is_some());
        Condition {
            pec: match self.config.errors_by {
                ErrorsBy::Damage => page.equivalent_pec,
                ErrorsBy::Cycles => f64::from(page.pec),
            },
            age_h: of_stage.and_then(|stage| stage.age_h).unwrap_or(of_data),
            reads: f64::from(page.reads),
            layer: layer as f64,
        }
    }

    /// The rates of a page as it was programmed, where a table says them.
    fn table_of(&self, stage: Option<&Stage>) -> Option<&ErrorRates> {
        let of_stage = |stage: &Stage| self.stages.iter().find(|(mode, _)| mode == stage.mode);
        match (&self.rates, stage.and_then(of_stage)) {
            (Rates::Law(_), _) => None,
            (Rates::Table(_), Some((_, rates))) | (Rates::Table(rates), None) => Some(rates),
        }
    }

    /// Errors per KiB to be expected at a step of the retry table, on a word line like most.
    fn nominal(&mut self, page: &Page, condition: &Condition, step: usize) -> f64 {
        if let Rates::Law(law) = &mut self.rates {
            return law.rber(condition) * BITS_PER_KIB;
        }
        let rates = self.table_of(page.stage.as_ref());
        rates.map_or(0.0, |rates| libm::exp(rates.log_errors(page.kind, step, condition)))
    }

    /// Decodes a page by how doubtful its bits are, once no step has helped.
    fn decode_softly(&mut self, sensed: &mut Sensed, rber: f64) {
        for (bits, sensings) in (0..self.ecc.soft_levels()).zip([2, 4]) {
            sensed.soft += sensings;
            sensed.soft_decodings += 1;
            sensed.is_lost = self.is_lost(self.ecc.soft_loss(bits, rber), SOFT, bits as u64);
            if !sensed.is_lost {
                return;
            }
        }
    }

    /// Whether the code loses the page that is being read, which has this chance; `number` sets its draws apart.
    fn is_lost(&self, chance: f64, of: u64, number: u64) -> bool {
        if chance <= 0.0 || chance >= 1.0 {
            return chance >= 1.0;
        }
        let nonce = self.draws * self.steps.max(STEPS) as u64 + number;
        let word = mix(self.seed ^ mix(nonce ^ of));
        ((word >> 11) as f64) < chance * (1u64 << 53) as f64
    }

    /// Of the pages that count.
    pub fn tally(&self) -> Tally {
        self.tally.since(&self.before)
    }
}

/// The rates of a chip's cells as programs of the drive leave them, and as techniques do.
fn tables(
    table: RateTable<'_>,
    chip: &ChipConfig,
    config: &ReadsConfig,
) -> Result<(Rates, Vec<(String, ErrorRates)>), Error> {
    if table.has("layer") && chip.layers_per_block == 0 {
        return Err(infeasible(
            "drive.reads.table has a column layer, but the blocks have no layers",
            "set drive.chip.layers_per_block, or drive.reads.model to \"none\"",
        ));
    }
    let of_mode = |mode: &str| table.of(mode, config.temperature_c, config.references);
    let rates = of_mode(chip.cell.name())?;
    let stages = table.modes().filter_map(|mode| Some((mode.into(), of_mode(mode).ok()?)));
    Ok((Rates::Table(rates), stages.collect()))
}

/// The law, which knows no temperature.
fn law(chip: &ChipConfig, config: &ReadsConfig) -> Result<Law, Error> {
    let usual = ReadsConfig::default().temperature_c;
    if config.temperature_c != usual {
        return Err(infeasible(
            format!(
                "drive.reads.temperature_c = {}, but the law of drive.reads knows no temperature",
                config.temperature_c
            ),
            format!("set drive.reads.temperature_c to {usual}, or drive.reads.model to \"none\""),
        ));
    }
    Law::new(chip, config)
}

/// The name of a user's table, and its text.
fn own_table(given: &str) -> Result<(&str, &str), Error> {
    let text = given.strip_prefix('\u{feff}').unwrap_or(given);
    match text.split_once('\n') {
        Some((first, rest)) => {
            let (name, text) = first.strip_prefix(FILE).map_or((OWN, text), |name| (name, rest));
            Ok((name, text.trim_end()))
        }
        None => Err(infeasible(
            format!("drive.reads.model = \"table\", but drive.reads.table = {text:?} is no table"),
            "set drive.reads.table to the path of a CSV file, or drive.reads.model to \"none\"",
        )),
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
