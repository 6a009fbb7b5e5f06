//! Zipf's distribution as YCSB approximates it.

use super::math::{expm1_over, log, pow};
use super::param::{GeneratorParam, Kind};
use super::ranked::{Ranks, SCATTER};
use super::rng::Rng;
use super::values::Values;
use crate::Error;

const THETA: GeneratorParam = GeneratorParam::new(
    "theta",
    Kind::Real(0.0, 0.9999),
    "0.99",
    "",
    "Exponent, below 1; ranks beyond the second follow a continuous curve.",
);

/// Terms of ζ(n, θ) that are summed one by one; the Euler–Maclaurin formula gives the rest.
const EXACT_TERMS: u64 = 1000;

/// The first two ranks are exact, the others the inverse of a continuous curve: rank 3 comes out
/// 19 % too often at θ = 0.99.
#[derive(Clone)]
pub(super) struct ZipfYcsb {
    n: f64,
    zeta: f64,
    /// The share of rank 1 and 2, times zeta.
    first_two: f64,
    alpha: f64,
    eta: f64,
}

impl ZipfYcsb {
    /// With `zeta` for ζ(n, θ).
    pub fn with_zeta(n: u64, theta: f64, zeta: f64) -> Self {
        let first_two = 1.0 + pow(0.5, theta);
        let eta = (1.0 - pow(2.0 / n as f64, 1.0 - theta)) / (1.0 - first_two / zeta);
        Self { n: n as f64, zeta, first_two, alpha: 1.0 / (1.0 - theta), eta }
    }

    /// The rank, from 0, that `u` from [0, 1) falls on.
    #[inline]
    pub fn rank(&self, u: f64) -> u64 {
        let share = u * self.zeta;
        if share < 1.0 {
            return 0;
        }
        if share < self.first_two {
            return 1;
        }
        let rank = self.n * pow(self.eta * u - self.eta + 1.0, self.alpha);
        rank.min(self.n - 1.0) as u64
    }
}

impl Ranks for ZipfYcsb {
    const NAME: &'static str = "zipf_ycsb";
    const SUMMARY: &'static str = "Zipf's law in the approximation that YCSB uses";
    const SOURCE: &'static str =
        "Gray et al., Quickly Generating Billion-Record Synthetic Databases, SIGMOD 1994";
    const PARAMS: &'static [GeneratorParam] = &[THETA, SCATTER];

    fn new(n: u64, values: &Values<'_>) -> Result<Self, Error> {
        if n < 3 {
            let what = format!("{n} addresses are too few for the approximation");
            return Err(values.error(what, "use `zipf`, which is exact, or a larger span_mib"));
        }
        let theta = values.number(&THETA);
        Ok(Self::with_zeta(n, theta, generalised_harmonic(n, theta)))
    }

    #[inline]
    fn sample(&self, rng: &mut Rng) -> u64 {
        self.rank(rng.unit())
    }
}

/// ζ(n, θ) = Σ k^-θ for k = 1…n.
pub(super) fn generalised_harmonic(n: u64, theta: f64) -> f64 {
    let exact = n.min(EXACT_TERMS);
    let sum: f64 = (1..=exact).map(|k| pow(k as f64, -theta)).sum();
    if n == exact {
        return sum;
    }
    let (a, b) = (exact as f64, n as f64);
    let (at_a, at_b) = (pow(a, -theta), pow(b, -theta));
    let integral = a * at_a * expm1_over((1.0 - theta) * log(b / a)) * log(b / a);
    sum + integral + (at_b - at_a) / 2.0 - theta * (at_b / b - at_a / a) / 12.0
}
