//! Fail bits without drawing a cell: the share of bit lines all of whose cells are erased is a
//! product over the word lines.

use super::bit_lines;
use crate::chip::CellErase;
use crate::{Chip, Density};

/// Grid on which word lines are gathered and cells are tabulated, in units.
const GRID: f64 = 0.25;
/// Bit lines that stand for all.
const BIT_LINES: u32 = 64;
/// Cells further than this from their mean are left out, in standard deviations.
const REACH_SIGMAS: f64 = 8.0;
/// Beyond this no cell is left above the verify level, or all are, in units.
const FARTHEST: f64 = 600.0;
/// ln of the least share of erased cells that is told from none.
const LEAST_LN: f64 = -700.0;

/// F: bit lines that fail the verify, by how far the pulses reach.
#[derive(Debug, Clone)]
pub struct Failing {
    cells: CellErase,
    /// Word lines at each offset of the grid that holds any.
    lines: Vec<(f64, f64)>,
    /// ln of the share of cells of a word line that are erased, by what the fall exceeds its need by.
    erased_ln: Vec<f64>,
    bit_lines: f64,
}

impl Failing {
    /// For a block whose cells have these voltages before the erase, the classes being equally
    /// likely, and whose word lines are set apart by `lines`.
    pub fn new(chip: &Chip, cells: CellErase, before: &[Density], lines: &[f64]) -> Self {
        let mut gathered = std::collections::BTreeMap::<i64, f64>::new();
        for offset in lines {
            *gathered.entry(libm::round(offset / GRID) as i64).or_default() += 1.0;
        }
        let steps = (2.0 * FARTHEST / GRID) as usize;
        let starts = head_starts(&cells, before);
        let erased = |i: usize| erased_ln(&cells, &starts, i as f64 * GRID - FARTHEST);
        Self {
            cells,
            lines: gathered.into_iter().map(|(at, n)| (at as f64 * GRID, n)).collect(),
            erased_ln: (0..=steps).map(erased).collect(),
            bit_lines: f64::from(bit_lines(chip)),
        }
    }

    /// F when S ln(dose) exceeds the block's own need by `margin` units.
    pub fn bits(&self, margin: f64) -> f64 {
        let place = |i: u32| (f64::from(i) + 0.5) / f64::from(BIT_LINES);
        let failing = |i: u32| {
            let left = margin - self.cells.bit_line(place(i));
            let of = |(offset, count): &(f64, f64)| count * self.erased_ln(left - offset);
            -libm::expm1(self.lines.iter().map(of).sum())
        };
        self.bit_lines * (0..BIT_LINES).map(failing).sum::<f64>() / f64::from(BIT_LINES)
    }

    /// The margin at which F falls to `bits`, in units.
    pub fn margin(&self, bits: f64) -> f64 {
        let (mut low, mut high) = (-FARTHEST, FARTHEST);
        while high - low > 1e-6 {
            let middle = 0.5 * (low + high);
            if self.bits(middle) > bits { low = middle } else { high = middle }
        }
        high
    }

    fn erased_ln(&self, margin: f64) -> f64 {
        let last = self.erased_ln.len() - 1;
        let at = ((margin + FARTHEST) / GRID).clamp(0.0, last as f64);
        let (low, share) = (at as usize, at - libm::floor(at));
        let high = (low + 1).min(last);
        self.erased_ln[low] + share * (self.erased_ln[high] - self.erased_ln[low])
    }
}

/// Head starts of the bins of the voltage before the erase, with their shares.
fn head_starts(cells: &CellErase, before: &[Density]) -> Vec<(f64, f64)> {
    let mut all = Density::none();
    for class in before {
        all.add(class, 1.0 / before.len() as f64);
    }
    let bins = all.bins().iter().zip(Density::voltages());
    bins.filter(|(share, _)| **share > 0.0)
        .map(|(share, voltage)| (cells.head_start(voltage), *share))
        .collect()
}

/// ln of the share of the cells of a word line that are erased when the fall exceeds its need by
/// `margin`.
fn erased_ln(cells: &CellErase, starts: &[(f64, f64)], margin: f64) -> f64 {
    let left = |(start, share): &(f64, f64)| {
        let z = (margin - start) / cells.cell_sigma;
        // Above the reach every cell is erased, those with an endless head start among them.
        if z > REACH_SIGMAS { 0.0 } else { share * wordline_stats::normal_cdf(-z) }
    };
    let total: f64 = starts.iter().map(|(_, share)| share).sum();
    libm::log1p(-(starts.iter().map(left).sum::<f64>() / total).min(1.0)).max(LEAST_LN)
}
