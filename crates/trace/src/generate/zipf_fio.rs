//! Zipf's distribution as fio draws it.

use super::param::{GeneratorParam, Kind};
use super::pattern::Pattern;
use super::rng::Rng;
use super::space::{Extent, Space};
use super::values::Values;
use super::zipf_ycsb::{ZipfYcsb, generalised_harmonic};
use crate::Error;

const THETA: GeneratorParam = GeneratorParam::new(
    "theta",
    Kind::Real(0.0, 10.0),
    "0.99",
    "",
    "Exponent, any but 1; ranks beyond the second follow a continuous curve.",
);

/// Terms of ζ(n, θ) that fio sums; beyond, it takes the sum so far for the whole.
const TERMS: u64 = 10_000_000;

/// What fio multiplies ranks with to scatter them.
const SCATTER: u64 = 0x9e37_ffff_fffc_0001;

/// Ranks as in YCSB, but for ζ; then scattered by a product modulo 2^64, and that modulo the number
/// of addresses. The product is a bijection, its remainder is not unless the number is a power of
/// two: several ranks share an address, and of many addresses about 1/e get none.
#[derive(Clone)]
pub(super) struct ZipfFio {
    space: Space,
    rng: Rng,
    ranks: ZipfYcsb,
    shift: u64,
}

impl Pattern for ZipfFio {
    const NAME: &'static str = "zipf_fio";
    const SUMMARY: &'static str =
        "Zipf's law as fio draws it: approximate ranks, scattered so that some share an address";
    const SOURCE: &'static str = "fio, random_distribution=zipf:theta, lib/zipf.c and hash.h";
    const PARAMS: &'static [GeneratorParam] = &[THETA];

    fn new(space: Space, values: &Values<'_>, mut rng: Rng) -> Result<Self, Error> {
        let (n, theta) = (space.slots, values.number(&THETA));
        if n < 3 {
            let what = format!("{n} addresses are too few for the approximation");
            return Err(values.error(what, "use `zipf`, which is exact, or a larger span_mib"));
        }
        if theta == 1.0 {
            let what = "theta = 1: the approximation divides by 1 - theta, and fio refuses it";
            return Err(values.error(what, "use `zipf`, which is exact, or a theta beside 1"));
        }
        let ranks = ZipfYcsb::with_zeta(n, theta, generalised_harmonic(n.min(TERMS), theta));
        // fio's shift is a random number of 32 bits.
        Ok(Self { space, shift: rng.bits() >> 32, rng, ranks })
    }

    #[inline]
    fn next(&mut self, size_bytes: u32) -> Extent {
        let rank = self.ranks.rank(self.rng.unit());
        let slot = rank.wrapping_mul(SCATTER).wrapping_add(self.shift) % self.space.slots;
        self.space.at(slot, size_bytes)
    }
}
