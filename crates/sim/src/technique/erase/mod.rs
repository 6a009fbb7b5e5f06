//! Erase schemes: one file each. They compose with every technique.

mod fixed;

use super::ErasePlan;
use crate::config::Config;
use crate::nand::OpTable;

/// Plans the erase of a block from its history.
pub trait EraseScheme: Send {
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
