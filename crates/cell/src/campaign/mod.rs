//! Campaigns over many chips, semi-analytically: error rates of word lines come from a grid of
//! evaluated distributions, and the errors of each page's worst codeword are drawn from them.
//!
//! A chip's tally depends on the seed, the settings and its number alone, so that campaigns resume,
//! and give the same for any number of threads. Between rounds of chips it is decided whether the
//! mean is known well enough: chips, not pages, are what is independent.

mod grid;

use crate::rng::{key, philox};
use crate::{Chip, Conditions, Error, Levels, Place, Plan, WordLine, rng};
use grid::Grid;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Chips of a round: between rounds campaigns report and are stored.
const ROUND: u32 = 8;
/// Chips after which it is first looked whether the mean is known; each further look comes after half as
/// many again. Who looks often stops where chips happen to be alike.
const FIRST_LOOK: usize = 16;
/// Share of the allowed misses that is left for the last look: so that intervals of campaigns that
/// stop of their own accord hold the mean as often as they say (`tests::intervals_hold_the_mean`).
const LAST_LOOK: f64 = 0.65;
/// Stream of the random numbers that pages draw, those of word lines being 1 to 6.
const PAGES: u32 = 32;
/// Stream of the digits that follow theirs.
const FINER: u32 = 33;
/// Most errors of a codeword that are told apart: the last place of a histogram counts more, too.
const MOST_ERRORS: usize = 1024;
/// More errors than a chip's pages can have.
const MOST_SUM: f64 = 1e18;

/// What is measured, and when that is enough.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The mode that it is programmed in; its own where that is `None`.
    pub mode: Option<Levels>,
    /// What the cells went through.
    pub conditions: Conditions,
    /// True for reads by each word line's best references.
    pub is_optimal: bool,
    /// Chips at most.
    pub chips: u32,
    /// Pages of all those chips together, rounded up to whole blocks of each.
    pub pages: u64,
    /// Half of the interval of the mean, as a share of the mean, that is narrow enough; 0 for all
    /// chips.
    pub precision: f64,
    /// Probability with which the interval holds the mean of all such chips.
    pub confidence: f64,
    /// Seed.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
}

/// What was counted on one chip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChipTally {
    /// Its number.
    pub chip: u32,
    /// Pages.
    pub pages: u64,
    /// Errors per codeword, expected: sum over the pages, by page type.
    pub errors: Vec<f64>,
    /// Pages by the errors of their worst codeword, up to the largest that occurred; 1,024 stands for
    /// more, too.
    pub worst: Vec<u64>,
}

/// What a campaign found.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CampaignOutcome"))]
pub struct Outcome {
    /// Chips measured.
    pub chips: u32,
    /// Pages measured.
    pub pages: u64,
    /// Errors per codeword, by page type.
    pub errors_by_page: Vec<f64>,
    /// Errors per codeword on average, and the interval.
    pub errors: f64,
    /// Lower end of the interval.
    pub errors_low: f64,
    /// Upper end of the interval.
    pub errors_high: f64,
    /// Standard deviation of the chips' means.
    pub errors_between_chips: f64,
    /// Share of pages whose worst codeword has at most so many errors: at 50, 90, 99, 99.9, 99.99
    /// and 100 %.
    pub worst_codeword: Vec<(f64, u64)>,
    /// Errors that the code corrects.
    pub ecc_bits: u32,
    /// Pages that it cannot correct.
    pub uncorrectable: u64,
    /// True when the interval is as narrow as was asked.
    pub is_precise: bool,
    /// Pages by the errors of their worst codeword.
    pub histogram: Vec<u64>,
}

const QUANTILES: [f64; 6] = [0.5, 0.9, 0.99, 0.999, 0.9999, 1.0];

/// A campaign under way.
#[derive(Debug)]
pub struct Campaign {
    settings: Settings,
    chip: Chip,
    page_types: usize,
    blocks: u32,
    grid: Grid,
    done: Vec<ChipTally>,
}

impl Settings {
    /// # Errors
    /// What cannot be.
    fn check(&self) -> Result<(), Error> {
        let refuse = |place: &str, what: String, help: &str| Err(Error::new(what, help).at(place));
        if self.chips == 0 || self.chips > 1_000_000 {
            let what = format!("{} chips cannot be measured", self.chips);
            return refuse("chips", what, "give 1 to 1,000,000");
        }
        if self.pages == 0 || self.pages > 1_000_000_000_000 {
            let what = format!("{} pages cannot be measured", self.pages);
            return refuse("pages", what, "give 1 to 10¹²");
        }
        if !(0.0..1.0).contains(&self.precision) {
            let help = "give a share from 0, for all chips, to below 1";
            return refuse(
                "precision",
                format!("a precision of {} cannot be", self.precision),
                help,
            );
        }
        if !(0.5..1.0).contains(&self.confidence) {
            let help = "give a probability from 0.5 to below 1";
            return refuse(
                "confidence",
                format!("a confidence of {} cannot be", self.confidence),
                help,
            );
        }
        Ok(())
    }
}

