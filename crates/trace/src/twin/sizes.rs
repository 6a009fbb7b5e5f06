//! Distributions of sizes.

use crate::generate::math::exp;
use serde::{Deserialize, Serialize};

/// Sizes in bytes, each with its weight: how many requests have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sizes(pub Vec<(u32, f64)>);

/// The fractional part of the golden ratio: its multiples spread over [0, 1) more evenly than
/// anything random does.
const GOLDEN: f64 = 0.618_033_988_749_894_8;
/// How far a seed's draws begin after those of the seed before: √2 turns.
const SEED_TURN: f64 = std::f64::consts::SQRT_2;
/// Seeds that begin at places of their own, as far as numbers tell them apart.
const SEEDS: u64 = 1 << 32;

impl Sizes {
    /// The sizes of `base` with their weights tilted by e^(−λ size) so that their mean is
    /// `mean_bytes`: of all distributions with that mean, the one nearest to `base` (in relative
    /// entropy). The mean is clamped to the range of the sizes.
    pub fn tilted(base: &[(u32, f64)], mean_bytes: f64) -> Self {
        let scale = base.iter().map(|&(bytes, _)| f64::from(bytes)).fold(1.0, f64::max);
        let at = |lambda: f64| {
            let weigh = |&(bytes, weight): &(u32, f64)| {
                (bytes, weight * exp(-lambda * (f64::from(bytes) / scale - 0.5)))
            };
            Self(base.iter().map(weigh).collect())
        };
        let (mut low, mut high) = (-400.0, 400.0);
        for _ in 0..80 {
            let middle = (low + high) / 2.0;
            if at(middle).mean_of(f64::from) > mean_bytes { low = middle } else { high = middle }
        }
        at((low + high) / 2.0).normalised()
    }

    /// `self` and `other` together, `other` with `share` of the requests.
    pub fn mixed(&self, other: &Self, share: f64) -> Self {
        let part = |sizes: &Self, share: f64| -> Vec<(u32, f64)> {
            sizes.normalised().0.iter().map(|&(bytes, weight)| (bytes, weight * share)).collect()
        };
        Self([part(self, 1.0 - share), part(other, share)].concat())
    }

    /// The mean over requests of what `value` says of a size.
    pub fn mean_of(&self, value: impl Fn(u32) -> f64) -> f64 {
        let sum: f64 = self.0.iter().map(|&(bytes, weight)| weight * value(bytes)).sum();
        sum / self.weight()
    }

    /// The largest size.
    pub fn max_bytes(&self) -> u32 {
        self.0.iter().map(|&(bytes, _)| bytes).max().unwrap_or(0)
    }

    /// The smallest size.
    pub fn min_bytes(&self) -> u32 {
        self.0.iter().map(|&(bytes, _)| bytes).min().unwrap_or(0)
    }

    fn weight(&self) -> f64 {
        self.0.iter().map(|&(_, weight)| weight).sum()
    }

    fn normalised(&self) -> Self {
        let sum = self.weight();
        Self(self.0.iter().map(|&(bytes, weight)| (bytes, weight / sum)).collect())
    }

    pub(super) fn check(&self, key: &str) -> Result<(), String> {
        if self.0.is_empty() || self.0.len() > 1000 {
            return Err(format!("{key}: expected 1 to 1000 pairs of bytes and weight"));
        }
        let bad = |&&(bytes, weight): &&(u32, f64)| {
            bytes == 0 || bytes > 1 << 26 || !(0.0..=1e15).contains(&weight)
        };
        if let Some((bytes, weight)) = self.0.iter().find(bad) {
            return Err(format!("{key}: [{bytes}, {weight}]: expected 1 to 2^26 bytes, a weight"));
        }
        if self.weight() <= 0.0 { Err(format!("{key}: no weight")) } else { Ok(()) }
    }
}

/// Draws sizes evenly: after any number of draws each size has come as often as its weight says,
/// but for a few, so that a few hundred places already have the right mean.
#[derive(Debug, Clone)]
pub(super) struct EvenSizes {
    /// Sums of the weights up to each size, ending at 1.
    upto: Vec<f64>,
    bytes: Vec<u32>,
    phase: f64,
}

impl EvenSizes {
    /// Draws of these sizes that begin at `phase`, a share of a turn, and elsewhere by every seed but 1.
    pub fn new(sizes: &Sizes, phase: f64, seed: u64) -> Self {
        let turns = seed.wrapping_sub(1) % SEEDS;
        let phase = phase + (turns as f64 * SEED_TURN).fract();
        let mut sum = 0.0;
        let (bytes, shares): (Vec<u32>, Vec<f64>) = sizes.normalised().0.into_iter().unzip();
        let upto = shares.into_iter().map(|share| {
            sum += share;
            sum
        });
        Self { upto: upto.collect(), bytes, phase }
    }

    #[inline]
    pub fn next_bytes(&mut self) -> u32 {
        self.phase += GOLDEN;
        if self.phase >= 1.0 {
            self.phase -= self.phase.floor();
        }
        let place = self.upto.iter().position(|&upto| self.phase < upto);
        self.bytes[place.unwrap_or(self.bytes.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &[(u32, f64)] = &[(512, 1.0), (4096, 5.0), (65_536, 1.0)];

    #[test]
    fn a_tilt_meets_the_mean() {
        for mean in [600.0, 4096.0, 20_000.0, 65_000.0] {
            let sizes = Sizes::tilted(BASE, mean);
            assert!((sizes.mean_of(f64::from) / mean - 1.0).abs() < 1e-9, "{mean}");
        }
    }

    #[test]
    fn even_draws_have_the_right_mean_soon() {
        let sizes = Sizes::tilted(BASE, 12_000.0);
        for seed in [1, 2, 3, u64::MAX] {
            let mut even = EvenSizes::new(&sizes, 0.3, seed);
            let mean = (0..300).map(|_| f64::from(even.next_bytes())).sum::<f64>() / 300.0;
            assert!((mean / 12_000.0 - 1.0).abs() < 0.02, "{seed}: {mean}");
        }
    }

    #[test]
    fn seeds_move_the_sizes() {
        let sizes = Sizes::tilted(BASE, 12_000.0);
        let drawn = |seed| {
            let mut even = EvenSizes::new(&sizes, 0.3, seed);
            (0..50).map(|_| even.next_bytes()).collect::<Vec<_>>()
        };
        let of_seeds: std::collections::BTreeSet<_> = (0..20).map(drawn).collect();
        assert_eq!(of_seeds.len(), 20);
    }
}
