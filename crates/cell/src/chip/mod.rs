//! Chips as data: what the model must know of one, and the presets with the source of each value.

mod presets;

use crate::energy::Energy;
use crate::erase::Erase;
use crate::erasing::CellErase;
use crate::pagewise::PageWise;
use crate::ranged::{self, ranged};
use crate::{Ecc, Error, Levels};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub use presets::{NAMES, Sourced, info};

/// Voltages that a chip may name, in units: short of the pass voltage, at which a string would not
/// conduct, and within the grid of [`crate::Density`].
pub(crate) const VOLTAGES: RangeInclusive<f64> = -300.0..=500.0;
/// The largest share of fast cells: Monte Carlo draws theirs from a table that holds fewer than 1/16
/// of all cells.
const MOST_FAST: f64 = 0.06;
/// P/E cycles.
const CYCLES: RangeInclusive<f64> = 1.0..=1e7;

/// A flash chip. Voltages are in units (see the crate), times carry their unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chip {
    /// What it is, in a sentence.
    pub summary: String,
    /// Bits per cell in its usual mode.
    pub levels: Levels,
    /// P/E cycles that it is made for.
    pub endurance_pec: f64,
    /// How its cells are arranged.
    pub geometry: Geometry,
    /// The erased state.
    pub erased: Erased,
    /// Its programs.
    pub program: Program,
    /// What programs do to other cells.
    pub disturb: Disturb,
    /// What time does.
    pub retention: Retention,
    /// What reads do.
    pub read_disturb: ReadDisturb,
    /// How it is read.
    pub read: Read,
    /// How much its parts differ.
    pub variation: Variation,
    /// The code that its controller uses.
    pub ecc: Ecc,
    /// How its blocks erase, where that is known.
    pub erase: Option<Erase>,
    /// How its cells do, where that is assumed.
    pub erase_cells: Option<CellErase>,
    /// How it programs page by page, where it does.
    pub page_wise: Option<PageWise>,
    /// What its operations take.
    pub energy: Energy,
}

ranged! {
    /// How cells are arranged.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Geometry {
        /// Layers of a block; 1 for a planar chip.
        pub layers: u32 => 1.0..=1024.0,
        /// Word lines of a layer.
        pub word_lines_per_layer: u32 => 1.0..=4096.0,
        /// Data bytes of a page, in KiB.
        pub page_kib: u32 => 1.0..=256.0,
    }
}

impl Geometry {
    /// Pages of a block whose cells hold so many bits.
    pub fn pages_per_block(&self, levels: Levels) -> u32 {
        self.layers * self.word_lines_per_layer * levels.bits() as u32
    }
}

ranged! {
    /// The erased state.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Erased {
        /// Mean voltage before the first cycle.
        pub mean: f64 => VOLTAGES,
        /// Rise of the mean with 1,000 P/E cycles.
        pub rise_per_kpec: f64 => 0.0..=500.0,
        /// Standard deviation.
        pub sigma: f64 => 0.1..=100.0,
    }
}

impl Erased {
    /// Mean voltage after `pec` cycles.
    pub fn mean_at(&self, pec: f64) -> f64 {
        self.mean + self.rise_per_kpec * pec / 1000.0
    }
}

ranged! {
    /// Programs by incremental step pulses (ISPP).
    #[derive(Debug, Clone, PartialEq)]
    pub struct Program {
        /// Verify level of each state but the erased one.
        pub verify: Vec<f64> => VOLTAGES,
        /// ΔV_ISPP: the rise of the pulse from one loop to the next.
        pub step: f64 => 0.1..=200.0,
        /// Voltage that a cell of middle speed has after the first loop.
        pub start: f64 => VOLTAGES,
        /// Most loops of a program.
        pub max_loops: u32 => 1.0..=1024.0,
        /// Standard deviation of the cells' speeds, as voltage after the same number of loops.
        pub speed_sigma: f64 => 0.1..=100.0,
        /// Standard deviation of what programs and reads add at random, before the first cycle.
        pub noise_sigma: f64 => 0.1..=100.0,
        /// Growth of that variance with 1,000 P/E cycles, in units².
        pub noise_growth: f64 => 0.0..=5000.0,
        /// Duration of a loop with its verifies, in µs.
        pub loop_us: f64 => 0.01..=1e5,
    }
}