impl Campaign {
    /// Evaluates the distributions, and takes up what `done` counted before.
    ///
    /// # Errors
    /// A mode that the chip lacks, settings that cannot be, or tallies of chips that are not the first
    /// ones or not of these settings.
    pub fn new(chip: Chip, settings: Settings, done: Vec<ChipTally>) -> Result<Self, Error> {
        settings.check()?;
        let plan = Plan::mode(&chip, settings.mode.unwrap_or(chip.levels))?;
        let g = &chip.geometry;
        let per_block = u64::from(g.layers * g.word_lines_per_layer) * plan.pages as u64;
        let blocks = settings.pages.div_ceil(u64::from(settings.chips) * per_block);
        let blocks = u32::try_from(blocks).map_err(|_| {
            Error::new("more blocks than a chip can have", "take more chips").at("pages")
        })?;
        let fits = |(at, tally): (usize, &ChipTally)| {
            tally.chip as usize == at
                && tally.pages == u64::from(blocks) * per_block
                && tally.errors.len() == plan.pages
                && tally.errors.iter().all(|errors| (0.0..=MOST_SUM).contains(errors))
                && tally.worst.len() <= MOST_ERRORS + 1
                && tally.worst.iter().try_fold(0u64, |sum, n| sum.checked_add(*n))
                    == Some(tally.pages)
        };
        if done.len() > settings.chips as usize || !done.iter().enumerate().all(fits) {
            let help = "resume with the settings that it was begun with, or begin anew";
            return Err(Error::new("the stored tallies are of another campaign", help));
        }
        let Settings { conditions, is_optimal, threads, .. } = &settings;
        conditions.check(&chip)?;
        let grid = Grid::new(&chip, &plan, conditions, *is_optimal, *threads);
        Ok(Self { page_types: plan.pages, chip, blocks, grid, done, settings })
    }

    /// Goes on until the mean is known well enough, all chips are measured, or `watch`, which is
    /// told of what was counted after each round, breaks off.
    pub fn run(&mut self, mut watch: impl FnMut(&[ChipTally]) -> ControlFlow<()>) {
        loop {
            let is_look = is_look(self.done.len());
            if watch(&self.done).is_break() || (is_look && self.is_precise()) {
                return;
            }
            let from = self.done.len() as u32;
            let chips: Vec<u32> = (from..self.settings.chips.min(from + ROUND)).collect();
            if chips.is_empty() {
                return;
            }
            let more = parallel(&chips, self.settings.threads, |chip| self.measure(*chip));
            self.done.extend(more);
        }
    }

    fn is_precise(&self) -> bool {
        let means = self.means();
        is_known(&means, self.settings.precision, self.settings.confidence)
    }

    /// Each chip's errors per codeword.
    fn means(&self) -> Vec<f64> {
        self.done.iter().map(|t| t.errors.iter().sum::<f64>() / t.pages as f64).collect()
    }

    /// All blocks of a chip.
    fn measure(&self, chip: u32) -> ChipTally {
        let Settings { seed, .. } = self.settings;
        let ecc = &self.chip.ecc;
        let codewords = f64::from(self.chip.geometry.page_kib) * 1024.0 / f64::from(ecc.data_bytes);
        let mut tally =
            ChipTally { chip, pages: 0, errors: vec![0.0; self.page_types], worst: Vec::new() };
        for block in 0..self.blocks {
            for layer in 0..self.chip.geometry.layers {
                for word_line in 0..self.chip.geometry.word_lines_per_layer {
                    let place = Place { chip, block, layer, word_line };
                    let line = WordLine::at(&self.chip.variation, seed, place);
                    let [draws, finer] = [PAGES, FINER].map(|stream| {
                        philox::<{ rng::ROUNDS }>([chip, block, place.line(), stream], key(seed))
                    });
                    for page in 0..self.page_types {
                        let errors = ecc.errors_per_codeword(self.grid.rate(&line, page));
                        let left = upper_share(draws[page], finer[page]);
                        let worst = worst_codeword(errors, codewords, left);
                        tally.errors[page] += errors;
                        tally.pages += 1;
                        if tally.worst.len() <= worst {
                            tally.worst.resize(worst + 1, 0);
                        }
                        tally.worst[worst] += 1;
                    }
                }
            }
        }
        tally
    }

