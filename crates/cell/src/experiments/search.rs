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
        assert_eq!(log_cost(&[(3.0, 3.0), (5.0, 5.0)]), 0.0);
    }
}
