//! Was the run in a steady state? The rule of SNIA's Performance Test Specification: in a window of
//! five rounds, no round is further than 10 % from their mean (a range of 20 %), and the best line
//! through them rises or falls by no more than 10 % of the mean.
//!
//! Planes that collect in step make rounds without GC and then one full of it. So where five rounds
//! are not a whole cycle of the drive the window is longer, in five parts of two to five rounds. Its
//! mean is held against the closed form where there is one.

use super::series::{Round, Series};
use super::{Comparison, Cycle, SteadyState};
use serde_json::Value;

const ROUNDS: usize = 25;
const PARTS: usize = 5;
const RANGE: f64 = 0.20;
const SLOPE: f64 = 0.10;
/// How far the mean of a window may be from the closed form.
const FROM_CLOSED_FORM: f64 = 0.10;
/// Rounding errors do not make a round unsteady.
const ROUNDING: f64 = 1e-9;

/// True when rounds are steady.
fn is_steady(window: &[f64]) -> bool {
    let n = window.len() as f64;
    let mean = window.iter().sum::<f64>() / n;
    let (low, high) = window
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    let middle = (n - 1.0) / 2.0;
    let moment: f64 =
        window.iter().enumerate().map(|(i, y)| (i as f64 - middle) * (y - mean)).sum();
    let spread: f64 = (0..window.len()).map(|i| (i as f64 - middle).powi(2)).sum();
    let rise = moment / spread * (n - 1.0);
    high - low <= RANGE * mean + ROUNDING && rise.abs() <= SLOPE * mean + ROUNDING
}

/// The verdict over a run: steady when its last window is, since the first of those that are steady
/// without a break up to the end.
pub fn verdict(
    series: &Series,
    cycle: Cycle,
    closed_form: Comparison,
    preconditioning: Value,
) -> SteadyState {
    let course = Course { rounds: series.rounds(ROUNDS), cycle };
    let reason = course.why_not(&closed_form);
    let reached = reason.is_none();
    SteadyState {
        reached,
        reason,
        after_requests: reached.then(|| course.steady_from()),
        rounds: course.amplifications(0, 1),
        cycle,
        closed_form,
        preconditioning,
    }
}

/// The rounds of a run on a drive of which a window must see a whole cycle.
struct Course {
    rounds: Vec<Round>,
    cycle: Cycle,
}

impl Course {
    /// The first `rounds` rounds.
    fn until(&self, rounds: usize) -> Round {
        rounds.checked_sub(1).map(|at| self.rounds[at]).unwrap_or_default()
    }

    /// Write amplification in the rounds from `from` on, so many at a time.
    fn amplifications(&self, from: usize, at_a_time: usize) -> Vec<f64> {
        let part = |begin: usize| {
            let (from, to) = (self.until(begin), self.until(begin + at_a_time));
            let host = (to.host_units - from.host_units) as f64;
            (to.programmed_units - from.programmed_units) as f64 / host
        };
        let ends = (self.rounds.len() + 1).saturating_sub(at_a_time);
        (from..ends).step_by(at_a_time).map(part).collect()
    }

    /// Rounds in each part of the window that ends with `end`: the fewest with which it sees a whole
    /// cycle.
    fn rounds_of_part(&self, end: usize) -> Option<usize> {
        let sees_cycle = |&rounds: &usize| {
            let (from, to) = (self.until(end - PARTS * rounds), self.until(end));
            to.host_units - from.host_units >= self.cycle.host_units
                && to.gc_count - from.gc_count >= self.cycle.gc_domains.max(1)
        };
        (1..=end / PARTS).find(sees_cycle)
    }

    /// Write amplification of the parts of the window that ends with `end`.
    fn window(&self, end: usize) -> Option<Vec<f64>> {
        let rounds = self.rounds_of_part(end)?;
        let mut parts = self.amplifications(end - PARTS * rounds, rounds);
        parts.truncate(PARTS);
        Some(parts)
    }

    fn is_steady_at(&self, end: usize) -> bool {
        self.window(end).is_some_and(|parts| is_steady(&parts))
    }

    /// Requests after which the first of the windows began that are steady without a break.
    fn steady_from(&self) -> u64 {
        let ends = (0..=self.rounds.len()).rev();
        let first = ends.take_while(|&end| self.is_steady_at(end)).last();
        let from = first.and_then(|end| Some(end - PARTS * self.rounds_of_part(end)?));
        from.map_or(0, |from| self.until(from).requests)
    }