    /// What was found so far; none before the first chip.
    pub fn outcome(&self) -> Option<Outcome> {
        let chips = self.done.len();
        if chips == 0 {
            return None;
        }
        let pages: u64 = self.done.iter().map(|tally| tally.pages).sum();
        let means = self.means();
        let errors = means.iter().sum::<f64>() / chips as f64;
        let half = half_interval(&means, self.settings.precision, self.settings.confidence);
        let mut histogram: Vec<u64> = Vec::new();
        for tally in &self.done {
            histogram.resize(histogram.len().max(tally.worst.len()), 0);
            histogram.iter_mut().zip(&tally.worst).for_each(|(sum, more)| *sum += more);
        }
        let by_page = |page: usize| {
            let sum: f64 = self.done.iter().map(|tally| tally.errors[page]).sum();
            sum * self.page_types as f64 / pages as f64
        };
        let bits = self.chip.ecc.bits;
        Some(Outcome {
            chips: chips as u32,
            pages,
            errors_by_page: (0..self.page_types).map(by_page).collect(),
            errors,
            errors_low: (errors - half).max(0.0),
            errors_high: errors + half,
            errors_between_chips: deviation(&means),
            worst_codeword: QUANTILES.map(|share| (share, quantile(&histogram, share))).to_vec(),
            ecc_bits: bits,
            uncorrectable: histogram.iter().skip(bits as usize + 1).sum(),
            is_precise: self.is_precise(),
            histogram,
        })
    }
}

/// Errors that at least this share of the pages stays within.
fn quantile(histogram: &[u64], share: f64) -> u64 {
    let pages: u64 = histogram.iter().sum();
    let goal = libm::ceil(share * pages as f64) as u64;
    let mut within = 0;
    let reached = histogram.iter().position(|count| {
        within += count;
        within >= goal
    });
    reached.unwrap_or(0) as u64
}

fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    libm::sqrt(squares / (n - 1.0).max(1.0))
}

/// True after so many chips if it is then looked whether the mean is known, by whole rounds.
fn is_look(chips: usize) -> bool {
    let mut look = FIRST_LOOK;
    while look < chips {
        look = (look + look / 2).next_multiple_of(ROUND as usize);
    }
    look == chips
}

/// Whether the interval is as narrow as was asked.
fn is_known(means: &[f64], precision: f64, confidence: f64) -> bool {
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    half_interval(means, precision, confidence) <= precision * mean && precision > 0.0
}

/// Half of the confidence interval of the mean of chips, by Student's distribution; endless for one
/// chip. Wider where the campaign stops as soon as it is narrow enough.
fn half_interval(means: &[f64], precision: f64, confidence: f64) -> f64 {
    let n = means.len();
    if n < 2 {
        return f64::INFINITY;
    }
    let misses = (1.0 - confidence) * if precision > 0.0 { LAST_LOOK } else { 1.0 };
    let t = wordline_stats::student_quantile(1.0 - 0.5 * misses, n - 1);
    t * deviation(means) / libm::sqrt(n as f64)
}

/// The share of pages that are worse than the one that drew these digits: 64 bits, so that of 10¹²
/// pages the worst is as bad as it should be. Never 0.
fn upper_share(draw: u32, finer: u32) -> f64 {
    const WORD: f64 = 4_294_967_296.0;
    (f64::from(!draw) + (f64::from(!finer) + 0.5) / WORD) / WORD
}

/// Upper tails below this are summed by themselves: what is left of 1 has lost its digits.
const SMALL_TAIL: f64 = 1e-6;

/// Errors of the worst of so many codewords, each Poisson with this mean, that no more than `above` of
/// the pages exceed: (1 − above)^(1/codewords) of the codewords do not. Bit errors are rare, so that
/// their binomial number is Poisson's.
fn worst_codeword(mean: f64, codewords: f64, above: f64) -> usize {
    let left = -libm::expm1(libm::log1p(-above) / codewords);
    let mut term = libm::exp(-mean);
    let mut within = term;
    let mut errors = 0;
    // What is left above is compared, because it is what is small.
    while errors < MOST_ERRORS {
        let rest = 1.0 - within;
        let is_lost = rest < SMALL_TAIL && errors as f64 > mean;
        if (if is_lost { poisson_tail(mean, errors, term) } else { rest }) <= left {
            break;
        }
        errors += 1;
        term *= mean / errors as f64;
        within += term;
    }
    errors
}

/// P(X > k) of a Poisson X, k above its mean, from P(X = k): its terms fall at least geometrically.
fn poisson_tail(mean: f64, k: usize, at_k: f64) -> f64 {
    let (mut term, mut sum) = (at_k, 0.0);
    for number in k + 1.. {
        term *= mean / number as f64;
        sum += term;
        if term <= 1e-17 * sum {
            break;
        }
    }
    sum
}

/// `of` each task, in their order, on so many threads.
fn parallel<T: Sync, R: Send>(tasks: &[T], threads: usize, of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(at) else { return found };
            found.push((at, of(task)));
        }
    };
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others = threads.clamp(1, tasks.len().max(1));
        let others: Vec<_> = (1..others).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(found) => all.extend(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests;
