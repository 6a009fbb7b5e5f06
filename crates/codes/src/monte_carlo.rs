//! Failure rates by Monte Carlo: resumable, mergeable, the same for any number of threads.
//!
//! Trial `i` depends on the seed and on `i` alone. Trials run in rounds of fixed sizes, and only
//! between rounds is it decided whether to stop, so that the tally depends on the seed and on the
//! rule only. A tally that was stored goes on where it stopped; tallies of disjoint ranges add up.

use rayon::prelude::*;
use std::ops::{AddAssign, ControlFlow};

const FIRST_ROUND: u64 = 64;
const LARGEST_ROUND: u64 = 8192;

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Trials made.
    pub trials: u64,
    /// Trials that failed.
    pub failures: u64,
}

/// When to stop: at whichever comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// Trials in all.
    pub trials: u64,
    /// Failures that are enough; a rate from 100 of them is known to ± 20 % at 95 %.
    pub failures: u64,
}

impl Stop {
    fn reached(&self, tally: &Tally) -> bool {
        tally.trials >= self.trials || tally.failures >= self.failures
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.trials += other.trials;
        self.failures += other.failures;
    }
}

impl Tally {
    /// Failures per trial; `None` before the first.
    pub fn rate(&self) -> Option<f64> {
        (self.trials > 0).then(|| self.failures as f64 / self.trials as f64)
    }

    /// Clopper and Pearson's exact interval (Biometrika 26, 1934) for the failure probability: it
    /// holds the true one with at least `confidence`, such as 0.95.
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        wordline_stats::binomial_interval(self.failures, self.trials, confidence)
    }
}

/// Goes on from `tally` until `stop`. Each thread makes its own state with `worker`; `fails(state,
/// trial)` says whether trial number `trial` failed. `progress` is called between rounds and may
/// stop early: then the tally is that of the rounds that were finished.
pub fn run<W>(
    tally: Tally,
    stop: Stop,
    worker: impl Fn() -> W + Sync + Send,
    fails: impl Fn(&mut W, u64) -> bool + Sync + Send,
    progress: &mut dyn FnMut(&Tally) -> ControlFlow<()>,
) -> Tally {
    let mut counts = [tally.trials - tally.failures, tally.failures];
    let of = |counts: &[u64]| Tally { trials: counts[0] + counts[1], failures: counts[1] };
    let outcome = |state: &mut W, trial| usize::from(fails(state, trial));
    run_counted(&mut counts, stop.trials, worker, outcome, &mut |counts| {
        let tally = of(counts);
        if stop.reached(&tally) { ControlFlow::Break(()) } else { progress(&tally) }
    });
    of(&counts)
}

/// Goes on until `counts`, which say how many trials had each outcome, add up to `trials`.
/// `outcome(state, trial)` gives the place to count at. `progress` is called between rounds and may
/// stop early.
pub fn run_counted<W>(
    counts: &mut [u64],
    trials: u64,
    worker: impl Fn() -> W + Sync + Send,
    outcome: impl Fn(&mut W, u64) -> usize + Sync + Send,
    progress: &mut dyn FnMut(&[u64]) -> ControlFlow<()>,
) {
    let places = counts.len();
    loop {
        let done: u64 = counts.iter().sum();
        if done >= trials || progress(counts).is_break() {
            return;
        }
        let round = done.clamp(FIRST_ROUND, LARGEST_ROUND).min(trials - done);
        let found = (done..done + round)
            .into_par_iter()
            .map_init(&worker, &outcome)
            .fold(
                || vec![0; places],
                |mut counts, place| {
                    counts[place] += 1;
                    counts
                },
            )
            .reduce(|| vec![0; places], add);
        counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
    }
}

fn add(mut to: Vec<u64>, from: Vec<u64>) -> Vec<u64> {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::random_word;

    /// Fails with probability 1/8.
    fn one_in_eight(_: &mut (), trial: u64) -> bool {
        random_word(7, trial) >> 61 == 0
    }

    fn count(from: Tally, trials: u64, failures: u64) -> Tally {
        let go_on = &mut |_: &Tally| ControlFlow::Continue(());
        run(from, Stop { trials, failures }, || (), one_in_eight, go_on)
    }

    #[test]
    fn interval_of_no_failure_is_the_rule_of_three() {
        let (low, high) = Tally { trials: 1000, failures: 0 }.interval(0.95);
        assert_eq!(low, 0.0);
        assert!((high - (1.0 - 0.025_f64.powf(1e-3))).abs() < 1e-9);
        assert_eq!(Tally { trials: 3, failures: 3 }.interval(0.95).1, 1.0);
    }

    #[test]
    fn the_true_rate_is_covered_and_rounds_do_not_matter() {
        let tally = count(Tally::default(), 20_000, u64::MAX);
        let (low, high) = tally.interval(0.99);
        assert!(low < 0.125 && 0.125 < high, "{tally:?}");
        let by_hand = (0..20_000).filter(|&trial| one_in_eight(&mut (), trial)).count();
        assert_eq!(tally, Tally { trials: 20_000, failures: by_hand as u64 });
    }

    #[test]
    fn a_stored_tally_goes_on_where_it_stopped() {
        let first = count(Tally::default(), 1_000, u64::MAX);
        assert_eq!(count(first, 3_000, u64::MAX), count(Tally::default(), 3_000, u64::MAX));
    }

    #[test]
    fn enough_failures_stop_it() {
        let tally = count(Tally::default(), 1_000_000, 100);
        assert!(tally.failures >= 100 && tally.trials < 5_000, "{tally:?}");
    }

    #[test]
    fn progress_may_stop_it() {
        let stop = Stop { trials: 1 << 40, failures: u64::MAX };
        let once = &mut |tally: &Tally| match tally.trials {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        };
        assert_eq!(run(Tally::default(), stop, || (), one_in_eight, once).trials, FIRST_ROUND);
    }
}
