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

/// P(X > t) of a binomial X of `n` trials with probability `p`.
///
/// The terms are summed upwards from t + 1, or downwards from t where that is the shorter way, so
/// that small tails keep their relative accuracy.
pub fn binomial_tail(n: u32, p: f64, t: u32) -> f64 {
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
