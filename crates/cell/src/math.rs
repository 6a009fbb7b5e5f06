//! Rates that may be no number, and fits.

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

    #[test]
    fn what_is_no_number_stays_none() {
        let nan = f64::NAN;
        assert!(largest([0.2, nan, 0.1]).is_nan() && largest([nan, 0.2]).is_nan());
        assert!(at_least(nan, 1e-12).is_nan());
        assert_eq!((largest([0.1, 0.3, 0.2]), largest([])), (0.3, 0.0));
        assert_eq!((at_least(0.0, 1e-12), at_least(0.5, 1e-12)), (1e-12, 0.5));
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
}
