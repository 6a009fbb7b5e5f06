//! Was the run in a steady state? The rule of SNIA's Performance Test Specification: in a window of
//! five rounds, no round is further than 10 % from their mean (a range of 20 %), and the best line
//! through them rises or falls by no more than 10 % of the mean.

use super::{Series, SteadyState};
use serde_json::Value;

const ROUNDS: usize = 25;
const WINDOW: usize = 5;
const RANGE: f64 = 0.20;
const SLOPE: f64 = 0.10;
/// Rounding errors do not make a round unsteady.
const ROUNDING: f64 = 1e-9;

/// True when five rounds are steady.
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

/// The verdict over a run: steady when its last five rounds are, since the first of the windows
/// that are steady without a break up to the end. Without garbage collection nothing is steady: the
/// drive is still being filled.
pub fn verdict(series: &Series, gc_count: u64, preconditioning: Value) -> SteadyState {
    let rounds = series.rounds(ROUNDS);
    let amplification: Vec<f64> = rounds.iter().map(|(value, _)| *value).collect();
    let windows: Vec<bool> = amplification.windows(WINDOW).map(is_steady).collect();
    let steady_from = windows.iter().rposition(|steady| !steady).map_or(0, |last| last + 1);
    let reached = gc_count > 0 && windows.last().copied().unwrap_or(false);
    let after_requests = match (reached, steady_from) {
        (false, _) => None,
        (true, 0) => Some(0),
        (true, from) => Some(rounds[from - 1].1),
    };
    SteadyState { reached, after_requests, rounds: amplification, preconditioning }
}

#[cfg(test)]
mod tests {
    use super::is_steady;

    #[test]
    fn the_rule_holds_at_its_edges() {
        assert!(is_steady(&[1.0, 1.0, 1.0, 1.0, 1.0]));
        assert!(is_steady(&[0.9, 1.1, 1.0, 1.1, 0.9]));
        assert!(!is_steady(&[0.89, 1.11, 1.0, 1.11, 0.89]));
        assert!(is_steady(&[0.951, 0.975, 1.0, 1.025, 1.049]));
        assert!(!is_steady(&[0.948, 0.974, 1.0, 1.026, 1.052]));
    }
}