impl Program {
    /// Standard deviation of the noise after `pec` cycles.
    pub fn noise_at(&self, pec: f64) -> f64 {
        let variance = self.noise_sigma * self.noise_sigma + self.noise_growth * pec / 1000.0;
        libm::sqrt(variance)
    }

    /// Voltage of a cell of middle speed after the last loop, with steps of `step` units. A program
    /// with another step takes as many volts, in as many loops as that needs.
    pub fn reach(&self) -> f64 {
        self.start + self.step * (f64::from(self.max_loops) - 1.0)
    }

    /// Loops until cells 3 standard deviations slower than the middle pass `verify`, by steps of
    /// `step` units: tPROG ∝ (V_end − V_start) / ΔV_ISPP (Kim and Kim, Electronics 12(4):843, 2023,
    /// equation 1).
    pub fn loops(&self, verify: f64, step: f64) -> f64 {
        let volts = (verify + 3.0 * self.speed_sigma - self.start).max(0.0);
        (libm::ceil(volts / step) + 1.0).min(libm::ceil((self.reach() - self.start) / step) + 1.0)
    }
}

ranged! {
    /// What programs do to other cells.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Disturb {
        /// Rise of a cell per unit that its neighbour on the next word line rises.
        pub word_line: f64 => 0.0..=0.5,
        /// Back-pattern: what a word line above it, programmed to the highest state, takes from the
        /// voltage that the last loop of a program reaches.
        pub back_pattern: f64 => 0.0..=500.0,
    }
}

ranged! {
    /// What time does to programmed cells.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Retention {
        /// Activation energy in eV.
        pub activation_ev: f64 => 0.0..=3.0,
        /// Temperature of the other parameters in °C.
        pub reference_c: f64 => -55.0..=150.0,
        /// Time constant of the logarithm in hours.
        pub t0_h: f64 => 1e-6..=1e6,
        /// Mean change per ln(1 + t/t0): coefficients by powers of V/512.
        pub drift: [f64; 3] => -200.0..=200.0,
        /// Variance that is added per ln(1 + t/t0), in units².
        pub diffusion: f64 => 0.0..=5000.0,
        /// Share of the cells that lose more than the others.
        pub fast_share: f64 => 0.0..=MOST_FAST,
        /// Their mean further loss per ln(1 + t/t0).
        pub fast_scale: f64 => 0.0..=100.0,
        /// P/E cycles at which the above holds.
        pub reference_pec: f64 => 1.0..=1e7,
        /// Share of it before the first cycle.
        pub wear_at_zero: f64 => 0.0..=1.0,
        /// Exponent of the rest's growth with P/E cycles.
        pub wear_exponent: f64 => 0.0..=4.0,
        /// Share of the charge whose clock a second program sets back.
        pub renewed: f64 => 0.0..=1.0,
    }
}

ranged! {
    /// What reads of other pages do.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct ReadDisturb {
        /// Rise of the erased state per 1,000 reads at 1,000 P/E cycles.
        pub units_per_kread: f64 => 0.0..=500.0,
        /// Exponent of its growth with P/E cycles.
        pub wear_exponent: f64 => 0.0..=4.0,
        /// Voltage above the erased state over which it falls to 1/e.
        pub scale: f64 => 1.0..=1000.0,
    }
}

ranged! {
    /// How a chip is read.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Read {
        /// Default references, one below each state but the erased one.
        pub references: Vec<f64> => VOLTAGES,
        /// Steps of read retries.
        pub retry_step: f64 => 0.0..=100.0,
        /// Most retries.
        pub max_retries: u32 => 0.0..=1000.0,
        /// Duration of one sensing in µs.
        pub sense_us: f64 => 0.01..=1e5,
    }
}

