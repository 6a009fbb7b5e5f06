//! How far the laws of a chip reach.

use crate::chip::VOLTAGES;
use crate::density::{BIN, BINS, LOWEST};
use crate::retention::Rest;
use crate::{Chip, Conditions, Error, WordLine};

/// Noise beyond this, a quarter of the scale of voltages, leaves no states to tell apart, in units.
const MOST_SIGMA: f64 = 128.0;

impl Conditions {
    /// Refuses conditions under which the chip's laws lose their meaning: the erased state or the
    /// programmed ones leave the scale, noise drowns all states, or retention turns their order
    /// round.
    ///
    /// # Errors
    /// Names the law, and the condition to lower.
    pub fn check(&self, chip: &Chip) -> Result<(), Error> {
        let refuse = |what: String, place: &str, help: &str| {
            Err(Error::new(format!("{what}: the chip's laws do not reach there"), help).at(place))
        };
        let cycles = format!("{} P/E cycles", self.pec);
        let fewer = "take fewer P/E cycles";
        let erased = chip.erased.mean_at(self.pec);
        if !VOLTAGES.contains(&erased) {
            let what = format!("after {cycles} the erased state would lie at {erased:.0} units");
            return refuse(what, "pec", fewer);
        }
        let noise = chip.program.noise_at(self.pec);
        if !(0.0..=MOST_SIGMA).contains(&noise) {
            let what = format!("after {cycles} programs would have a noise of {noise:.0} units");
            return refuse(what, "pec", fewer);
        }
        let rest = Rest::new(chip, self, &WordLine::NOMINAL, 0.0);
        let aged = format!("after {cycles} and {} h at {} °C", self.age_h, self.temperature_c);
        let less = "take a shorter time, a lower temperature, or fewer P/E cycles";
        if !(0.0..=MOST_SIGMA).contains(&rest.sigma) {
            let what = format!("{aged} retention would spread cells by {:.0} units", rest.sigma);
            return refuse(what, "age", less);
        }
        let is_in_order = rest.least_drift_slope() > -1.0; // false for what is no number
        let highest = chip.program.verify.last().copied().unwrap_or(erased);
        let scale = LOWEST..=LOWEST + BIN * BINS as f64;
        let is_on_scale = [erased, highest].iter().all(|v| scale.contains(&rest.mean_after(*v)));
        if !is_in_order || !is_on_scale {
            let what = format!("{aged} states would change places or leave the scale");
            return refuse(what, "age", less);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the erased state of planar-tlc rises by 7.2 units in 1,000 cycles from -114.3, so
    /// that it lies at 500 after 85,319.
    #[test]
    fn laws_end_where_their_states_leave_the_scale() {
        let chip = Chip::preset("planar-tlc").unwrap();
        assert!(Conditions::fresh(85_319.0).check(&chip).is_ok());
        let error = Conditions::fresh(85_321.0).check(&chip).unwrap_err();
        assert!(error.place == "pec" && error.what.contains("500 units"), "{error}");
        let aged = Conditions::fresh(3000.0).aged(8760.0, 55.0);
        assert!(aged.check(&chip).is_ok());
        let hot = Conditions::fresh(50_000.0).aged(876_000.0, 150.0);
        assert_eq!(hot.check(&chip).unwrap_err().place, "age");
        let read = Conditions { reads: 1e7, ..aged };
        assert!(read.check(&chip).is_ok());
        // The scale ends at 896. By 1.613e10 reads, D = 0.05 · 3 · 1.613e7 units, the highest state of 437 rises
        // beyond: 437 + 100 · ln(1 + 24,195 · e^-5.513) = 896.3. The erased one does not: -114.3 + 100 · ln(24,196).
        let read = |reads| Conditions { reads, ..Conditions::fresh(3000.0) }.check(&chip);
        assert!(read(1.6e10).is_ok() && read(1.613e10).is_err());
        for pec in [f64::NAN, f64::INFINITY, -1e9] {
            assert!(Conditions::fresh(pec).check(&chip).is_err(), "{pec}");
        }
    }
}
