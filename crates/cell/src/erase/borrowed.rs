//! Erases of a chip of which none were measured: another chip's, in its own time and over its own
//! life.

use super::Erase;
use crate::ranged::ranged;

ranged! {
    /// A chip whose blocks erase as another's. What is measured of the other stands for shares: of a
    /// full pulse, and of a life.
    #[derive(Debug, Clone, PartialEq)]
    pub struct BorrowedErase {
        /// The other chip, which has erases of its own.
        pub chip: String,
        /// Longest pulse, in ms.
        pub pulse_ms: f64 => 0.01..=100.0,
        /// Duration of a verify, in ms.
        pub verify_ms: f64 => 0.0..=100.0,
    }
}

impl BorrowedErase {
    /// How the blocks of a chip that is made for `endurance_pec` P/E cycles erase, where the other's
    /// erase as `lender`. After the same share of its life a block needs the same share of a pulse, by
    /// whatever scheme it is erased.
    pub(crate) fn scaled(&self, lender: &Erase, endurance_pec: f64) -> Erase {
        let time = self.pulse_ms / lender.pulse_ms;
        let life = endurance_pec / lender.endurance_pec;
        let times = |list: &[f64], by: f64| list.iter().map(|value| value * by).collect();
        Erase {
            pulse_ms: self.pulse_ms,
            verify_ms: self.verify_ms,
            max_pulses: lender.max_pulses,
            cycle_wear_ms: lender.cycle_wear_ms * time,
            wear_ms: times(&lender.wear_ms, time * life),
            need_ms: times(&lender.need_ms, time),
            spread_wear_ms: times(&lender.spread_wear_ms, time * life),
            spread_ms: times(&lender.spread_ms, time),
            skew_wear_ms: times(&lender.skew_wear_ms, time * life),
            skew: lender.skew.clone(),
            shallow_ms: lender.shallow_ms * time,
            step_ms: lender.step_ms * time,
            fail_bits_per_step: lender.fail_bits_per_step,
            fail_bits_last: lender.fail_bits_last,
            fail_bits_pass: lender.fail_bits_pass,
            margin_ms: times(&lender.margin_ms, time),
            short_errors_per_ms: lender.short_errors_per_ms / time,
            damage_ratio: lender.damage_ratio,
            skipped_ratio: lender.skipped_ratio,
            endurance_pec,
        }
    }
}
