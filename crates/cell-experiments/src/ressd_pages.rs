//! Page errors of a block that is programmed in one of ReSSD's ways.

use wordline_cell::chip::Chip;
use wordline_cell::moves::{self, Law};
use wordline_cell::rng::normal;
use wordline_cell::{Conditions, Place, Plan, WordLine, analytic, read};

/// Every so manyth layer is evaluated; the others differ by chance alone.
const LAYER_STRIDE: u32 = 4;
pub const SEED: u64 = 1;
/// Reprograms that move four states from ER–P3 to P4–P7, one state each.
const MOVES: usize = 4;

/// How a block is programmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// All three pages of a word line at once, word line after word line.
    Conventional,
    /// Two bits per cell, then four reprograms in random order within so many layers, at most five.
    Layers(u32),
}

impl Scheme {
    /// Those of Table 2.
    pub const TABLE: [Self; 4] =
        [Self::Conventional, Self::Layers(1), Self::Layers(2), Self::Layers(3)];

    /// Its name in ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conventional => "conventional",
            Self::Layers(1) => "one_layer",
            Self::Layers(2) => "two_layer",
            Self::Layers(3) => "three_layer",
            Self::Layers(4) => "four_layer",
            Self::Layers(_) => "five_layer",
        }
    }
}

/// Bit errors per page of a block.
#[derive(Debug, Clone, Copy)]
pub struct PageErrors {
    /// Of a page on average.
    pub mean: f64,
    /// Of the worst page: the number that all pages stay within with probability one half.
    pub max: f64,
}

/// A block's page errors, by both ways to read.
pub struct Block {
    pub default: PageErrors,
    pub optimal: PageErrors,
    /// Share of the cells of the worst word line that are below their state's verify level by more
    /// than half the pitch.
    pub short: f64,
}

/// A word line's plan, and the most that back-pattern takes in its last step.
pub struct Planned {
    pub plan: Plan,
    pub back_pattern: f64,
    pub place: Place,
}

/// Reads all (sampled) pages of a block.
pub fn block(chip: &Chip, scheme: Scheme, conditions: &Conditions) -> Block {
    block_by(chip, scheme, conditions, Law::Resistance)
}

/// Reads all (sampled) pages of a block whose cells above a cell act together by another law.
pub fn block_by(chip: &Chip, scheme: Scheme, conditions: &Conditions, law: Law) -> Block {
    let bits = f64::from(chip.geometry.page_kib) * 8192.0;
    let (mut default, mut optimal, mut short) = (Vec::new(), Vec::new(), 0.0f64);
    for planned in plans(chip, scheme, law) {
        let line = WordLine::at(&chip.variation, SEED, planned.place);
        let plan = &planned.plan;
        let classes = analytic::voltages(chip, plan, conditions, &line);
        let best = read::optimal_references(plan, &classes);
        let errors = |references: &[f64]| -> Vec<f64> {
            read::error_rates(plan, &classes, references).iter().map(|rate| rate * bits).collect()
        };
        default.extend(errors(&plan.references));
        optimal.extend(errors(&best));
        let top = chip.program.verify[chip.program.verify.len() - 1] + line.shift;
        let pitch = top - chip.program.verify[chip.program.verify.len() - 2] - line.shift;
        if let Some(highest) = classes.last() {
            short = short.max(highest.below(top - pitch / 2.0));
        }
    }
    Block { default: summary(&default), optimal: summary(&optimal), short }
}

/// Mean and maximum of pages whose expected errors are given.
pub fn summary(expected: &[f64]) -> PageErrors {
    let mean = expected.iter().sum::<f64>() / expected.len() as f64;
    // Each evaluated page stands for as many as the stride leaves out.
    let within = |most: f64| -> f64 {
        expected
            .iter()
            .map(|mean| f64::from(LAYER_STRIDE) * libm::log(poisson_below(*mean, most)))
            .sum()
    };
    let (mut low, mut high) = (0.0, 1.0);
    while within(high) < -std::f64::consts::LN_2 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        if within(middle) < -std::f64::consts::LN_2 { low = middle } else { high = middle }
    }
    PageErrors { mean, max: high }
}

/// P(N ≤ most) of a Poisson number, made continuous by the Wilson–Hilferty cube root.
fn poisson_below(mean: f64, most: f64) -> f64 {
    let k = most + 1.0;
    let z = 3.0 * libm::sqrt(k) * (1.0 - 1.0 / (9.0 * k) - libm::cbrt(mean.max(1e-12) / k));
    wordline_stats::normal_cdf(z).max(1e-300)
}

/// The plans of the sampled word lines of a block.
pub fn plans(chip: &Chip, scheme: Scheme, law: Law) -> Vec<Planned> {
    let lines = chip.geometry.word_lines_per_layer;
    let layers = (0..chip.geometry.layers).step_by(LAYER_STRIDE as usize);
    let mut out = Vec::new();
    for (number, layer) in layers.enumerate() {
        let place = Place { chip: 0, block: 0, layer, word_line: number as u32 % lines };
        out.push(match scheme {
            Scheme::Conventional => {
                Planned { plan: Plan::one_shot(chip), back_pattern: 0.0, place }
            }
            // Sampled layers take each height in their super layer in turn.
            Scheme::Layers(n) => reprogrammed(chip, place, n, number as u32 % n, law),
        });
    }
    out
}

/// A word line of a super layer of `layers` layers, `height` of them below its own.
fn reprogrammed(chip: &Chip, place: Place, layers: u32, height: u32, law: Law) -> Planned {
    let order = order(place, layers);
    let own = order.iter().enumerate().filter(|(_, line)| **line == height);
    let own: Vec<usize> = own.map(|(at, _)| at).collect();
    let done = |line: u32, before: usize| order[..before].iter().filter(|l| **l == line).count();
    let taken = |before: usize| -> Vec<f64> {
        let moved: Vec<usize> = (height + 1..layers).map(|line| done(line, before)).collect();
        moves::back_pattern(chip, &moved, law)
    };
    // All word lines of the super layer are programmed first, from the bottom.
    let mut steps = vec![moves::program(chip, 0, Vec::new())];
    if height + 1 < layers {
        steps.push(moves::neighbour(chip, None, 0));
    }
    for (number, at) in own.iter().enumerate() {
        steps.push(moves::program(chip, number + 1, taken(*at)));
    }
    let last = own[MOVES - 1];
    let next = if height + 1 < layers { MOVES - done(height + 1, last) } else { MOVES };
    if next > 0 {
        let from = if height + 1 < layers { MOVES - next } else { 0 };
        let from = (from > 0).then_some(from);
        steps.push(moves::neighbour(chip, from, MOVES));
    }
    let most = taken(last).into_iter().fold(0.0, f64::max);
    Planned { plan: moves::plan(chip, MOVES, steps), back_pattern: most, place }
}

/// The order in which the word lines of one string in a super layer are moved, by height: drawn so
/// that each next move is any of those left with equal probability.
fn order(place: Place, layers: u32) -> Vec<u32> {
    let mut left: Vec<u32> = (0..layers).flat_map(|line| [line; MOVES]).collect();
    let mut drawn = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let index = [place.layer, place.word_line, left.len() as u32];
        let share = wordline_stats::normal_cdf(normal(SEED, 9, index));
        drawn.push(left.swap_remove((share * left.len() as f64) as usize % left.len()));
    }
    drawn
}
