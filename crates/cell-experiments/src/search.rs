//! One parameter at a time, for fits.

/// The place between `low` and `high` at which `cost`, which has one minimum there, is least, to
/// `steps` golden sections.
pub fn least(mut low: f64, mut high: f64, steps: u32, mut cost: impl FnMut(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_a, mut at_b) = (cost(a), cost(b));
    for _ in 0..steps {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - GOLDEN * (high - low);
            at_a = cost(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + GOLDEN * (high - low);
            at_b = cost(b);
        }
    }
    if at_a < at_b { a } else { b }
}

/// The place between `low` and `high` at which `of`, which rises, reaches `goal`; the nearer end
/// where it does not. False position on the logarithm, the end that stays counting half (Illinois).
pub fn rising(low: f64, high: f64, goal: f64, mut of: impl FnMut(f64) -> f64) -> f64 {
    let mut gap = |x: f64| libm::log(of(x).max(1e-300) / goal);
    let (mut a, mut b) = (low, high);
    let (mut at_a, mut at_b) = (gap(a), gap(b));
    if at_a >= 0.0 || at_b <= 0.0 {
        return if at_a >= 0.0 { a } else { b };
    }
    let mut side = 0;
    for _ in 0..60 {
        let middle = (a * at_b - b * at_a) / (at_b - at_a);
        let at_middle = gap(middle);
        if at_middle.abs() < 1e-4 || b - a < 1e-6 * high {
            return middle;
        }
        if at_middle < 0.0 {
            (a, at_a) = (middle, at_middle);
            at_b *= if side == -1 { 0.5 } else { 1.0 };
            side = -1;
        } else {
            (b, at_b) = (middle, at_middle);
            at_a *= if side == 1 { 0.5 } else { 1.0 };
            side = 1;
        }
    }
    0.5 * (a + b)
}

/// Sum of the squared logarithms of ours over theirs.
pub fn log_cost(pairs: &[(f64, f64)]) -> f64 {
    let one = |(ours, theirs): &(f64, f64)| {
        let ratio = libm::log(ours.max(1e-9) / theirs);
        ratio * ratio
    };
    pairs.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valley_is_found() {
        assert!((least(-3.0, 9.0, 40, |x| (x - 2.5).abs()) - 2.5).abs() < 1e-6);
        let root = rising(0.0, 9.0, 2.0, |x| libm::exp(x * x));
        assert!((root * root - std::f64::consts::LN_2).abs() < 1e-3, "{root}");
        assert_eq!(rising(1.0, 2.0, 0.5, |x| x), 1.0);
        assert_eq!(rising(1.0, 2.0, 9.0, |x| x), 2.0);
        assert_eq!(log_cost(&[(3.0, 3.0), (5.0, 5.0)]), 0.0);
    }
}
