//! Chips as data: what the model must know of one, and the presets with the source of each value.

mod parts;
mod presets;

use crate::erase::{BorrowedErase, Erase};
use crate::ranged;
use crate::stages::Stages;
use crate::{Ecc, Error, Levels};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

pub(crate) use parts::VOLTAGES;
pub use parts::{
    CellErase, Disturb, Energy, Erased, Geometry, PageWise, Program, Read, ReadDisturb, Retention,
    Variation,
};
pub use presets::{NAMES, Sourced, info};

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
    /// How its blocks erase, where that is known or borrowed.
    pub erase: Option<Erase>,
    /// The chip that its blocks erase as, where that is not known.
    pub erase_as: Option<BorrowedErase>,
    /// How its cells do, where that is assumed.
    pub erase_cells: Option<CellErase>,
    /// How it programs in two stages, where it does.
    pub stages: Option<Stages>,
    /// How it programs page by page, where it does.
    pub page_wise: Option<PageWise>,
    /// What its operations take.
    pub energy: Energy,
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
        let mut chip: Self = values.try_into().map_err(|error: toml::de::Error| {
            Error::new(error.message(), "the keys are those of `wordline lab describe planar-tlc`")
        })?;
        chip.borrow()?;
        chip.check()?;
        Ok(chip)
    }

    /// Takes the erases of the chip that `erase_as` names.
    fn borrow(&mut self) -> Result<(), Error> {
        let Some(borrowed) = &self.erase_as else { return Ok(()) };
        if self.erase.is_some() {
            let what = "both [erase] and [erase_as]";
            return Err(Error::new(
                what,
                "leave out one: a chip erases in its own way or as another",
            ));
        }
        borrowed.check_ranges("erase_as")?;
        ranged::check("", "endurance_pec", &self.endurance_pec, CYCLES)?;
        let at = |error: Error| error.at("erase_as.chip");
        let values = presets::values(&borrowed.chip).map_err(at)?;
        // Also keeps a chip from borrowing of itself.
        if !values.contains_key("erase") {
            let what = format!("{} has no erases of its own", borrowed.chip);
            return Err(at(Error::new(what, "name a chip with [erase], such as reo-tlc")));
        }
        let lender = Self::of(values).map_err(at)?;
        let scaled = |erase: &Erase| borrowed.scaled(erase, self.endurance_pec);
        self.erase = lender.erase.as_ref().map(scaled);
        Ok(())
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
        self.stages.as_ref().map_or(Ok(()), Stages::check)?;
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
