//! What an error-correcting code of t bits per codeword makes of raw bit errors.

use crate::ranged::ranged;
use wordline_stats::binomial_tail;

ranged! {
    /// A code that corrects `bits` errors in a codeword of `data_bytes`.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Ecc {
        /// Errors that it corrects per codeword.
        pub bits: u32 => 1.0..=1023.0,
        /// Data bytes of a codeword.
        pub data_bytes: u32 => 1.0..=65536.0,
    }
}

impl Ecc {
    /// Probability that a codeword cannot be corrected when each bit is wrong with probability
    /// `rber`, independently. The code's own check bits are left out: they differ by code.
    pub fn failure_probability(&self, rber: f64) -> f64 {
        binomial_tail(self.data_bytes * 8, rber, self.bits)
    }

    /// Errors in a codeword, on average.
    pub fn errors_per_codeword(&self, rber: f64) -> f64 {
        f64::from(self.data_bytes) * 8.0 * rber
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_rise_with_the_error_rate_and_fall_with_strength() {
        let weak = Ecc { bits: 40, data_bytes: 1024 };
        let strong = Ecc { bits: 72, data_bytes: 1024 };
        let mut last = 0.0;
        for rber in [1e-4, 1e-3, 3e-3, 5e-3, 1e-2] {
            let failed = weak.failure_probability(rber);
            assert!(failed > last && strong.failure_probability(rber) < failed, "{rber}");
            last = failed;
        }
        assert_eq!(weak.errors_per_codeword(1e-3), 8.192);
    }
}
