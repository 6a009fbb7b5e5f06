//! How many units a drive takes from the host in a second, from what it does for each.

use crate::case::Value;

/// Times of a busy drive, all dies at work: what a unit takes of the whole drive's time.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// To program a unit, in microseconds.
    pub program_us: f64,
    /// To move a unit, besides its program: above all to read it. In microseconds.
    pub move_us: f64,
}

/// Published rates from which the times follow.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// Host's units a second while an empty drive is filled in order: nothing is moved.
    pub fill: f64,
    /// The same under uniform writes.
    pub uniform: f64,
    /// Units that the drive writes for each unit of the host's under these.
    pub amplification: f64,
}

impl Pace {
    /// The times of a drive that writes `factor` units for each unit of data.
    pub fn of(factor: f64, rates: Rates) -> Self {
        let program_us = 1e6 / (rates.fill * factor);
        let moves = rates.amplification / factor - 1.0;
        let move_us = (1e6 / rates.uniform - rates.amplification * program_us) / moves;
        Self { program_us, move_us }
    }

    /// Host's units a second, of a run in which the drive writes `factor` units for each unit of data.
    pub fn iops(self, factor: f64) -> Value {
        Box::new(move |outcome| {
            let data = outcome.result.write_amplification.unwrap_or(f64::NAN);
            1e6 / (factor * data * self.program_us + (data - 1.0) * self.move_us)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_give_the_rates_that_they_follow_from() {
        let rates = Rates { fill: 100_000.0, uniform: 40_000.0, amplification: 2.2 };
        let Pace { program_us, move_us } = Pace::of(1.1, rates);
        assert!((program_us - 10.0 / 1.1).abs() < 1e-9);
        assert!((1e6 / (2.2 * program_us + move_us) - 40_000.0).abs() < 1e-6);
    }
}
