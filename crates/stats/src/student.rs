//! Student's distribution.

use crate::binomial::incomplete_beta;
use crate::normal::normal_quantile;
use libm::sqrt;
use std::f64::consts::PI;

/// Degrees of freedom from which Student's distribution is expanded around the normal one.
const MANY: usize = 64;

/// The t with P(T ≤ t) = p for Student's distribution of `n` degrees of freedom, 0.5 ≤ p < 1:
/// bisection of its finite series (Abramowitz and Stegun, 26.7.3 and 26.7.4), or for many degrees
/// the expansion 26.7.5.
pub fn student_quantile(p: f64, n: usize) -> f64 {
    let z = normal_quantile(p);
    if n >= MANY {
        let (n, z2) = (n as f64, z * z);
        let first = z * (z2 + 1.0) / 4.0;
        let second = z * (z2 * (5.0 * z2 + 16.0) + 3.0) / 96.0;
        let third = z * (z2 * (z2 * (3.0 * z2 + 19.0) + 17.0) - 15.0) / 384.0;
        return z + (first + (second + third / n) / n) / n;
    }
    let (mut low, mut high) = (0.0, PI / 2.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if student_within(middle, n) < 2.0 * p - 1.0 { low = middle } else { high = middle }
    }
    libm::tan(0.5 * (low + high)) * sqrt(n as f64)
}

/// P(|T| > |t|) for Student's distribution of `n` degrees of freedom (Abramowitz and Stegun, 26.7.1); small
/// tails keep their relative accuracy.
pub fn student_tails(t: f64, n: usize) -> f64 {
    let n = n as f64;
    incomplete_beta(0.5 * n, 0.5, n / (n + t * t))
}

/// P(|T| ≤ √n tan θ).
fn student_within(angle: f64, n: usize) -> f64 {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let is_odd = n % 2 == 1;
    let mut term = if is_odd { cos } else { 1.0 };
    let mut sum = 0.0;
    // Odd: cos + 2/3 cos³ + 2·4/(3·5) cos⁵ …; even: 1 + 1/2 cos² + 1·3/(2·4) cos⁴ …
    for k in 0..n / 2 {
        sum += term;
        let k = 2.0 * k as f64 + if is_odd { 2.0 } else { 1.0 };
        term *= k / (k + 1.0) * cos * cos;
    }
    if is_odd { 2.0 / PI * (angle + sin * sum) } else { sin * sum }
}

#[cfg(test)]
mod tests {
    use super::{MANY, student_quantile, student_tails};

    /// Published tables of the distribution (such as Abramowitz and Stegun, Table 26.10).
    #[test]
    fn student_quantiles_are_those_of_the_tables() {
        for (p, n, t) in [
            (0.975, 1, 12.706),
            (0.975, 2, 4.303),
            (0.975, 7, 2.365),
            (0.95, 10, 1.812),
            (0.995, 30, 2.750),
            (0.975, 120, 1.980),
        ] {
            assert!((student_quantile(p, n) - t).abs() < 6e-4, "{p} {n}");
        }
        let (series, expansion) =
            (student_quantile(0.995, MANY - 1), student_quantile(0.995, MANY));
        assert!(series > expansion && series - expansion < 2e-3, "{series} {expansion}");
    }

    #[test]
    fn tails_are_what_lies_beyond_the_quantiles() {
        for (p, n) in
            [(0.6, 1), (0.975, 2), (0.9995, 9), (0.975, MANY - 1), (0.99, MANY), (0.975, 1000)]
        {
            let beyond = student_tails(student_quantile(p, n), n);
            assert!((beyond / (2.0 - 2.0 * p) - 1.0).abs() < 1e-5, "{p} {n}: {beyond}");
        }
        assert_eq!(student_tails(0.0, 3), 1.0);
    }
}
