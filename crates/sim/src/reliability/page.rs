//! A page that is read, and the cells that it lies in.

use super::Chip;
use crate::ids::BlockId;
use crate::nand::Mode;

/// The cells of a kind of flash, and what erases leave of them.
#[derive(Debug, Clone, Copy)]
pub struct ErasedCells {
    /// The chip whose tables they have.
    pub chip: Chip,
    /// Whether all word lines of a block erase alike: their error rates are alike, too.
    pub word_lines_alike: bool,
}

/// A page that is about to be read.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Its block in the flash.
    pub block: BlockId,
    /// Its word line in that block.
    pub word_line: u32,
    /// Page type: which bit of the cells it is.
    pub kind: usize,
    /// P/E cycles of its block.
    pub cycles: u32,
    /// What of them counts: their number, or those by ISPE that did as much damage.
    pub pec: f64,
    /// Time since it was programmed.
    pub age_h: f64,
    /// Errors per KiB besides, of a block left short of its erase, in pages that tell its cells from
    /// programmed ones.
    pub short_errors: f64,
    /// How a technique's own program left its cells; none: as a conventional one does.
    pub stage: Option<Stage>,
}

/// A program of a technique's own: its mode in the table, and the time since.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// What the chip's table of error rates calls it.
    pub mode: Mode,
    /// Time since it ended; `None`: it was the last program of the word line.
    pub age_h: Option<f64>,
}

/// What is known of a block since its first read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// Its P/E cycles.
    pub cycles: u32,
    /// Where what of them counts lies in a table, or for a law what counts.
    pub pec: (u32, f64),
    /// Errors per KiB besides, in pages that tell erased cells from programmed ones.
    pub short_errors: f64,
}

impl Known {
    /// Nothing: no block has so many P/E cycles.
    pub const NOTHING: Self = Self { cycles: u32::MAX, pec: (0, 0.0), short_errors: 0.0 };
}
