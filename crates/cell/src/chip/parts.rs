//! The parts of a chip: what each field holds, with its unit and range.

use crate::Levels;
use crate::ranged::ranged;
use std::ops::RangeInclusive;

/// Voltages that a chip may name, in units: short of the pass voltage, at which a string would not
/// conduct, and within the grid of [`crate::Density`].
pub(crate) const VOLTAGES: RangeInclusive<f64> = -300.0..=500.0;
/// The largest share of fast cells: Monte Carlo draws theirs from a table that holds fewer than 1/16
/// of all cells.
const MOST_FAST: f64 = 0.06;

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

    /// V_end − V_start of a program to `verify`, in units: the last cells are 3 standard deviations slower
    /// than the middle.
    pub fn volts(&self, verify: f64) -> f64 {
        (verify + 3.0 * self.speed_sigma - self.start).max(0.0)
    }

    /// Loops until cells 3 standard deviations slower than the middle pass `verify`, by steps of
    /// `step` units: tPROG ∝ (V_end − V_start) / ΔV_ISPP (Kim and Kim, Electronics 12(4):843, 2023,
    /// equation 1).
    pub fn loops(&self, verify: f64, step: f64) -> f64 {
        (libm::ceil(self.volts(verify) / step) + 1.0)
            .min(libm::ceil((self.reach() - self.start) / step) + 1.0)
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

ranged! {
    /// What the parts of operations take, in µJ by KiB of a page, or of a block.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Energy {
        /// Per KiB of a page that is moved between the chip's register and the host, with what else
        /// every read and program takes.
        pub transfer_uj_per_kib: f64 => 0.0..=1e6,
        /// Per KiB of a page and sensing.
        pub sense_uj_per_kib: f64 => 0.0..=1e6,
        /// Per KiB of a page and program loop, without what its verify's bit lines take.
        pub loop_uj_per_kib: f64 => 0.0..=1e6,
        /// Per KiB of a page and verify, if all its bit lines conduct.
        pub conduct_uj_per_kib: f64 => 0.0..=1e6,
        /// Per KiB of a block that is erased by one pulse.
        pub erase_uj_per_kib: f64 => 0.0..=1e6,
    }
}

ranged! {
    /// How the cells of a chip erase.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct CellErase {
        /// Voltage that an erased cell is below, in units.
        pub verify: f64 => VOLTAGES,
        /// S: what a cell falls by while the time under a pulse grows e-fold, in units.
        pub log_slope: f64 => 5.0..=1000.0,
        /// Rise of the erase voltage from one pulse to the next, in units.
        pub voltage_step: f64 => 0.1..=100.0,
        /// Standard deviation of the cells, in units.
        pub cell_sigma: f64 => 0.1..=100.0,
        /// Standard deviation of the layers of a chip, in units.
        pub layer_sigma: f64 => 0.0..=100.0,
        /// Standard deviation of the word lines of a block, in units.
        pub word_line_sigma: f64 => 0.0..=100.0,
        /// How much the last bit line of a block differs from the first, those between evenly, in units.
        pub bit_line_range: f64 => 0.0..=500.0,
        /// Step in which the voltage of a word line's gate is set, in units.
        pub gate_step: f64 => 0.1..=500.0,
        /// The highest that it can be set to, in units.
        pub gate_most: f64 => 0.0..=1000.0,
    }
}

ranged! {
    /// How a chip programs MLC page by page.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct PageWise {
        /// Verify level of the temporary state, in units.
        pub low_verify: f64 => VOLTAGES,
        /// Verify level once the high page is programmed, which the chip knows from flag cells.
        pub low_verify_after_high: f64 => VOLTAGES,
        /// ΔV_ISPP of the low page, in units.
        pub low_step: f64 => 0.1..=200.0,
        /// Reference between the erased and the temporary state.
        pub low_reference: f64 => VOLTAGES,
        /// False where the chip refuses to program a high page twice.
        pub high_again: bool,
        /// Share of a cycle's wear that is in proportion to the charge that it moves; the rest is the
        /// same for any data.
        pub charge_share: f64 => 0.0..=1.0,
    }
}
