//! What time, heat and reads do to programmed cells: `V(t) = V(0) + drift(V) · ln(1 + t/t0)`.

use crate::chip::{ReadDisturb, Retention};
use crate::{Chip, Conditions, WordLine};
use libm::{exp, log1p, pow, sqrt};

/// Boltzmann's constant in eV per kelvin (CODATA 2018, exact).
const BOLTZMANN_EV_PER_K: f64 = 8.617_333_262e-5;
const ZERO_CELSIUS_K: f64 = 273.15;

/// The polynomial of the drift was fitted within these shares of the scale; beyond, it goes straight
/// on.
const FITTED: std::ops::RangeInclusive<f64> = -0.25..=1.0;

/// Width of the scale of voltages, in units.
const SCALE: f64 = 512.0;

/// What happens to cells between a program and the next program or read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rest {
    /// Coefficients of the mean change of voltage, in units, by powers of V/512.
    drift: [f64; 3],
    /// Standard deviation that is added, in units.
    pub sigma: f64,
    /// Share of the cells that lose charge fast.
    pub fast_share: f64,
    /// Mean further loss of a fast cell, in units.
    pub fast_scale: f64,
    disturb: f64,
    disturb_scale: f64,
    erased_mean: f64,
}

impl Rest {
    /// The rest of `conditions.age_h` hours that follows `before_h` hours since the first program.
    pub fn new(chip: &Chip, conditions: &Conditions, line: &WordLine, before_h: f64) -> Self {
        let retention = &chip.retention;
        let wear = retention.wear(conditions.pec);
        let time = wear * retention.log_time(conditions, before_h);
        let reads = &chip.read_disturb;
        Self {
            drift: retention.drift.map(|c| c * time),
            sigma: line.spread * sqrt(retention.diffusion * time),
            fast_share: retention.fast_share,
            fast_scale: retention.fast_scale * time,
            disturb: reads.shift(conditions),
            disturb_scale: reads.scale,
            erased_mean: chip.erased.mean,
        }
    }

    /// The voltage of a cell at `voltage`, in units, before the spread is added.
    ///
    /// Reads raise a cell at a rate that falls by the voltage that it has reached, e-fold over the
    /// chip's scale, so that the rise grows with the logarithm of the reads, and no cell overtakes
    /// another. Cells below the erased mean rise as fast as one there.
    pub fn mean_after(&self, voltage: f64) -> f64 {
        let share = voltage / SCALE;
        let x = share.clamp(*FITTED.start(), *FITTED.end());
        let slope = self.drift[1] + 2.0 * x * self.drift[2];
        let fitted = self.drift[0] + x * (self.drift[1] + x * self.drift[2]);
        let drift = fitted + slope * (share - x);
        let low = exp(-(voltage - self.erased_mean).max(0.0) / self.disturb_scale);
        voltage + drift + self.disturb_scale * log1p(self.disturb / self.disturb_scale * low)
    }
}

impl Rest {
    /// The least slope of the drift: what a voltage changes by for each unit that it is higher. At
    /// -1 or less cells would change places, which no loss of charge makes them do.
    pub(crate) fn least_drift_slope(&self) -> f64 {
        let at = |x: f64| (self.drift[1] + 2.0 * x * self.drift[2]) / SCALE;
        let (low, high) = (at(*FITTED.start()), at(*FITTED.end()));
        if low < high { low } else { high } // the slope is a line; no number where it is none
    }
}

impl Retention {
    /// Factor by which `pec` cycles multiply the changes; 1 at the reference count.
    fn wear(&self, pec: f64) -> f64 {
        let share = pow(pec / self.reference_pec, self.wear_exponent);
        self.wear_at_zero + (1.0 - self.wear_at_zero) * share
    }

    /// The time that goes into the logarithm, in hours at the reference temperature.
    pub fn equivalent_h(&self, hours: f64, temperature_c: f64) -> f64 {
        let kelvin = |celsius: f64| celsius + ZERO_CELSIUS_K;
        let gap = 1.0 / kelvin(self.reference_c) - 1.0 / kelvin(temperature_c);
        hours * exp(self.activation_ev / BOLTZMANN_EV_PER_K * gap)
    }

    /// The logarithm of time over this rest. A program resets the clock for the share `renewed` of
    /// the charge; for what lies there since before it goes on.
    fn log_time(&self, conditions: &Conditions, before_h: f64) -> f64 {
        let at = |hours: f64| log1p(self.equivalent_h(hours, conditions.temperature_c) / self.t0_h);
        let anew = at(conditions.age_h);
        let going_on = at(before_h + conditions.age_h) - at(before_h);
        self.renewed * anew + (1.0 - self.renewed) * going_on
    }
}

