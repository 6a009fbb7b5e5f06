//! Figures 3 to 5 are curves without numbers; the publication's text says what those of all chips have
//! in common (Sections 3.3 and 3.4).

use super::super::Findings;
use super::life::{BASELINE, FIRST_PARTS, LIMIT, LLH, Use, ZEROS, error_rate, plan};
use super::{CHIPS, CYCLED};
use wordline_cell::pagewise::Pages;
use wordline_cell::{Chip, Error};

/// Points of a life that are looked at, its begin left out.
const POINTS: u32 = 10;

pub(super) fn find(findings: &mut Findings) -> Result<(), Error> {
    for (name, preset) in &CHIPS[..CYCLED] {
        let curves = Curves::of(Chip::preset(preset)?)?;
        let above = |one: Use, other: Use| {
            curves.share(|cycles| Ok(curves.always(one, cycles)? > curves.always(other, cycles)?))
        };
        let first_round =
            curves.share(|at| Ok(curves.first_round(at)? < curves.always(BASELINE, at)?))?;
        let part = FIRST_PARTS[0] * curves.chip.endurance_pec;
        for (what, value) in [
            ("fig3/zeros_above_usual", above(ZEROS, BASELINE)?),
            ("fig3/later_between", curves.share_between(ZEROS)?),
            ("fig4/first_round_below_usual", first_round),
            ("fig4/low_low_high_above_usual", above(LLH, BASELINE)?),
            ("fig4/low_low_high_above_zeros", above(LLH, ZEROS)?),
            ("fig5/later_between", curves.share_between(LLH)?),
            ("fig5/end_of_first_part", curves.always(LLH, part)? / LIMIT),
            ("fig5/begin_of_second_part", curves.later(part, part)? / LIMIT),
        ] {
            findings.set(format!("llh/{what}/{name}"), value);
        }
    }
    findings.note(
        "llh/fig4/low_low_high_above_zeros/B29",
        "the two losses of this chip are hardly apart as published, 31 and 30.5 %; more zeros cost it 34 % here",
    );
    Ok(())
}

/// Error rates of a chip over its life.
struct Curves {
    chip: Chip,
    /// Wear by a cycle with more zeros.
    factor: f64,
}

impl Curves {
    fn of(chip: Chip) -> Result<Self, Error> {
        let factor = Pages::of(&chip)?.wear(LLH.pattern);
        Ok(Self { chip, factor })
    }

    /// Cycles until each point.
    fn cycles(&self) -> impl Iterator<Item = f64> {
        let life = self.chip.endurance_pec;
        (1..=POINTS).map(move |point| life * f64::from(point) / f64::from(POINTS))
    }

    /// After so many cycles of a use from the first on.
    fn always(&self, cycled: Use, cycles: f64) -> Result<f64, Error> {
        let factor = if cycled.pattern == BASELINE.pattern { 1.0 } else { self.factor };
        Ok(error_rate(&self.chip, &plan(&self.chip, cycled)?, factor * cycles))
    }

    /// Low pages alone, after so many cycles of low-low-high.
    fn first_round(&self, cycles: f64) -> Result<f64, Error> {
        let first_round = Pages::of(&self.chip)?.first_round();
        Ok(error_rate(&self.chip, &first_round, self.factor * cycles))
    }

    /// Usual programs after the first of `cycles` were of another use.
    fn later(&self, first: f64, cycles: f64) -> Result<f64, Error> {
        let wear = self.factor * first + cycles - first;
        Ok(error_rate(&self.chip, &plan(&self.chip, BASELINE)?, wear))
    }

    /// The share of the points at which something holds.
    fn share(&self, holds: impl Fn(f64) -> Result<bool, Error>) -> Result<f64, Error> {
        let mut count = 0;
        for cycles in self.cycles() {
            count += u32::from(holds(cycles)?);
        }
        Ok(f64::from(count) / f64::from(POINTS))
    }

    /// Of all points after a first part of `cycled`, the share that lies above usual programs and
    /// below that use throughout.
    fn share_between(&self, cycled: Use) -> Result<f64, Error> {
        let (mut between, mut all) = (0, 0);
        for part in FIRST_PARTS {
            let first = part * self.chip.endurance_pec;
            for cycles in self.cycles().filter(|cycles| *cycles > first) {
                let later = self.later(first, cycles)?;
                let is_above = later > self.always(BASELINE, cycles)?;
                between += u32::from(is_above && later < self.always(cycled, cycles)?);
                all += 1;
            }
        }
        Ok(f64::from(between) / f64::from(all))
    }
}
