//! How many units a drive takes from the host in a second, from what it does for each.

use crate::case::Value;

/// Times of a busy drive, all dies at work: what a unit takes of the whole drive's time.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// To program a unit, in microseconds.
    pub program_us: f64,
    /// To move a unit that is read alone, besides its program. In microseconds.
    pub move_us: f64,
    /// Units of a flash page: those of one that are valid are read together.
    pub units_per_page: f64,
}

/// Published rates from which the times follow.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// Host's units a second while an empty drive is filled in order: nothing is moved.
    pub fill: f64,
    /// Host's units a second under uniform writes.
    pub uniform: f64,
    /// Units that the drive writes for each unit of the host's under these.
    pub amplification: f64,
}

impl Pace {
    /// The times of a drive that writes `factor` units for each unit of data.
    pub fn of(factor: f64, rates: Rates, units_per_page: f64) -> Self {
        let program_us = 1e6 / (rates.fill * factor);
        let reads = reads(rates.amplification / factor, units_per_page);
        let move_us = (1e6 / rates.uniform - rates.amplification * program_us) / reads;
        Self { program_us, move_us, units_per_page }
    }

    /// Host's units a second, of a run in which the drive writes `factor` units for each unit of data.
    pub fn iops(self, factor: f64) -> Value {
        Box::new(move |outcome| {
            let data = outcome.result.write_amplification.unwrap_or(f64::NAN);
            let reads = reads(data, self.units_per_page);
            1e6 / (factor * data * self.program_us + reads * self.move_us)
        })
    }
}

/// Reads for each of the host's units where the drive writes `amplification` units of data for it. Of the
/// collected units p = 1 − 1/A are valid; a page of n is read with probability 1 − (1 − p)ⁿ, and for each of
/// the host's units A/n pages are collected.
fn reads(amplification: f64, units_per_page: f64) -> f64 {
    (1.0 - amplification.recip().powf(units_per_page)) * amplification / units_per_page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_give_the_rates_that_they_follow_from() {
        let rates = Rates { fill: 100_000.0, uniform: 40_000.0, amplification: 2.2 };
        let Pace { program_us, move_us, .. } = Pace::of(1.1, rates, 1.0);
        assert!((program_us - 10.0 / 1.1).abs() < 1e-9);
        assert!((1e6 / (2.2 * program_us + move_us) - 40_000.0).abs() < 1e-6);
    }

    #[test]
    fn a_page_is_read_once_for_all_that_is_valid_in_it() {
        assert_eq!(reads(1.0, 4.0), 0.0);
        assert!((reads(2.5, 1.0) - 1.5).abs() < 1e-12);
        // Half of the units are valid: of two pages of four, 15/16 each are read.
        assert!((reads(2.0, 4.0) - 15.0 / 32.0).abs() < 1e-12);
    }
}
