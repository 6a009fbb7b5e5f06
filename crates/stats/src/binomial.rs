//! The binomial distribution, by the incomplete beta function.

/// P(X > t) of a binomial X of `n` trials with probability `p` (DLMF 8.17.5); small tails keep their
/// relative accuracy. No number where `p` is none.
pub fn binomial_tail(n: u32, p: f64, t: u32) -> f64 {
    if p.is_nan() {
        return p;
    }
    if t >= n {
        return 0.0;
    }
    incomplete_beta(f64::from(t) + 1.0, f64::from(n - t), p)
}

/// Clopper and Pearson's exact interval (Biometrika 26, 1934) for the probability of a failure, of
/// which there were `failures` in `trials`: it holds the true one with at least `confidence`, such as
/// 0.95.
pub fn binomial_interval(failures: u64, trials: u64, confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    let (k, n) = (failures as f64, trials as f64);
    let low = if failures == 0 { 0.0 } else { beta_quantile(k, n - k + 1.0, tail) };
    let high = if failures == trials { 1.0 } else { beta_quantile(k + 1.0, n - k, 1.0 - tail) };
    (low, high)
}

/// The x at which the regularised incomplete beta function I_x(a, b) is `p`: by bisection, to the
/// last bit that matters.
fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if incomplete_beta(a, b, middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22).
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log1p(-x);
    let front = libm::exp(log_front);
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

/// Lentz's evaluation of the continued fraction of the incomplete beta function.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let (mut c, mut result) = (1.0, d);
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        result *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        result *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{binomial_interval, binomial_tail};

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
        assert!(binomial_tail(8192, f64::NAN, 72).is_nan());
        assert_eq!(binomial_tail(10, 1.0, 9), 1.0);
    }

    /// By brute force: the probability of at most `k` failures in `n` trials.
    fn binomial_at_most(k: u64, n: u64, p: f64) -> f64 {
        let mut term = (1.0 - p).powi(n as i32);
        let mut sum = term;
        for i in 1..=k {
            term *= (n - i + 1) as f64 / i as f64 * p / (1.0 - p);
            sum += term;
        }
        sum
    }

    #[test]
    fn interval_inverts_the_binomial_distribution() {
        for (failures, trials) in [(1, 10), (5, 50), (25, 400), (70, 80)] {
            let (low, high) = binomial_interval(failures, trials, 0.95);
            let above = 1.0 - binomial_at_most(failures - 1, trials, low);
            assert!((above - 0.025).abs() < 1e-9, "{failures}/{trials}: {above}");
            let below = binomial_at_most(failures, trials, high);
            assert!((below - 0.025).abs() < 1e-9, "{failures}/{trials}: {below}");
        }
    }
}
