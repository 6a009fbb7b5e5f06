//! A pseudo-random order of 0..n without a table.

use super::rng::Rng;

/// A bijection of 0..n onto itself: multiplications and shifts, each a bijection of the next power
/// of two, repeated until the result is below n (cycle walking; Black and Rogaway, CT-RSA 2002).
#[derive(Debug, Clone)]
pub(crate) struct Permutation {
    n: u64,
    mask: u64,
    shift: u32,
    /// Odd factors.
    factors: [u64; 3],
    /// Moves the fixed point of the multiplications away from zero.
    add: u64,
}

impl Permutation {
    /// The permutation of 0..`n` that `rng` draws; `n` is at least 1.
    pub fn new(n: u64, rng: &mut Rng) -> Self {
        let mask = n.checked_next_power_of_two().map_or(u64::MAX, |power| power - 1);
        let shift = (mask.count_ones() / 2).max(1);
        let factors = [rng.bits() | 1, rng.bits() | 1, rng.bits() | 1];
        Self { n, mask, shift, factors, add: rng.bits() }
    }

    /// Where `index`, below n, goes.
    #[inline]
    pub fn of(&self, index: u64) -> u64 {
        let mut x = index;
        loop {
            for factor in self.factors {
                x = x.wrapping_add(self.add).wrapping_mul(factor) & self.mask;
                x ^= x >> self.shift;
            }
            if x < self.n {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Permutation, Rng};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_index_is_hit_once(n in 1u64..3000, seed: u64) {
            let permutation = Permutation::new(n, &mut Rng::new(seed, "test"));
            let mut hit: Vec<u64> = (0..n).map(|index| permutation.of(index)).collect();
            hit.sort_unstable();
            prop_assert!(hit.into_iter().eq(0..n));
        }
    }
}
