//! Error rates by what sets word lines apart: evaluated on a grid, and interpolated.

use crate::math::at_least;
use crate::{Chip, Conditions, Plan, WordLine, analytic, read};

/// Farthest node, in standard deviations, and nodes: the rest of the word lines, 6 in 10⁷, count as
/// the farthest.
const REACH_SIGMAS: f64 = 5.0;
const SHIFTS: usize = 41;
const SPREADS: usize = 9;
const REACHES: usize = 9;
/// Error rates below this are rounding.
const LEAST_RATE: f64 = 1e-15;

/// Logarithms of error rates on a grid of word lines.
#[derive(Debug)]
pub struct Grid {
    shift: Axis,
    spread: Axis,
    reach: Axis,
    pages: usize,
    /// By shift, spread, reach and page.
    nodes: Vec<f64>,
}

/// Evenly spaced values around zero; one where nothing varies.
#[derive(Debug, Clone, Copy)]
struct Axis {
    step: f64,
    nodes: usize,
}

impl Axis {
    fn new(sigma: f64, nodes: usize) -> Self {
        if sigma <= 0.0 {
            return Self { step: 1.0, nodes: 1 };
        }
        Self { step: 2.0 * REACH_SIGMAS * sigma / (nodes - 1) as f64, nodes }
    }

    fn value(&self, node: usize) -> f64 {
        self.step * (node as f64 - 0.5 * (self.nodes - 1) as f64)
    }

    /// The node below, and how far on to the next.
    fn place(&self, value: f64) -> (usize, f64) {
        let last = (self.nodes - 1) as f64;
        let at = (value / self.step + 0.5 * last).clamp(0.0, last);
        let below = (at as usize).min(self.nodes.saturating_sub(2));
        (below, at - below as f64)
    }
}

/// A list of nodes that a task of several threads shares.
type Task = (usize, WordLine);

impl Grid {
    /// Evaluates a plan on `threads` threads, read by default or by each word line's best
    /// references.
    pub fn new(
        chip: &Chip,
        plan: &Plan,
        conditions: &Conditions,
        is_optimal: bool,
        threads: usize,
    ) -> Self {
        let v = &chip.variation;
        let variance =
            v.chip * v.chip + v.block * v.block + v.layer * v.layer + v.word_line * v.word_line;
        let shift = Axis::new(libm::sqrt(variance), SHIFTS);
        let spread = Axis::new(v.spread, SPREADS);
        let reach = Axis::new(v.reach, REACHES);
        let mut tasks: Vec<Task> = Vec::new();
        for i in 0..shift.nodes {
            for j in 0..spread.nodes {
                for k in 0..reach.nodes {
                    let spread = libm::exp(spread.value(j));
                    let line = WordLine { shift: shift.value(i), spread, reach: reach.value(k) };
                    tasks.push((tasks.len(), line));
                }
            }
        }
        let rates = |line: &WordLine| -> Vec<f64> {
            let classes = analytic::voltages(chip, plan, conditions, line);
            let references = if is_optimal {
                read::optimal_references(plan, &classes)
            } else {
                plan.references.clone()
            };
            let rates = read::error_rates(plan, &classes, &references);
            rates.into_iter().map(|rate| libm::log(at_least(rate, LEAST_RATE))).collect()
        };
        let nodes = super::parallel(&tasks, threads, |(_, line)| rates(line));
        let nodes = nodes.into_iter().flatten().collect();
        Self { shift, spread, reach, pages: plan.pages, nodes }
    }

    /// Error rate of a page of a word line.
    pub fn rate(&self, line: &WordLine, page: usize) -> f64 {
        let (i, x) = self.shift.place(line.shift);
        let (j, y) = self.spread.place(libm::log(line.spread));
        let (k, z) = self.reach.place(line.reach);
        let node = |i: usize, j: usize, k: usize| {
            let (i, j, k) = (
                i.min(self.shift.nodes - 1),
                j.min(self.spread.nodes - 1),
                k.min(self.reach.nodes - 1),
            );
            self.nodes[((i * self.spread.nodes + j) * self.reach.nodes + k) * self.pages + page]
        };
        let mix = |a: f64, b: f64, share: f64| a + share * (b - a);
        let along = |j: usize, k: usize| mix(node(i, j, k), node(i + 1, j, k), x);
        let across = |k: usize| mix(along(j, k), along(j + 1, k), y);
        let log = if self.reach.nodes == 1 { across(0) } else { mix(across(k), across(k + 1), z) };
        libm::exp(log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    /// Between the nodes too, for word lines as they come.
    #[test]
    fn the_grid_gives_what_the_distributions_give() {
        for (name, is_optimal) in [("lazyrs-tlc", true), ("ressd-tlc", false)] {
            let chip = Chip::preset(name).unwrap();
            let plan = Plan::one_shot(&chip);
            let conditions = Conditions::fresh(1000.0).aged(8760.0, 30.0);
            let grid = Grid::new(&chip, &plan, &conditions, is_optimal, 2);
            for number in 0..6 {
                let place =
                    Place { chip: number, block: 3 * number, layer: 7 * number, word_line: 0 };
                let line = WordLine::at(&chip.variation, 5, place);
                let classes = analytic::voltages(&chip, &plan, &conditions, &line);
                let references = if is_optimal {
                    read::optimal_references(&plan, &classes)
                } else {
                    plan.references.clone()
                };
                for (page, direct) in
                    read::error_rates(&plan, &classes, &references).into_iter().enumerate()
                {
                    let ratio = grid.rate(&line, page) / direct;
                    assert!((ratio - 1.0).abs() < 0.02, "{name} {number} {page}: {ratio}");
                }
            }
        }
    }
}
