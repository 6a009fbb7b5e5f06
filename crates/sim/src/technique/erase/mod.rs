//! Erase schemes: one file each. They compose with every technique.

mod fixed;

use super::ErasePlan;
use crate::config::Config;
use crate::drive::DriveState;
use crate::nand::{Flash, OpTable, Rows};

/// Plans the erase of a block from its history.
pub trait EraseScheme: Send {
    /// Appends the programs and reads of blocks that it has erased, where they differ.
    /// Called for each kind of flash in turn.
    fn operations(&mut self, _table: &mut OpTable, _flash: &Flash<'_>) {}

    /// The rows by which a block with `erases` P/E cycles behind it is programmed and read at the
    /// start of a run; `rows` are the conventional ones of its flash.
    fn first_rows(&self, _erases: u32, rows: Rows) -> (u8, u8) {
        (rows.program, rows.read)
    }

    /// How a block is erased.
    fn plan(&mut self, state: &DriveState, block: u32) -> ErasePlan;
}

/// A scheme's entry in the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name in a configuration.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    build: fn(&Config) -> Box<dyn EraseScheme>,
}

/// The schemes.
pub const ENTRIES: &[Entry] = &[fixed::ENTRY];

/// Their names.
pub const NAMES: &[&str] = &[fixed::ENTRY.name];

/// The scheme that `config` names.
///
/// # Panics
/// If the name is not in [`NAMES`]; configurations are checked on load.
pub fn build(config: &Config) -> Box<dyn EraseScheme> {
    let entry = ENTRIES.iter().find(|entry| entry.name == config.erase.scheme);
    (entry.expect("the name was checked on load").build)(config)
}
