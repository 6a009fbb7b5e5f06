//! Second writes between their encoding and their program.

use crate::second::Written;
use crate::way::{Load, Placed};
use rustc_hash::FxHashMap;
use wordline_sim::ids::{Lpn, Unit};

/// A second write that fits, and is staged next.
struct Fitting {
    lpn: Lpn,
    unit: Unit,
    load: Load,
    how: Written,
}

/// Second writes that are not in their cells.
#[derive(Default)]
pub struct Rewrites {
    fitting: Option<Fitting>,
    /// Those whose program was not issued: until then their pages hold what they held, which may have to be copied.
    staged: FxHashMap<Unit, Placed>,
}

impl Rewrites {
    /// The data of a logical unit fits, or does not; if it does it is staged next.
    pub fn fit(&mut self, lpn: Lpn, unit: Unit, load: Load, how: Option<Written>) -> bool {
        self.fitting = how.map(|how| Fitting { lpn, unit, load, how });
        self.fitting.is_some()
    }

    /// The second write that is staged in `unit` now, if one is.
    pub fn take_fitting(&mut self, lpn: Lpn, unit: Unit) -> Option<(Load, Written)> {
        let fitting = self.fitting.take()?;
        assert_eq!((fitting.lpn, fitting.unit), (lpn, unit), "what fits is staged where it fits");
        Some((fitting.load, fitting.how))
    }

    /// A second write waits for its program.
    pub fn stage(&mut self, unit: Unit, placed: Placed) {
        self.staged.insert(unit, placed);
    }

    /// The data of a second write whose program was not issued.
    pub fn get(&self, unit: Unit) -> Option<&Placed> {
        self.staged.get(&unit)
    }

    /// The second writes of units whose program is issued.
    pub fn issue(&mut self, units: impl Iterator<Item = Unit>) -> Vec<(Unit, Placed)> {
        if self.staged.is_empty() {
            return Vec::new();
        }
        units.filter_map(|unit| Some((unit, self.staged.remove(&unit)?))).collect()
    }
}
