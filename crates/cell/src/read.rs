//! Reading: references, their optimum, retries, and the bits that come out wrong.

use crate::density::edge;
use crate::math::largest;
use crate::pagewise::{Order, Pages, Pattern};
use crate::{Chip, Conditions, Density, Plan, WordLine, analytic};

const YEAR_H: f64 = 8760.0;
const BITS_PER_KIB: f64 = 8192.0;

/// Share of each page's bits that are read wrong with these references.
pub fn error_rates(plan: &Plan, classes: &[Density], references: &[f64]) -> Vec<f64> {
    let mut rates = vec![0.0; plan.pages];
    for (number, class) in classes.iter().enumerate() {
        let mut below = 0.0;
        for region in 0..plan.regions.len() {
            let up_to = references.get(region).map_or(1.0, |reference| class.below(*reference));
            let wrong = plan.wrong(number, region);
            for (page, rate) in rates.iter_mut().enumerate() {
                if wrong >> page & 1 == 1 {
                    *rate += (up_to - below) / classes.len() as f64;
                }
            }
            below = up_to;
        }
    }
    rates
}

/// The references that leave the fewest cells on the wrong side of each (OVO): found bin by bin
/// between the means of the classes on both sides.
pub fn optimal_references(plan: &Plan, classes: &[Density]) -> Vec<f64> {
    let cumulative: Vec<Vec<f64>> = classes.iter().map(Density::cumulative).collect();
    let means: Vec<f64> = classes.iter().map(Density::mean).collect();
    let region_of: Vec<usize> = (0..classes.len()).map(|class| region(plan, class)).collect();
    (0..plan.references.len())
        .map(|reference| {
            let (low, high): (Vec<usize>, Vec<usize>) =
                (0..classes.len()).partition(|&class| region_of[class] <= reference);
            let from = low.iter().map(|&c| means[c]).fold(f64::MIN, f64::max);
            let to = high.iter().map(|&c| means[c]).fold(f64::MAX, f64::min);
            let misread = |bin: usize| -> f64 {
                low.iter().map(|&c| 1.0 - cumulative[c][bin]).sum::<f64>()
                    + high.iter().map(|&c| cumulative[c][bin]).sum::<f64>()
            };
            let bins = (0..cumulative[0].len()).filter(|&bin| (from..=to).contains(&edge(bin)));
            best(bins, misread).map_or(plan.references[reference], edge)
        })
        .collect()
}

/// The middle of the bins at which `cost` is least, within rounding.
fn best(bins: impl Iterator<Item = usize>, cost: impl Fn(usize) -> f64) -> Option<usize> {
    let costs: Vec<(usize, f64)> = bins.map(|bin| (bin, cost(bin))).collect();
    let least = costs.iter().map(|(_, cost)| *cost).fold(f64::MAX, f64::min);
    let ties: Vec<usize> =
        costs.iter().filter(|(_, cost)| *cost <= least + 1e-13).map(|(bin, _)| *bin).collect();
    ties.get(ties.len() / 2).copied()
}

/// The region in which all bits of a class are right.
fn region(plan: &Plan, class: usize) -> usize {
    (0..plan.regions.len()).find(|&region| plan.wrong(class, region) == 0).unwrap_or(0)
}

/// Errors of the worst page of a nominal word line after `pec` cycles and a year, per KiB, by the best
/// references.
pub fn worst_page_after_a_year(chip: &Chip, pec: f64) -> f64 {
    let by_page = Pages::of(chip).map(|pages| pages.plan(Pattern::Even, Order::Regular));
    let plan = by_page.unwrap_or_else(|_| Plan::one_shot(chip));
    let conditions = Conditions::fresh(pec).aged(YEAR_H, chip.retention.reference_c);
    let classes = analytic::voltages(chip, &plan, &conditions, &WordLine::NOMINAL);
    let best = optimal_references(&plan, &classes);
    BITS_PER_KIB * largest(error_rates(&plan, &classes, &best))
}

/// A read with retries: all references fall by one retry step each time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retried {
    /// Retries until a codeword of the worst page can be corrected on average; none where the
    /// chip's retries are not enough.
    pub retries: Option<u32>,
    /// The error rate of the worst page at the end.
    pub rate: f64,
}

/// Reads a word line with retries until its worst page has at most `bearable` errors per bit.
pub fn with_retries(chip: &Chip, plan: &Plan, classes: &[Density], bearable: f64) -> Retried {
    let mut least = f64::MAX;
    for retry in 0..=chip.read.max_retries {
        let by = chip.read.retry_step * f64::from(retry);
        let references: Vec<f64> = plan.references.iter().map(|r| r - by).collect();
        let rate = largest(error_rates(plan, classes, &references));
        least = least.min(rate);
        if rate <= bearable {
            return Retried { retries: Some(retry), rate };
        }
    }
    Retried { retries: None, rate: least }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every retry lowers the references by a step: here they begin three steps too high.
    #[test]
    fn retries_go_down_to_the_first_that_is_enough_the_last_included() {
        let mut chip = Chip::preset("planar-tlc").unwrap();
        let mut plan = Plan::one_shot(&chip);
        plan.references.iter_mut().for_each(|reference| *reference += 3.0 * chip.read.retry_step);
        let conditions = Conditions::fresh(1000.0);
        let classes = analytic::voltages(&chip, &plan, &conditions, &WordLine::NOMINAL);
        let rate = |retry: u32| {
            let down = f64::from(retry) * chip.read.retry_step;
            let lowered: Vec<f64> = plan.references.iter().map(|r| r - down).collect();
            largest(error_rates(&plan, &classes, &lowered))
        };
        let [none, one, two] = [rate(0), rate(1), rate(2)];
        assert!(none > one && one > two, "{none} {one} {two}");
        chip.read.max_retries = 2;
        let read = |bearable| with_retries(&chip, &plan, &classes, bearable);
        assert_eq!(read(none), Retried { retries: Some(0), rate: none });
        assert_eq!(read(none.next_down()), Retried { retries: Some(1), rate: one });
        assert_eq!(read(two), Retried { retries: Some(2), rate: two });
        assert_eq!(read(two.next_down()), Retried { retries: None, rate: two });
    }
}
