//! Fail bits cell by cell: the cells that [`crate::monte_carlo`] programs, in integers of 1/256 unit,
//! with the speeds that it gives them.

use crate::chip::CellErase;
use crate::monte_carlo::{BATCH, Identity, MonteCarlo, SCALE};

/// Entries of the table of head starts; cells further above the verify level have its last.
const HEAD_STARTS: usize = 4096;
/// An entry stands for 2^-2 unit of voltage.
const START_SHIFT: i32 = 6;
/// The need of a cell that is erased already.
const ERASED: i32 = i32::MIN / 2;

/// The cells of a block that was programmed by one plan, erased.
pub struct Cells<'a> {
    /// How the block was programmed.
    pub programmed: &'a MonteCarlo,
    /// How its cells erase.
    pub cells: CellErase,
    /// What sets its word lines apart, their gates' voltages included, in units.
    pub lines: &'a [f64],
    /// Bit lines of the block.
    pub bit_lines: u32,
}

impl Cells<'_> {
    /// What the neediest cell of each of `wanted` bit lines needs, in integers of 1/256 unit, the
    /// first word line being `block.word_line`.
    pub fn worst(&self, block: Identity, wanted: std::ops::Range<u32>) -> Vec<i32> {
        let starts = self.head_starts();
        let sigma = integer(self.cells.cell_sigma);
        let verify = integer(self.cells.verify);
        let mut worst = vec![ERASED; wanted.len()];
        for (line, offset) in self.lines.iter().enumerate() {
            let identity = Identity { word_line: block.word_line + line as u32, ..block };
            let offset = integer(*offset);
            for (number, needs) in worst.chunks_mut(BATCH).enumerate() {
                let first = wanted.start + (number * BATCH) as u32;
                let (voltages, speeds) = self.programmed.batch(identity, first);
                for (i, need) in needs.iter_mut().enumerate() {
                    let above = (voltages[i] - verify) >> START_SHIFT;
                    let start = starts[above.clamp(0, HEAD_STARTS as i32 - 1) as usize];
                    let own = (sigma * speeds[i]) >> crate::monte_carlo::NORMAL_BITS;
                    *need = (*need).max(offset + own + start);
                }
            }
        }
        for (bit_line, need) in wanted.zip(&mut worst) {
            let share = (f64::from(bit_line) + 0.5) / f64::from(self.bit_lines);
            *need += integer(self.cells.bit_line(share));
        }
        worst
    }

    /// Head starts of voltages above the verify level.
    fn head_starts(&self) -> Vec<i32> {
        let one = |i: usize| {
            let voltage =
                self.cells.verify + (i as f64 + 0.5) * f64::from(1 << START_SHIFT) / SCALE;
            if i == 0 { ERASED } else { integer(self.cells.head_start(voltage)) }
        };
        (0..HEAD_STARTS).map(one).collect()
    }
}

/// F among these bit lines when S ln(dose) exceeds the block's own need by `margin` units.
pub fn fail_bits(worst: &[i32], margin: f64) -> u32 {
    let reached = integer(margin);
    worst.iter().filter(|need| **need > reached).count() as u32
}

fn integer(units: f64) -> i32 {
    libm::round(units * SCALE) as i32
}
