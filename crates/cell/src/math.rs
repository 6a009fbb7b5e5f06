//! Distributions in closed form, with the same bits on every machine (`libm`, not the system's).

use libm::{erfc, exp, lgamma, log, log1p, sqrt};
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

/// P(X > t) of a binomial X of `n` trials with probability `p`.
///
/// The terms are summed upwards from t + 1, or downwards from t where that is the shorter way, so
/// that small tails keep their relative accuracy. No number where `p` is none.
pub fn binomial_tail(n: u32, p: f64, t: u32) -> f64 {
    if p.is_nan() {
        return p;
    }
    if p <= 0.0 || t >= n {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    let odds = p / (1.0 - p);
    if f64::from(t) + 1.0 > f64::from(n) * p {
        let mut term = exp(log_binomial(n, t + 1, p));
        let mut sum = 0.0;
        for k in t + 1..=n {
            sum += term;
            term *= f64::from(n - k) / f64::from(k + 1) * odds;
            if term < sum * 1e-17 {
                break;
            }
        }
        return sum.min(1.0);
    }
    let mut term = exp(log_binomial(n, t, p));
    let mut sum = 0.0;
    for k in (0..=t).rev() {
        sum += term;
        term *= f64::from(k) / f64::from(n - k + 1) / odds;
        if term < sum * 1e-17 {
            break;
        }
    }
    (1.0 - sum).max(0.0)
}

fn log_binomial(n: u32, k: u32, p: f64) -> f64 {
    let (n, k) = (f64::from(n), f64::from(k));
    lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(p) + (n - k) * log1p(-p)
}

/// The largest of some rates, which are 0 or more; no number where one of them is none.
pub fn largest(rates: impl IntoIterator<Item = f64>) -> f64 {
    rates.into_iter().fold(0.0, |most, rate| if rate > most || rate.is_nan() { rate } else { most })
}

/// `rate`, but no less than `least`; no number where it is none, which `f64::max` would hide.
pub fn at_least(rate: f64, least: f64) -> f64 {
    if rate < least { least } else { rate }
}

/// Coefficients of the least-squares fit of `ys` by the rows of `features` (normal equations,
/// Gaussian elimination with pivots); `None` where the features do not determine them.
pub fn least_squares(features: &[Vec<f64>], ys: &[f64]) -> Option<Vec<f64>> {
    let n = features.first()?.len();
    let mut a = vec![vec![0.0; n + 1]; n];
    for (row, y) in features.iter().zip(ys) {
        for i in 0..n {
            for j in 0..n {
                a[i][j] += row[i] * row[j];
            }
            a[i][n] += row[i] * y;
        }
    }
    for i in 0..n {
        let pivot = (i..n).max_by(|&x, &y| a[x][i].abs().total_cmp(&a[y][i].abs()))?;
        a.swap(i, pivot);
        if a[i][i].abs() < 1e-12 {
            return None;
        }
        for j in 0..n {
            if j != i {
                let factor = a[j][i] / a[i][i];
                let pivot_row = a[i].clone();
                a[j].iter_mut().zip(pivot_row).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    Some((0..n).map(|i| a[i][n] / a[i][i]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn binomial_tails_agree_with_plain_sums() {
        for (n, p, t) in [(20u32, 0.3f64, 4u32), (20, 0.3, 12), (60, 0.01, 2), (40, 0.9, 38)] {
            let choose = |k: u32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
            let term = |k: u32| choose(k) * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32);
            let plain: f64 = (t + 1..=n).map(term).sum();
            assert!((binomial_tail(n, p, t) / plain - 1.0).abs() < 1e-10, "{n} {p} {t}");
        }
        assert_eq!(binomial_tail(8192, 0.0, 10), 0.0);
        assert_eq!(binomial_tail(10, 0.5, 10), 0.0);
        let deep = binomial_tail(9192, 1e-3, 72);
        assert!(deep > 1e-45 && deep < 1e-35, "{deep}");
    }

    #[test]
    fn what_is_no_number_stays_none() {
        let nan = f64::NAN;
        assert!(binomial_tail(8192, nan, 72).is_nan());
        assert!(largest([0.2, nan, 0.1]).is_nan() && largest([nan, 0.2]).is_nan());
        assert!(at_least(nan, 1e-12).is_nan());
        assert_eq!((largest([0.1, 0.3, 0.2]), largest([])), (0.3, 0.0));
        assert_eq!((at_least(0.0, 1e-12), at_least(0.5, 1e-12)), (1e-12, 0.5));
    }

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
    fn a_plane_is_found_again() {
        let rows: Vec<Vec<f64>> =
            (0..9).map(|i| vec![1.0, f64::from(i % 3), f64::from(i)]).collect();
        let ys: Vec<f64> = rows.iter().map(|r| 2.0 - 3.0 * r[1] + 0.5 * r[2]).collect();
        let found = least_squares(&rows, &ys).unwrap();
        for (ours, theirs) in found.iter().zip([2.0, -3.0, 0.5]) {
            assert!((ours - theirs).abs() < 1e-9);
        }
        assert!(least_squares(&[vec![1.0, 1.0], vec![2.0, 2.0]], &[1.0, 2.0]).is_none());
    }

    proptest! {
        #[test]
        fn quantiles_invert_the_distribution(z in -7.0f64..7.0) {
            prop_assert!((normal_quantile(normal_cdf(z)) - z).abs() < 1e-6 * (1.0 + (0.5*z*z).exp() * 1e-9));
        }
    }
}
