//! Uniformly random writes, policies with an elementary form: FIFO, random, and Desnoyers'
//! approximation of greedy.

use super::{Profile, bisect, lambert_w0};

/// Write amplification of FIFO cleaning (also called LRU, circular or age-based), whatever the size
/// of a block: A = α / (α + W₀(−α·e^(−α))).
///
/// A unit is still valid with probability p = e^(−α/A) when its block comes round, and
/// A = 1/(1 − p). Desnoyers, "Analytic models of SSD write performance", ACM TOS 10(2), 2014; Xiang
/// and Kurkoski, arXiv:1110.4245.
pub fn fifo(alpha: f64) -> f64 {
    if alpha <= 1.0 {
        return f64::INFINITY;
    }
    let x = alpha + lambert_w0(-alpha * (-alpha).exp());
    alpha / x.max(alpha - 1.0) // A ≤ α/(α − 1): guards against rounding at the branch point
}

/// Write amplification of FIFO cleaning where the host writes each logical unit once before any comes again, in a new random
/// order each time, as fio does by default: the root of A = 1 + Σ_k P(L > k·α/A), k = 1, 2, …
///
/// L is the time between two writes of a unit, in passes: what is left of one pass and a part of the next, both uniform, so
/// that P(L > s) = 1 − s²/2 up to a pass and (2 − s)²/2 up to two. The log comes round every α/A passes, and moves what
/// still is valid (own derivation).
pub fn fifo_in_passes(alpha: f64) -> f64 {
    if alpha <= 1.0 {
        return f64::INFINITY;
    }
    let survives = |s: f64| if s < 1.0 { 1.0 - s * s / 2.0 } else { (2.0 - s).powi(2) / 2.0 };
    let moves = |a: f64| -> f64 {
        let rounds = (1..).map(|k| f64::from(k) * alpha / a);
        rounds.take_while(|&s| s < 2.0).map(survives).sum()
    };
    bisect(1.0, alpha / (alpha - 1.0), |a| 1.0 + moves(a) > a)
}

/// The share of a block's units that are still valid under FIFO cleaning, `age` being the share of
/// the log that was written since: 0 for the block just filled, 1 for the next victim.
///
/// p(age) = e^(−age·α/A): in the time in which the whole log of α·U units is written once, the host
/// writes α·U/A of them, each to any of the U logical units.
pub fn fifo_valid_share_by_age(alpha: f64, age: f64) -> f64 {
    (-age * alpha / fifo(alpha)).exp()
}

/// Write amplification when the victim is drawn at random: A = α / (α − 1).
///
/// A random victim is as full as the average block, ρ = 1/α, and A = 1/(1 − ρ). Van Houdt, "A mean
/// field model for a class of garbage collection algorithms in flash-based solid state drives",
/// SIGMETRICS 2013.
pub fn random(alpha: f64) -> f64 {
    if alpha <= 1.0 { f64::INFINITY } else { alpha / (alpha - 1.0) }
}

/// Desnoyers' approximation of greedy cleaning: X₀ = ½ − (b/α)·W₀(−k·e^(−k)) with
/// k = (1 + 1/2b)·α, and A = b / (b − X₀ + 1).
///
/// Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012. [`super::greedy`] is
/// exact; this one is kept because it is quoted often.
pub fn greedy_desnoyers(alpha: f64, units_per_block: usize) -> f64 {
    if alpha <= 1.0 {
        return f64::INFINITY;
    }
    let b = units_per_block as f64;
    let k = (1.0 + 0.5 / b) * alpha;
    let victim = 0.5 - b / alpha * lambert_w0(-k * (-k).exp());
    b / (b - victim + 1.0)
}

/// Valid units per block under FIFO cleaning, over blocks of all ages.
///
/// A block of age a holds a binomial number of valid units, with probability p(a) = e^(−k·a) each,
/// k = α/A. The mean over a uniform in [0, 1] is, by the substitution of p for a, an incomplete beta
/// integral: share of i = P[Binomial(b, e^(−k)) < i] / (k·i) for i ≥ 1.
pub(super) fn fifo_profile(alpha: f64, units_per_block: usize) -> Profile {
    let write_amplification = fifo(alpha);
    let k = alpha / write_amplification;
    let mut share = vec![0.0; units_per_block + 1];
    let mut below = 0.0;
    let terms = binomial(units_per_block, (-k).exp());
    for (i, term) in terms.iter().enumerate().take(units_per_block) {
        below += term;
        share[i + 1] = f64::min(below, 1.0) / (k * (i + 1) as f64);
    }
    share[0] = (1.0 - share.iter().sum::<f64>()).max(0.0);
    Profile { share, write_amplification }
}

/// The probabilities of 0 ..= n successes, each of probability `p` strictly between 0 and 1. Built
/// outwards from the most likely one, so that nothing overflows, and normalised at the end.
fn binomial(n: usize, p: f64) -> Vec<f64> {
    let odds = p / (1.0 - p);
    let mode = (((n + 1) as f64 * p) as usize).min(n);
    let mut terms = vec![0.0; n + 1];
    terms[mode] = 1.0;
    for i in mode..n {
        terms[i + 1] = terms[i] * odds * (n - i) as f64 / (i + 1) as f64;
    }
    for i in (0..mode).rev() {
        terms[i] = terms[i + 1] * (i + 1) as f64 / ((n - i) as f64 * odds);
    }
    let total: f64 = terms.iter().sum();
    terms.iter_mut().for_each(|term| *term /= total);
    terms
}
