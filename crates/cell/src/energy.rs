//! Energy of operations, from what they consist of: transfers, sensings, program loops, erases.

use crate::Chip;
use serde::{Deserialize, Serialize};

/// What the parts of operations take, in µJ by KiB of a page, or of a block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Energy {
    /// Per KiB of a page that is moved between the chip's register and the host, with what else
    /// every read and program takes.
    pub transfer_uj_per_kib: f64,
    /// Per KiB of a page and sensing.
    pub sense_uj_per_kib: f64,
    /// Per KiB of a page and program loop with its verifies.
    pub loop_uj_per_kib: f64,
    /// Per KiB of a block that is erased by one pulse.
    pub erase_uj_per_kib: f64,
}

/// Energy of a read of one page by so many sensings, in µJ.
pub fn read_uj(chip: &Chip, sensings: f64) -> f64 {
    let energy = &chip.energy;
    let per_kib = energy.transfer_uj_per_kib + sensings * energy.sense_uj_per_kib;
    f64::from(chip.geometry.page_kib) * per_kib
}

/// Energy of a program that moves so many pages and takes so many loops, in µJ.
pub fn program_uj(chip: &Chip, pages: f64, loops: f64) -> f64 {
    let energy = &chip.energy;
    let per_kib = pages * energy.transfer_uj_per_kib + loops * energy.loop_uj_per_kib;
    f64::from(chip.geometry.page_kib) * per_kib
}

/// Energy of an erase of a block by so many pulses, in µJ.
pub fn erase_uj(chip: &Chip, pulses: f64) -> f64 {
    let pages = chip.geometry.pages_per_block(chip.levels) * chip.geometry.page_kib;
    pulses * chip.energy.erase_uj_per_kib * f64::from(pages)
}
