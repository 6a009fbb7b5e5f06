//! Erases at the level of cells: how far each cell of a block falls under the pulses of
//! [`crate::erase`], and how many bit lines then hold one that is still above the verify level.
//!
//! A cell falls with the logarithm of the time under a pulse, and in proportion to the voltage
//! V_E − V_WG between its channel and its word line's gate: dV/dt ∝ −exp((V − V_eq) / S), where V_eq
//! falls as that voltage rises. So exp(−V/S) grows in proportion to time, pulses add up as a *dose*,
//! and a cell is erased when S ln(dose) reaches its *need*: what sets it apart from others, less what
//! its own voltage before the erase was below that of a high state.
//!
//! Voltages are in the units of the crate; the erase voltage counts as much as the cell's.

pub mod gates;
pub mod monte_carlo;
mod shares;

pub use gates::Gates;
pub use shares::Failing;

use crate::chip::CellErase;
use crate::rng::normal;
use crate::{Chip, Error};

/// Streams of random numbers that set layers and word lines apart.
const LAYERS: u32 = 10;
const WORD_LINES: u32 = 11;

impl CellErase {
    /// Those of a chip.
    ///
    /// # Errors
    /// A chip whose file does not say how its cells erase.
    pub fn of(chip: &Chip) -> Result<Self, Error> {
        let missing = || Error::new("no [erase_cells]", "say how its cells erase, as reo-tlc does");
        chip.erase_cells.ok_or_else(missing)
    }

    /// S ln(dose) after `time_ms` under pulses of `pulse_ms` each, the voltage rising from one to
    /// the next; the dose is in ms of the first.
    pub fn fall(&self, pulse_ms: f64, time_ms: f64) -> f64 {
        let ratio = libm::exp(self.voltage_step / self.log_slope);
        let whole = libm::ceil(time_ms / pulse_ms - 1e-9).max(1.0) - 1.0;
        let (mut dose, mut weight) = (0.0, 1.0);
        for _ in 0..whole as u32 {
            dose += weight * pulse_ms;
            weight *= ratio;
        }
        dose += weight * (time_ms - whole * pulse_ms);
        self.log_slope * libm::log(dose.max(f64::MIN_POSITIVE))
    }

    /// What a cell at `voltage` needs more than one from far above: 0 or less, without end for a
    /// cell that is below the verify level already.
    pub fn head_start(&self, voltage: f64) -> f64 {
        let above = (voltage - self.verify) / self.log_slope;
        if above <= 0.0 {
            return f64::NEG_INFINITY;
        }
        self.log_slope * libm::log(-libm::expm1(-above))
    }

    /// What sets the word lines of a block apart, layer after layer, in units.
    pub fn word_lines(&self, chip: &Chip, seed: u64, block: u32) -> Vec<f64> {
        let per_layer = chip.geometry.word_lines_per_layer;
        let mut offsets = Vec::new();
        for layer in 0..chip.geometry.layers {
            let shared = self.layer(seed, layer);
            for line in 0..per_layer {
                let own = normal(seed, WORD_LINES, [0, block, layer * per_layer + line]);
                offsets.push(shared + self.word_line_sigma * own);
            }
        }
        offsets
    }

    /// What sets a layer apart in all blocks, as etching leaves it, in units.
    fn layer(&self, seed: u64, layer: u32) -> f64 {
        self.layer_sigma * normal(seed, LAYERS, [0, u32::MAX, layer])
    }

    /// What sets the bit line at `share` of the way across a block apart, in units.
    fn bit_line(&self, share: f64) -> f64 {
        self.bit_line_range * (share - 0.5)
    }
}

/// Bit lines of a block: one for each bit of a page.
pub fn bit_lines(chip: &Chip) -> u32 {
    chip.geometry.page_kib * 8192
}

#[cfg(test)]
mod tests;