ranged! {
    /// Standard deviations of what sets parts of chips apart.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Variation {
        /// Voltage of all programmed levels, by chip.
        pub chip: f64 => 0.0..=100.0,
        /// By block.
        pub block: f64 => 0.0..=100.0,
        /// By layer.
        pub layer: f64 => 0.0..=100.0,
        /// By word line.
        pub word_line: f64 => 0.0..=100.0,
        /// Logarithm of noise and retention's spread, by word line.
        pub spread: f64 => 0.0..=0.5,
        /// Voltage that the last loop reaches, by word line.
        pub reach: f64 => 0.0..=100.0,
    }
}

impl Chip {
    /// The preset of this name.
    ///
    /// # Errors
    /// An unknown name, or a preset whose file does not hold what it must.
    pub fn preset(name: &str) -> Result<Self, Error> {
        Self::of(presets::values(name)?).map_err(|error| {
            let place = format!("{name}: {}", error.place);
            error.at(place.trim_end_matches([':', ' ']))
        })
    }

    /// The chip that a text describes, in the form of the presets: a `base` may name one of them,
    /// and `sources` may be left out.
    ///
    /// # Errors
    /// No TOML, an unknown base or key, a missing value, or one that cannot be.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::of(presets::values_of(text)?)
    }

    fn of(values: toml::Table) -> Result<Self, Error> {
        let chip: Self = values.try_into().map_err(|error: toml::de::Error| {
            Error::new(error.message(), "the keys are those of `wordline lab describe planar-tlc`")
        })?;
        chip.check()?;
        Ok(chip)
    }

    fn check(&self) -> Result<(), Error> {
        ranged::check("", "endurance_pec", &self.endurance_pec, CYCLES)?;
        self.geometry.check_ranges("geometry")?;
        self.erased.check_ranges("erased")?;
        self.program.check_ranges("program")?;
        self.disturb.check_ranges("disturb")?;
        self.retention.check_ranges("retention")?;
        self.read_disturb.check_ranges("read_disturb")?;
        self.read.check_ranges("read")?;
        self.variation.check_ranges("variation")?;
        self.ecc.check_ranges("ecc")?;
        self.energy.check_ranges("energy")?;
        self.page_wise.as_ref().map_or(Ok(()), |own| own.check_ranges("page_wise"))?;
        self.erase_cells.as_ref().map_or(Ok(()), |own| own.check_ranges("erase_cells"))?;
        self.erase.as_ref().map_or(Ok(()), Erase::check)?;
        self.check_together()
    }

    /// What one value asks of another.
    fn check_together(&self) -> Result<(), Error> {
        let refuse = |what: String, help: &str| Err(Error::new(what, help));
        let levels = self.levels.states() - 1;
        for (key, list) in
            [("program.verify", &self.program.verify), ("read.references", &self.read.references)]
        {
            if list.len() != levels {
                let what = format!("{key}: {} values, and {levels} levels", list.len());
                return refuse(what, "one for each state but the erased one");
            }
            if list.windows(2).any(|pair| pair[0] >= pair[1]) {
                return refuse(format!("{key}: not in rising order"), "write the lowest first");
            }
        }
        let (mean, lowest) = (self.erased.mean, self.program.verify[0]);
        if mean >= lowest {
            let what = format!("erased.mean is {mean}, and the lowest program.verify {lowest}");
            return refuse(what, "erased cells lie below all programmed ones");
        }
        let page_bytes = self.geometry.page_kib * 1024;
        if self.ecc.data_bytes > page_bytes {
            let what = format!("ecc.data_bytes is {}", self.ecc.data_bytes);
            return refuse(what, &format!("a page of geometry.page_kib holds {page_bytes}"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
