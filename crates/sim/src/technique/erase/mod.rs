//! Erase schemes: one file each. They compose with every technique.

mod fixed;

use super::ErasePlan;
use crate::config::{ChipConfig, Config};
use crate::nand::{OpTable, PROGRAM, READ};

/// Plans the erase of a block from its history.
pub trait EraseScheme: Send {
    /// Appends the programs and reads of blocks that it has erased, where they differ.
    fn operations(&mut self, _table: &mut OpTable, _chip: &ChipConfig) {}

    /// The rows by which a block with `erases` P/E cycles behind it is programmed and read at the
    /// start of a run.
    fn first_rows(&self, _erases: u32) -> (u8, u8) {
        (PROGRAM, READ)
    }

    /// How `block`, with `erases` P/E cycles behind it, is erased.
    fn plan(&mut self, block: u32, erases: u32, table: &OpTable) -> ErasePlan;
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
