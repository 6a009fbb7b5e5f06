//! How many power cuts a hold-up energy covered, and what it finished and saved in each.

use super::saved::Kept;
use serde::Serialize;

/// How many power cuts a hold-up energy covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HoldUpReport {
    /// The energy, nanojoules.
    pub energy_nj: u64,
    /// Bytes of a logical unit.
    pub unit_bytes: u64,
    /// Cuts for which it was enough: all that had begun was finished, and all of the controller's memory saved.
    pub borne_cuts: u64,
    /// Programs and erases that it finished, in the mean of the cuts.
    pub finished_mean: f64,
    /// Logical units that it saved out of the controller's memory, in the mean of the cuts.
    pub saved_mean: f64,
    /// Energy that would have been enough, in the mean of the cuts; nanojoules.
    pub needed_mean_nj: f64,
    /// Energy that would have been enough for every cut; nanojoules.
    pub needed_most_nj: u64,
    /// Cuts after which something was missing that had been acknowledged, whether flushed or not.
    pub forgetting_cuts: u64,
    /// Logical units that were missing then, of all cuts together.
    pub forgotten_units: u64,
    /// Logical units that were missing after the cut that lost most.
    pub forgotten_most: u64,
}

impl HoldUpReport {
    /// Of an energy that has borne no cut yet.
    pub(super) fn of(energy_nj: u64, unit_bytes: u64) -> Self {
        Self { energy_nj, unit_bytes, ..Self::default() }
    }

    /// Adds a cut, after which so many logical units were missing.
    pub(super) fn add(&mut self, kept: &Kept, forgotten: usize) {
        self.borne_cuts += u64::from(kept.needed_nj <= self.energy_nj);
        self.finished_mean += kept.finished.len() as f64;
        self.saved_mean += kept.saved.len() as f64;
        self.needed_mean_nj += kept.needed_nj as f64;
        self.needed_most_nj = self.needed_most_nj.max(kept.needed_nj);
        self.forgetting_cuts += u64::from(forgotten > 0);
        self.forgotten_units += forgotten as u64;
        self.forgotten_most = self.forgotten_most.max(forgotten as u64);
    }

    /// The means, after so many cuts.
    pub(super) fn settle(&mut self, cuts: u64) {
        for sum in [&mut self.finished_mean, &mut self.saved_mean, &mut self.needed_mean_nj] {
            *sum /= cuts.max(1) as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_cut_is_told_beside_the_sum_of_all() {
        let mut bearing = HoldUpReport::of(5, 4096);
        for (needed_nj, forgotten) in [(4, 0), (9, 7), (6, 2)] {
            bearing.add(&Kept { needed_nj, ..Kept::default() }, forgotten);
        }
        bearing.settle(3);
        assert_eq!((bearing.borne_cuts, bearing.needed_most_nj), (1, 9));
        assert_eq!((bearing.forgetting_cuts, bearing.forgotten_units), (2, 9));
        assert_eq!((bearing.forgotten_most, bearing.unit_bytes), (7, 4096));
    }
}
