//! Gate voltages of word lines during an erase (V_WG): what lets each word line see the erase
//! voltage that it needs.

use crate::Chip;
use crate::chip::CellErase;

/// How the gates are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gates {
    /// All at 0 V.
    Ground,
    /// Each layer's such that it erases as slowly as the slowest layer of the chip, which is
    /// known from one block.
    ByLayer,
    /// Each word line's such that it erases as slowly as the slowest of its block.
    ByWordLine,
}

impl Gates {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Ground, Self::ByLayer, Self::ByWordLine];

    /// Its name in ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ground => "ground",
            Self::ByLayer => "by_layer",
            Self::ByWordLine => "by_word_line",
        }
    }

    /// The gate voltage of each word line of a block whose word lines are set apart by `lines`, in
    /// units. A gate is never below ground, so it only slows a word line down.
    pub fn voltages(self, cells: &CellErase, chip: &Chip, seed: u64, lines: &[f64]) -> Vec<f64> {
        let per_layer = chip.geometry.word_lines_per_layer;
        let known: Vec<f64> = match self {
            Self::Ground => return vec![0.0; lines.len()],
            Self::ByLayer => {
                (0..lines.len()).map(|i| cells.layer(seed, i as u32 / per_layer)).collect()
            }
            Self::ByWordLine => lines.to_vec(),
        };
        let slowest = known.iter().copied().fold(f64::MIN, f64::max);
        let set = |offset: &f64| {
            let steps = libm::floor((slowest - offset) / cells.gate_step);
            (steps * cells.gate_step).min(cells.gate_most)
        };
        known.iter().map(set).collect()
    }
}
