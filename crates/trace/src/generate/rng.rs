//! Random numbers from the seed alone.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// A stream of random numbers; every purpose has its own.
#[derive(Debug, Clone)]
pub(crate) struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The stream for `purpose` of `seed`: its name, hashed by FNV-1a, sets it apart.
    pub fn new(seed: u64, purpose: &str) -> Self {
        let tag = purpose.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(Xoshiro256PlusPlus::seed_from_u64(seed ^ tag))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform whole number below `bound`, by multiplication; the bias is below bound / 2^64.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A uniform number in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// An exponential number of mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -super::math::log1p(-self.unit())
    }

    /// True with probability `chance`.
    #[inline]
    pub fn happens(&mut self, chance: Chance) -> bool {
        (self.bits() >> 32) < chance.0
    }
}

/// A probability in steps of 2^-32, so that 0 is never and 1 is always.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chance(u64);

impl Chance {
    pub fn new(probability: f64) -> Self {
        Self((probability * 4_294_967_296.0).round() as u64)
    }
}
