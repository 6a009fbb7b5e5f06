//! The standard normal distribution.

use libm::{erfc, exp, log, sqrt};
use std::f64::consts::{PI, SQRT_2};

/// P(Z ≤ z) of a standard normal Z.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z / SQRT_2)
}

/// The z with P(Z ≤ z) = p, for 0 < p < 1: Newton's method in the logarithm of the smaller tail,
/// which is nearly parabolic there, from the leading term of its asymptotic expansion.
pub fn normal_quantile(p: f64) -> f64 {
    let tail = p.min(1.0 - p);
    let mut z = sqrt(-2.0 * log(2.0 * tail.max(1e-300)));
    for _ in 0..60 {
        let q = normal_cdf(-z);
        let density = exp(-0.5 * z * z) / sqrt(2.0 * PI);
        let step = (log(q) - log(tail)) * q / density;
        z += step;
        if step.abs() <= 1e-14 * (1.0 + z.abs()) {
            break;
        }
    }
    if p < 0.5 { -z } else { z }
}

#[cfg(test)]
mod tests {
    use super::{normal_cdf, normal_quantile};
    use proptest::prelude::*;

    /// Published values (such as Abramowitz and Stegun, Table 26.1 and 26.2).
    #[test]
    fn values_are_those_of_the_tables() {
        for (z, p) in
            [(0.0, 0.5), (1.0, 0.841_344_746), (1.96, 0.975_002_105), (-3.0, 1.349_898_e-3)]
        {
            assert!((normal_cdf(z) / p - 1.0).abs() < 1e-7, "{z}");
            assert!((normal_quantile(p) - z).abs() < 1e-6, "{p}");
        }
    }

    proptest! {
        #[test]
        fn quantiles_invert_the_distribution(z in -7.0f64..7.0) {
            prop_assert!((normal_quantile(normal_cdf(z)) - z).abs() < 1e-6 * (1.0 + (0.5*z*z).exp() * 1e-9));
        }
    }
}
