//! Error rates by a law: what cycles, age and reads each add.

use super::grid::Condition;
use super::powers::Powers;
use crate::error::{Error, infeasible};
use crate::schema::{ChipConfig, LawConfig, ReadsConfig};

const HOURS: f64 = 24.0;
/// Numbers of P/E cycles whose terms are kept.
const RECENT: usize = 64;

/// The law of Kim, Choi and Min (FAST 2019): ε + α c^k + β c^m t^n + γ c^p r^q, with c cycles, t days and r reads
/// of each page of the block.
#[derive(Debug, Clone)]
pub(super) struct Law {
    of: LawConfig,
    /// One by the pages of a block.
    per_page: f64,
    /// What the terms have of the cycles of blocks that were read: most reads are of few cycles.
    by_pec: Vec<ByPec>,
    powers: &'static Powers,
}

/// The terms of the law at some P/E cycles.
#[derive(Debug, Clone, Copy)]
struct ByPec {
    pec: f64,
    /// ε + α c^k, β c^m and γ c^p.
    terms: [f64; 3],
}

impl ByPec {
    fn of(law: &LawConfig, pec: f64) -> Self {
        let LawConfig { epsilon, alpha, k, beta, m, gamma, p, .. } = *law;
        let power = |exponent| libm::pow(pec, exponent);
        Self { pec, terms: [epsilon + alpha * power(k), beta * power(m), gamma * power(p)] }
    }
}

impl Law {
    /// The law for blocks of a chip.
    ///
    /// # Errors
    /// A drive that begins or ends beyond where the law holds.
    pub fn new(chip: &ChipConfig, reads: &ReadsConfig) -> Result<Self, Error> {
        let of = reads.law.clone();
        let pec = chip.initial_pec.max(chip.endurance_pec) as f64;
        if pec > of.pec_max {
            return Err(infeasible(
                format!(
                    "blocks of drive.chip.initial_pec = {} and drive.chip.endurance_pec = {} P/E cycles: the law of drive.reads holds up to {}",
                    chip.initial_pec, chip.endurance_pec, of.pec_max
                ),
                "lower them, raise drive.reads.law.pec_max, or set drive.reads.model to \"none\"",
            ));
        }
        if reads.data_age_h > HOURS * of.age_max_d {
            return Err(infeasible(
                format!(
                    "data of drive.reads.data_age_h = {} hours: the law of drive.reads holds up to {} days",
                    reads.data_age_h, of.age_max_d
                ),
                "lower it, raise drive.reads.law.age_max_d, or set drive.reads.model to \"none\"",
            ));
        }
        let by_pec = vec![ByPec::of(&of, 0.0); RECENT];
        let (per_page, powers) = (1.0 / chip.pages_per_block as f64, Powers::get());
        Ok(Self { of, per_page, by_pec, powers })
    }

    /// Probability of a bit to be read wrongly.
    #[inline]
    pub fn rber(&mut self, condition: &Condition) -> f64 {
        let recent = &mut self.by_pec[condition.pec as usize % RECENT];
        if condition.pec != recent.pec {
            *recent = ByPec::of(&self.of, condition.pec);
        }
        let [base, of_age, of_reads] = recent.terms;
        let aged = of_age * self.powers.pow(condition.age_h * (1.0 / HOURS), self.of.n);
        let disturbed = of_reads * self.powers.pow(condition.reads * self.per_page, self.of.q);
        (base + aged + disturbed).min(0.5)
    }

    /// True beyond where the law holds.
    pub fn is_beyond(&self, condition: &Condition) -> bool {
        condition.pec > self.of.pec_max
            || condition.age_h > HOURS * self.of.age_max_d
            || condition.reads * self.per_page > self.of.reads_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(keys: &[&str]) -> Result<Law, Error> {
        let keys: Vec<String> = keys.iter().map(|key| format!("drive.{key}")).collect();
        let drive = crate::config::load("", "", &keys).expect("it is right").drive;
        Law::new(&drive.chip, &drive.reads)
    }

    /// Computed apart from this code, with three places.
    #[test]
    fn the_tlc_of_72_layers_has_the_rates_that_its_coefficients_give() {
        let mut law = law(&["chip.pages_per_block=1000"]).unwrap();
        let cases = [
            (500.0, 0.0, 0.0, 1.61e-3),
            (500.0, 30.0, 0.0, 2.55e-3),
            (1000.0, 1.0, 0.0, 2.20e-3),
            (3000.0, 365.0, 0.0, 1.14e-2),
            (5000.0, 90.0, 0.0, 1.88e-2),
            (500.0, 0.0, 1000.0, 5.52e-3),
            (5000.0, 0.0, 1000.0, 2.48e-2),
        ];
        for (pec, days, reads_per_page, rber) in cases {
            let (age_h, reads) = (24.0 * days, 1000.0 * reads_per_page);
            let found = law.rber(&Condition { pec, age_h, reads, layer: 0.0 });
            assert!((found / rber - 1.0).abs() < 5e-3, "{pec} {days} {reads_per_page}: {found}");
        }
    }

    #[test]
    fn a_drive_beyond_the_law_is_refused_with_the_key() {
        for (key, named) in [
            ("chip.initial_pec=5001", "law.pec_max"),
            ("chip.endurance_pec=6000", "law.pec_max"),
            ("reads.data_age_h=9000", "law.age_max_d"),
        ] {
            let error = law(&[key]).expect_err(key).to_string();
            assert!(error.contains(named), "{error}");
        }
        assert!(law(&["chip.initial_pec=5000", "reads.data_age_h=8760"]).is_ok());
    }
}
