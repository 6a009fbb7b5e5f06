//! Random numbers from the seed alone.

use rand::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256StarStar;

/// A stream of random numbers; every use has its own, so that one more draw here changes nothing
/// there.
#[derive(Debug, Clone)]
pub struct Rng(Xoshiro256StarStar);

impl Rng {
    /// The stream `name` of `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        let tag = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(Xoshiro256StarStar::seed_from_u64(mix(seed ^ tag)))
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number below `bound` (Lemire's reduction; its bias of 2^-32 does not matter here).
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.0.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A uniform number below a bound of up to 64 bits.
    #[inline]
    pub fn below_wide(&mut self, bound: u64) -> u64 {
        match u32::try_from(bound) {
            Ok(bound) => self.below(bound).into(),
            Err(_) => ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64,
        }
    }

    /// A uniform number in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// Splitmix64's finaliser.
#[inline]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A standard normal number that depends on `seed` and `index` only (Box–Muller).
pub fn unit_normal(seed: u64, index: u64) -> f64 {
    let word = mix(mix(seed) ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let u = ((word >> 32) as f64 + 0.5) / 4_294_967_296.0;
    let v = (word & 0xffff_ffff) as f64 / 4_294_967_296.0;
    libm::sqrt(-2.0 * libm::log(u)) * libm::cos(std::f64::consts::TAU * v)
}

/// A pseudo-random permutation of `0..n`: a Feistel network over the next even power of two, walked
/// until it lands inside. Good enough to scatter data; not for secrets.
#[derive(Debug, Clone, Copy)]
pub struct Permutation {
    n: u64,
    half: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// The permutation of `0..n` that `seed` names.
    pub fn new(n: u64, seed: u64) -> Self {
        let half = (64 - n.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
        Self { n, half, keys: [1, 2, 3, 4].map(|round| mix(seed.wrapping_add(round << 32))) }
    }

    /// The place of `index`.
    #[inline]
    pub fn place(&self, index: u64) -> u64 {
        let mask = (1u64 << self.half) - 1;
        let mut x = index;
        loop {
            let (mut left, mut right) = (x >> self.half, x & mask);
            for key in self.keys {
                let f = (right ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.half);
                (left, right) = (right, left ^ f);
            }
            x = (left << self.half) | right;
            if x < self.n {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_hit_every_place_once() {
        for n in [1u64, 2, 3, 10, 64, 1000, 4097] {
            let mut seen = vec![false; n as usize];
            let permutation = Permutation::new(n, 7);
            for i in 0..n {
                let at = permutation.place(i) as usize;
                assert!(!std::mem::replace(&mut seen[at], true), "{at} twice of {n}");
            }
        }
    }

    #[test]
    fn numbers_below_a_bound_reach_up_to_it_whatever_its_size() {
        let (mut one, mut other) = (Rng::new(1, "a"), Rng::new(1, "a"));
        assert!((0..100).all(|_| u64::from(one.below(1000)) == other.below_wide(1000)));
        let bound = 1 << 36;
        let drawn: Vec<u64> = (0..1000).map(|_| one.below_wide(bound)).collect();
        assert!(drawn.iter().all(|&number| number < bound));
        let above = drawn.iter().filter(|&&number| number >= bound / 2).count();
        assert!((400..600).contains(&above) && drawn.iter().any(|number| number % 2 == 1));
    }

    #[test]
    fn normals_have_mean_0_and_variance_1() {
        let values: Vec<f64> = (0..100_000).map(|i| unit_normal(3, i)).collect();
        let mean = values.iter().sum::<f64>() / 1e5;
        let variance = values.iter().map(|x| x * x).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }
}
