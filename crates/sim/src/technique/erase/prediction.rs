//! Pulses as long as failing bits ask for: the prediction that AERO and REO share.

use super::blocks::{Asked, Erasing, Rule};
use super::cells::Cells;

/// Each verify-read counts the bit lines that still fail, and a table says how long the next pulse
/// must be; beyond F_HIGH a full one goes. A block that one loop sufficed for the last time is first
/// asked by a shallow pulse.
#[derive(Debug, Clone)]
pub(super) struct Prediction {
    /// Errors per KiB up to which shorter pulses may be spent; none: pulses are as the table asks.
    pub spends_up_to: Option<f64>,
    /// What pulses are shorter by, of the prediction table's margins.
    pub margin_share: f64,
    /// Share of predictions that turn out too short.
    pub misprediction_share: f64,
    /// The pulse that such a one takes more.
    pub misprediction_us: u32,
}

impl Prediction {
    /// What the pulse of loop `number` may be shorter by.
    fn spends_us(&self, cells: &Cells, number: u8) -> u32 {
        let table_us = self.spends_up_to.map_or(0, |errors| cells.margin_us(number, errors));
        libm::round(f64::from(table_us) * self.margin_share) as u32
    }

    /// The pulse of loop `number` that the failing bits ask for; `None`: all that is left of the loop,
    /// where they ask for more than that.
    fn asked_us(&self, cells: &Cells, number: u8, whole_us: u32, left_us: u32) -> Option<u32> {
        let asked_us = cells.asked_us(cells.fail_bits(left_us))?;
        Some(asked_us.saturating_sub(self.spends_us(cells, number))).filter(|&us| us <= whole_us)
    }
}

impl Rule for Prediction {
    fn margin_us(&self, cells: &Cells) -> u32 {
        (1..=cells.loops_max()).map(|number| self.spends_us(cells, number)).max().unwrap_or(0)
    }

    fn erase(&self, cells: &Cells, block: &Asked, out: &mut Erasing) {
        let mut left_us = block.need_us;
        let (mut number, mut whole_us) = (1, cells.full_us(1));
        let mut is_predicted = false;
        if block.last <= 1 {
            out.pulse(1, 0, cells.shallow_us);
            left_us = left_us.saturating_sub(cells.shallow_us);
            whole_us -= cells.shallow_us;
        }
        while !cells.passes(cells.fail_bits(left_us)) {
            let asked_us = self.asked_us(cells, number, whole_us, left_us);
            is_predicted = asked_us.is_some();
            let us = asked_us.unwrap_or(whole_us);
            if us > 0 {
                out.pulse(number, 0, us);
                left_us = left_us.saturating_sub(us);
            }
            let is_accepted = is_predicted && self.spends_up_to.is_some();
            if is_accepted || number == cells.loops_max() {
                break;
            }
            number += 1;
            whole_us = cells.full_us(number);
        }
        if is_predicted && block.draw < self.misprediction_share {
            let last = out.steps.last().map_or(1, |step| step.number);
            out.pulse(last, 0, self.misprediction_us);
            left_us = left_us.saturating_sub(self.misprediction_us);
            out.mispredicted = true;
        }
        out.short_us = left_us;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reliability::Chip;

    fn cells() -> Cells {
        Cells::of(Chip::ReoTlc).expect("its tables are built in")
    }

    fn rule(spends_up_to: Option<f64>, misprediction_share: f64) -> Prediction {
        Prediction { spends_up_to, margin_share: 1.0, misprediction_share, misprediction_us: 500 }
    }

    #[test]
    fn the_margin_is_that_of_the_loop_with_the_largest() {
        let cells = cells();
        for (spends_up_to, us) in [(None, 0), (Some(63.0), 1000), (Some(0.0), 0)] {
            assert_eq!(rule(spends_up_to, 0.0).margin_us(&cells), us);
        }
        let quarter = Prediction { margin_share: 0.25, ..rule(Some(63.0), 0.0) };
        assert_eq!(quarter.margin_us(&cells), 250);
    }

    #[test]
    fn no_block_ends_shorter_than_the_margin_of_its_last_loop() {
        let cells = cells();
        for spends_up_to in [None, Some(40.0), Some(63.0)] {
            for margin_share in [1.0, 0.25] {
                let rule = Prediction { margin_share, ..rule(spends_up_to, 0.0) };
                for (need_us, last) in (100..16_000).step_by(100).zip([1, 2, 3].into_iter().cycle())
                {
                    let mut out = Erasing::default();
                    rule.erase(&cells, &Asked { need_us, last, draw: 1.0 }, &mut out);
                    let number = out.steps.last().map_or(1, |step| step.number);
                    let margin_us = rule.spends_us(&cells, number);
                    let is_over = number < cells.loops_max();
                    assert!(
                        !is_over || out.short_us <= margin_us,
                        "{need_us} {last}: {}",
                        out.short_us
                    );
                }
            }
        }
    }

    #[test]
    fn the_pulse_of_a_wrong_prediction_takes_off_what_is_short() {
        let cells = cells();
        for (need_us, last) in (100..16_000).step_by(100).zip([1, 2, 3].into_iter().cycle()) {
            let asked = Asked { need_us, last, draw: 0.5 };
            let [mut right, mut wrong] = [Erasing::default(), Erasing::default()];
            rule(Some(63.0), 0.0).erase(&cells, &asked, &mut right);
            rule(Some(63.0), 1.0).erase(&cells, &asked, &mut wrong);
            let less_us = if wrong.mispredicted { 500.min(right.short_us) } else { 0 };
            assert_eq!(wrong.short_us, right.short_us - less_us, "{need_us} {last}");
        }
    }

    #[test]
    fn nothing_is_mispredicted_where_nothing_was_predicted() {
        // The shallow pulse suffices.
        let mut out = Erasing::default();
        rule(None, 1.0).erase(&cells(), &Asked { need_us: 900, last: 1, draw: 0.5 }, &mut out);
        assert_eq!((out.mispredicted, out.steps.len()), (false, 1));
    }
}
