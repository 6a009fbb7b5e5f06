//! Density evolution: how many cells may be writable or not for message passing to succeed, as
//! codes grow long.
//!
//! Message passing on the generator fails on the known cells exactly where erasure decoding by the
//! dual code fails on the same cells (Martinian and Yedidia, Allerton 2003), so that the recursion
//! is that of a repeat-accumulate code on an erasure channel.

use super::graph::DEGREES;

/// The largest share of used cells at which message passing succeeds at this rate, for codes
/// without end. No code can do better than `1 - rate`.
pub fn threshold(rate: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if dies_out(rate, middle) { low = middle } else { high = middle }
    }
    low
}

/// Whether the share of undecided messages falls to nothing.
fn dies_out(rate: f64, used: f64) -> bool {
    let per_cell: f64 = DEGREES.iter().map(|&(degree, share)| degree as f64 * share).sum();
    let per_variable = per_cell * rate / (1.0 - rate);
    let mut undecided = used;
    for _ in 0..20_000 {
        let sums_known = libm::pow(1.0 - undecided, per_variable);
        let chain = used * (1.0 - sums_known) / (1.0 - used * sums_known);
        let others = libm::pow(1.0 - undecided, per_variable - 1.0);
        let to_cell = 1.0 - (1.0 - chain) * (1.0 - chain) * others;
        let parts = DEGREES.iter().map(|&(degree, share)| {
            degree as f64 * share / per_cell * libm::pow(to_cell, degree as f64 - 1.0)
        });
        let next = used * parts.sum::<f64>();
        if next < 1e-9 {
            return true;
        }
        if undecided - next < 1e-12 {
            return false;
        }
        undecided = next;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_degrees_keep_what_the_linear_program_promised() {
        let used = threshold(0.487);
        assert!((0.4985..0.501).contains(&used), "{used}");
    }

    #[test]
    fn no_rate_beats_capacity() {
        for rate in [0.2, 0.35, 0.45, 0.49] {
            let used = threshold(rate);
            assert!(used < 1.0 - rate && used > 0.75 * (1.0 - rate), "{rate}: {used}");
        }
    }
}
