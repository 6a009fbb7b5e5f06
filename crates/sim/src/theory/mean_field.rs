//! Mean-field forms for policies that compare blocks: d-choices and greedy.
//!
//! Let m_i be the share of the full blocks with i valid units and M_i the share with at least i.
//! Each garbage collection takes one victim away and gives one full block back, all of it valid; so
//! it adds a block to those with at least i valid units unless the victim was one of them. The host
//! writes in between invalidate units everywhere, and take i·m_i blocks in proportion below i. In
//! steady state the two balance at every level:
//!
//! > 1 − P[victim has ≥ i valid units] = c·i·m_i
//!
//! where c·bρ is the mean number of host writes per collection, so that A = b/(c·bρ) = 1/(cρ).
//! Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid
//! state drives", SIGMETRICS 2013.

use super::{Profile, bisect};

/// Write amplification when the victim is the emptiest of `d` ≥ 1 blocks drawn at random.
///
/// The victim has at least i valid units when all d have: 1 − M_i^d = c·i·(M_i − M_{i+1}), and c
/// follows from Σ M_i = bρ. d = 1 is random cleaning, d → ∞ greedy.
pub fn d_choices(alpha: f64, units_per_block: usize, d: u32) -> f64 {
    if alpha <= 1.0 {
        return f64::INFINITY;
    }
    alpha / d_choices_rate(alpha, units_per_block, d)
}

pub(super) fn d_choices_profile(alpha: f64, units_per_block: usize, d: u32) -> Profile {
    let c = d_choices_rate(alpha, units_per_block, d);
    let mut share = vec![0.0; units_per_block + 1];
    let mut above = 0.0;
    for i in (1..=units_per_block).rev() {
        let at_least = share_at_least(i, c, d, above);
        share[i] = at_least - above;
        above = at_least;
    }
    share[0] = 1.0 - above;
    Profile { share, write_amplification: alpha / c }
}

/// The c of the balance, between those of random cleaning (α − 1) and of no migration (α).
fn d_choices_rate(alpha: f64, units_per_block: usize, d: u32) -> f64 {
    let valid_units = units_per_block as f64 / alpha;
    bisect(alpha - 1.0, alpha, |c| {
        let mut above = 0.0;
        let mut sum = 0.0;
        for i in (1..=units_per_block).rev() {
            above = share_at_least(i, c, d, above);
            sum += above;
        }
        sum > valid_units
    })
}

/// The root M of 1 − M^d = c·i·(M − `above`) in [`above`, 1]. Newton's method from 1: the difference
/// of the two sides falls and is concave, so every step stays to the right of the root.
fn share_at_least(i: usize, c: f64, d: u32, above: f64) -> f64 {
    let d = d.max(1);
    let pull = c * i as f64;
    let mut m = 1.0;
    for _ in 0..100 {
        let power = power(m, d - 1);
        let step = (m * power - 1.0 + pull * (m - above)) / (f64::from(d) * power + pull);
        m -= step;
        if step <= 1e-15 {
            break;
        }
    }
    m.clamp(above, 1.0)
}

/// `base` to the power of `exponent`, by squaring: the same bits on every machine.
fn power(mut base: f64, mut exponent: u32) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    result
}

/// Write amplification of greedy cleaning.
///
/// The limit d → ∞ of [`d_choices`] has a closed form. There is a level j below which no block
/// survives: m_i = 1/(c·i) for i > j, m_j = 1 − (H_b − H_j)/c with the harmonic numbers H, and
/// Σ i·m_i = bρ gives c = (b − j·(1 + H_b − H_j)) / (bρ − j). j is the one for which the victims that
/// fall below it, a share c·j·m_j of all, lie in [0, 1].
pub fn greedy(alpha: f64, units_per_block: usize) -> f64 {
    if alpha <= 1.0 {
        return f64::INFINITY;
    }
    alpha / greedy_level(alpha, units_per_block).c
}

pub(super) fn greedy_profile(alpha: f64, units_per_block: usize) -> Profile {
    let Level { j, c, share_at } = greedy_level(alpha, units_per_block);
    let mut share = vec![0.0; units_per_block + 1];
    share[j] = share_at;
    for (i, share) in share.iter_mut().enumerate().skip(j + 1) {
        *share = 1.0 / (c * i as f64);
    }
    Profile { share, write_amplification: alpha / c }
}

/// The lowest level that is occupied, the balance's c and the share of blocks at that level.
struct Level {
    j: usize,
    c: f64,
    share_at: f64,
}

/// The first j that is consistent: from below, the share of blocks at level j is too large (victims
/// would fall below j − 1 as well) until the right one is reached.
fn greedy_level(alpha: f64, units_per_block: usize) -> Level {
    let b = units_per_block as f64;
    let valid_units = b / alpha;
    let harmonic: f64 = (1..=units_per_block).map(|i| 1.0 / i as f64).sum();
    let mut above = harmonic;
    let mut level = Level { j: 0, c: alpha, share_at: 1.0 - harmonic / alpha };
    while level.share_at < 0.0 || level.c * level.j as f64 * level.share_at > 1.0 {
        let j = level.j + 1;
        if j as f64 >= valid_units {
            break;
        }
        above -= 1.0 / j as f64;
        let c = (b - j as f64 * (1.0 + above)) / (valid_units - j as f64);
        level = Level { j, c, share_at: 1.0 - above / c };
    }
    level
}
