//! Zipf's distribution, exactly.

use super::math::{exp, expm1_over, log, log1p_over};
use super::param::{GeneratorParam, Kind};
use super::ranked::{Ranks, SCATTER};
use super::rng::Rng;
use super::values::Values;
use crate::Error;

const THETA: GeneratorParam = GeneratorParam::new(
    "theta",
    Kind::Real(0.0, 10.0),
    "0.99",
    "",
    "Exponent: the address of rank k is requested in proportion to k^-theta.",
);

/// Ranks k = 1…n with probability in proportion to h(k) = k^-θ, by rejection-inversion.
#[derive(Clone)]
pub(super) struct Zipf {
    n: f64,
    theta: f64,
    /// H(3/2) − h(1), the lower end of what is inverted.
    low: f64,
    /// H(n + 1/2), the upper end.
    high: f64,
    /// Within this distance below its rank, a point is accepted without evaluating h.
    squeeze: f64,
}

impl Zipf {
    fn with_theta(n: u64, theta: f64) -> Self {
        let mut zipf = Self { n: n as f64, theta, low: 0.0, high: 0.0, squeeze: 0.0 };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(zipf.n + 0.5);
        zipf.squeeze = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.height(2.0));
        zipf
    }

    /// h(x) = x^-θ.
    #[inline]
    fn height(&self, x: f64) -> f64 {
        exp(-self.theta * log(x))
    }

    /// H(x), the integral of h from 1 to x; continuous in θ through 1.
    #[inline]
    fn integral(&self, x: f64) -> f64 {
        let log_x = log(x);
        expm1_over((1.0 - self.theta) * log_x) * log_x
    }

    /// H's inverse.
    #[inline]
    fn inverse(&self, area: f64) -> f64 {
        // Rounding may carry the argument of the logarithm below zero.
        let x = (area * (1.0 - self.theta)).max(-1.0);
        exp(log1p_over(x) * area)
    }
}

impl Ranks for Zipf {
    const NAME: &'static str = "zipf";
    const SUMMARY: &'static str = "Random addresses whose popularity follows Zipf's law, exactly";
    const SOURCE: &'static str = "Hörmann and Derflinger, ACM TOMACS 6(3), 1996, \
                                  rejection-inversion";
    const PARAMS: &'static [GeneratorParam] = &[THETA, SCATTER];

    fn new(n: u64, values: &Values<'_>) -> Result<Self, Error> {
        Ok(Self::with_theta(n, values.number(&THETA)))
    }

    #[inline]
    fn sample(&self, rng: &mut Rng) -> u64 {
        loop {
            let area = self.high + rng.unit() * (self.low - self.high);
            let x = self.inverse(area);
            let rank = x.round().clamp(1.0, self.n);
            if rank - x <= self.squeeze || area >= self.integral(rank + 0.5) - self.height(rank) {
                return rank as u64 - 1;
            }
        }
    }
}