impl ReadDisturb {
    /// Rise of the erased state, in units, if it went on as it begins.
    fn shift(&self, conditions: &Conditions) -> f64 {
        let wear = pow(conditions.pec.max(1.0) / 1000.0, self.wear_exponent);
        self.units_per_kread * wear * conditions.reads / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chip() -> Chip {
        Chip::preset("planar-tlc").unwrap()
    }

    /// JESD218's activation energy: the acceleration that LazyRS (Section 3.2) states.
    #[test]
    fn heat_accelerates_as_arrhenius_says() {
        let retention = Retention { activation_ev: 1.1, reference_c: 30.0, ..chip().retention };
        let year = retention.equivalent_h(13.0, 85.0);
        assert!((year / 8760.0 - 1.0).abs() < 0.05, "{year}");
        assert_eq!(retention.equivalent_h(5.0, 30.0), 5.0);
    }

    #[test]
    fn nothing_changes_in_no_time() {
        let rest = Rest::new(&chip(), &Conditions::fresh(2000.0), &WordLine::NOMINAL, 0.0);
        assert_eq!(rest.sigma, 0.0);
        for v in [-100.0, 0.0, 200.0, 450.0] {
            assert_eq!(rest.mean_after(v), v);
        }
    }

    #[test]
    fn high_states_fall_low_ones_rise_and_reads_raise_the_erased() {
        let chip = chip();
        let aged = Conditions::fresh(2000.0).aged(8760.0, 30.0);
        let rest = Rest::new(&chip, &aged, &WordLine::NOMINAL, 0.0);
        assert!(rest.mean_after(448.0) < 448.0 && rest.mean_after(-90.0) > -90.0);
        let read = Conditions { reads: 1e5, ..Conditions::fresh(2000.0) };
        let rest = Rest::new(&chip, &read, &WordLine::NOMINAL, 0.0);
        let rise = |v: f64| rest.mean_after(v) - v;
        assert!(rise(-90.0) > 1.0 && rise(400.0) < 0.01 * rise(-90.0));
    }

    /// By hand: D = 0.05 · 3 · 2,000 = 300 units, scale 100, so ln(1 + 300 / 100) · 100 = 138.6.
    #[test]
    fn reads_raise_cells_ever_more_slowly_and_past_no_other() {
        let chip = chip();
        let (pec, mean) = (3000.0, chip.erased.mean);
        let after = |reads: f64, from: f64| {
            let conditions = Conditions { reads, ..Conditions::fresh(pec) };
            Rest::new(&chip, &conditions, &WordLine::NOMINAL, 0.0).mean_after(from)
        };
        assert!((after(2e6, mean) - mean - 100.0 * libm::log(4.0)).abs() < 1e-9);
        // Half of the reads, and then the other half, are all of them.
        assert!((after(1e6, after(1e6, mean)) - after(2e6, mean)).abs() < 1e-9);
        // Few reads are in proportion, as the law of each is.
        assert!((after(20.0, mean) - mean - 0.003).abs() < 1e-6);
        let voltages: Vec<f64> = (-300..500).map(|v| after(1e7, f64::from(v))).collect();
        assert!(voltages.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(voltages.iter().all(|v| *v < SCALE), "{voltages:?}");
    }

    /// Fast cells lose by the logarithm of time and by wear, as all do: ten times as long after a day is
    /// `ln(1 + 240 h/t0) / ln(1 + 24 h/t0)` times as much.
    #[test]
    fn fast_cells_lose_more_as_time_passes() {
        let mut chip = chip();
        (chip.retention.fast_share, chip.retention.fast_scale) = (0.1, 2.0);
        let rest = |hours| {
            let aged = Conditions::fresh(2000.0).aged(hours, chip.retention.reference_c);
            Rest::new(&chip, &aged, &WordLine::NOMINAL, 0.0)
        };
        let (day, ten) = (rest(24.0), rest(240.0));
        let t0_h = chip.retention.t0_h;
        let expected = log1p(240.0 / t0_h) / log1p(24.0 / t0_h);
        assert!(expected > 1.1 && (ten.fast_scale / day.fast_scale / expected - 1.0).abs() < 1e-12);
        let first = 2.0 * chip.retention.wear(2000.0) * log1p(24.0 / t0_h);
        assert!((day.fast_scale / first - 1.0).abs() < 1e-12);
        assert_eq!((rest(0.0).fast_scale, day.fast_share), (0.0, 0.1));
    }

    #[test]
    fn an_earlier_program_leaves_less_to_lose() {
        let chip = chip();
        let aged = Conditions::fresh(2000.0).aged(8760.0, 30.0);
        let at_once = Rest::new(&chip, &aged, &WordLine::NOMINAL, 0.0);
        let later = Rest::new(&chip, &aged, &WordLine::NOMINAL, 730.0);
        assert!(later.mean_after(448.0) > at_once.mean_after(448.0));
        assert!(later.sigma < at_once.sigma);
    }
}