    /// What speaks against a steady state at the end of the run.
    fn why_not(&self, closed_form: &Comparison) -> Option<String> {
        let end = self.rounds.len();
        let Some(parts) = self.window(end) else {
            let (last, Cycle { host_units, gc_domains }) = (self.until(end), self.cycle);
            return Some(format!(
                "the run is too short to tell: {} of {host_units} units written, {} of {gc_domains} blocks reclaimed, in {end} of {PARTS} rounds",
                last.host_units, last.gc_count
            ));
        };
        if !is_steady(&parts) {
            return Some("write amplification still changed at the end of the run".into());
        }
        let expected = closed_form.expected?;
        let mean = parts.iter().sum::<f64>() / parts.len() as f64;
        ((mean / expected - 1.0).abs() > FROM_CLOSED_FORM).then(|| {
            format!(
                "write amplification was {mean:.3} at the end of the run, but comes to {expected:.3} by the closed form"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Comparison, Cycle, Sample, Series, SteadyState};
    use super::{is_steady, verdict};

    const UNITS: u64 = 1000;

    #[test]
    fn the_rule_holds_at_its_edges() {
        assert!(is_steady(&[1.0, 1.0, 1.0, 1.0, 1.0]));
        assert!(is_steady(&[0.9, 1.1, 1.0, 1.1, 0.9]));
        assert!(!is_steady(&[0.89, 1.11, 1.0, 1.11, 0.89]));
        assert!(is_steady(&[0.951, 0.975, 1.0, 1.025, 1.049]));
        assert!(!is_steady(&[0.948, 0.974, 1.0, 1.026, 1.052]));
    }

    /// The verdict over rounds of a thousand units and requests each, given by their write amplification;
    /// GC reclaims a block for every `units_per_victim` that it writes.
    fn over(
        rounds: &[f64],
        (host_units, gc_domains): (u64, u64),
        expected: Option<f64>,
    ) -> SteadyState {
        let mut series = Series::new(200);
        let mut at = Sample::default();
        for amplification in rounds {
            let moved = ((amplification - 1.0) * UNITS as f64).round() as u64;
            at.requests += UNITS;
            at.host_units += UNITS;
            at.programmed_units += UNITS + moved;
            at.gc_count += moved / 10;
            series.push(at.clone());
        }
        let closed_form = Comparison { expected, left_out: None };
        verdict(&series, Cycle { host_units, gc_domains }, closed_form, serde_json::Value::Null)
    }

    /// What planes in step show: bursts far apart, and at the end a lull that would pass by itself.
    #[test]
    fn a_lull_is_no_steady_state() {
        let mut rounds = vec![1.0, 1.0, 98.8];
        rounds.extend([1.0; 17]);
        rounds.extend([98.8, 1.0, 1.0, 1.0, 1.0, 1.02]);
        let rounds = &rounds[1..];
        assert_eq!(rounds.len(), 25);
        let in_step = over(rounds, (18 * UNITS, 64), None);
        assert!(!in_step.reached && in_step.after_requests.is_none());
        // Not by the cycle alone: five rounds without the victims of each domain are none either.
        assert!(!over(rounds, (1, 64), None).reached);
        // Of two victims in the last five rounds each of two domains may have had one.
        assert!(over(rounds, (1, 2), None).reached);
        assert!(!over(rounds, (1, 3), None).reached);
    }

    #[test]
    fn a_window_is_a_whole_cycle() {
        let mut rounds = vec![3.0; 15];
        rounds.extend([2.0; 10]);
        // The last ten rounds are alike, the eleventh is not; a window has a multiple of five.
        for (rounds_of_cycle, reached) in [(1, true), (5, true), (6, true), (10, true), (11, false)]
        {
            let found = over(&rounds, (rounds_of_cycle * UNITS, 1), None);
            assert_eq!(found.reached, reached, "{rounds_of_cycle}");
            assert_eq!(found.after_requests, reached.then_some(15 * UNITS), "{rounds_of_cycle}");
        }
        // Of a whole cycle, the parts are compared: rounds that go up and down within each are alike.
        let waves = [1.0, 2.0, 3.0, 2.0, 1.0].repeat(5);
        assert!(!over(&waves, (5 * UNITS, 1), None).reached);
        let found = over(&waves, (21 * UNITS, 1), None);
        assert_eq!((found.reached, found.after_requests), (true, Some(0)));
        assert_eq!(found.rounds, waves);
    }

    #[test]
    fn a_run_shorter_than_a_cycle_cannot_tell() {
        let alike = [2.0; 25];
        assert!(over(&alike, (25 * UNITS, 1), None).reached);
        let short = over(&alike, (25 * UNITS + 1, 1), None);
        assert!(short.reason.is_some_and(|reason| reason.contains("too short")));
        // 2500 victims in all.
        assert!(over(&alike, (1, 2500), None).reached);
        assert!(!over(&alike, (1, 2501), None).reached);
        assert!(
            !over(&[1.0; 25], (1, 1), None).reached,
            "without GC a drive is still being filled"
        );
        assert!(!over(&[2.0; 4], (1, 1), None).reached);
        assert!(!over(&[], (0, 0), None).reached);
    }

    #[test]
    fn a_steady_state_is_that_of_the_closed_form() {
        for (expected, reached) in
            [(2.0, true), (1.83, true), (1.81, false), (2.21, true), (2.23, false)]
        {
            let found = over(&[2.0; 25], (1, 1), Some(expected));
            assert_eq!(found.reached, reached, "{expected}");
            assert_eq!(found.reason.is_some(), !reached, "{expected}");
        }
    }
}
