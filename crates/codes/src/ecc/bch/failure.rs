//! Failure probabilities in closed form.

use super::Bch;
use wordline_stats::incomplete_beta;

impl Bch {
    /// Probability that a codeword has more than t errors where each bit is wrong with probability
    /// `rber`, independently: the upper tail of the binomial distribution, P(X > t) =
    /// I_p(t + 1, n − t) (DLMF 8.17.5). Such a word is lost: the decoder refuses it, or turns it
    /// into another codeword.
    ///
    /// # Panics
    /// When `rber` is no probability.
    pub fn failure_probability(&self, rber: f64) -> f64 {
        assert!((0.0..=1.0).contains(&rber), "{rber} is no probability");
        let (n, t) = (self.codeword_bits() as f64, self.t() as f64);
        incomplete_beta(t + 1.0, n - t, rber)
    }

    /// The probability that a random word decodes to some codeword: Σ_(i ≤ t) C(n, i) / 2^parity.
    /// About that share of the words with many more than t errors is not refused but miscorrected.
    pub fn miscorrection_bound(&self) -> f64 {
        let (n, t) = (self.codeword_bits() as f64, self.t());
        let ln_choose =
            |i: f64| libm::lgamma(n + 1.0) - libm::lgamma(i + 1.0) - libm::lgamma(n - i + 1.0);
        let ln_all = self.parity_bits() as f64 * std::f64::consts::LN_2;
        (0..=t).map(|i| libm::exp(ln_choose(i as f64) - ln_all)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_the_tail_of_the_binomial_distribution() {
        let code = Bch::new(64, 3).unwrap();
        let n = code.codeword_bits() as f64;
        for rber in [1e-4, 1e-3, 1e-2] {
            let odds = rber / (1.0 - rber);
            let mut term = (1.0f64 - rber).powf(n);
            let mut at_most_t = term;
            for i in 1..=3 {
                term *= (n - f64::from(i) + 1.0) / f64::from(i) * odds;
                at_most_t += term;
            }
            let mut above = 0.0;
            for i in 4..60 {
                term *= (n - f64::from(i) + 1.0) / f64::from(i) * odds;
                above += term;
            }
            let got = code.failure_probability(rber);
            assert!((got / above - 1.0).abs() < 1e-9, "{rber}: {got}, not {above}");
            assert!((got - (1.0 - at_most_t)).abs() < 1e-12);
        }
        assert_eq!((code.failure_probability(0.0), code.failure_probability(1.0)), (0.0, 1.0));
    }

    #[test]
    fn tails_far_out_keep_their_digits() {
        // The first term of the tail dominates: C(n, t + 1) p^(t + 1) (1 − p)^(n − t − 1).
        let code = Bch::new(1024, 72).unwrap();
        let n = code.codeword_bits() as f64;
        let ln_choose = libm::lgamma(n + 1.0) - libm::lgamma(74.0) - libm::lgamma(n - 72.0);
        let ln_first = ln_choose + 73.0 * 1e-5f64.ln() + (n - 73.0) * (-1e-5f64).ln_1p();
        let got = code.failure_probability(1e-5).ln();
        assert!(got > ln_first && got < ln_first + 0.01, "{got} {ln_first}");
    }
}
