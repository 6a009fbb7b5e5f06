//! Erase schemes: one file each. They compose with every technique.
//!
//! To add one: a file with its parameters, its hooks and an [`Entry`], and a line in [`ENTRIES`].

mod aero;
mod blocks;
mod by_group;
mod cells;
mod common;
mod curves;
mod dpes;
mod fixed;
mod i_ispe;
mod ispe;
mod life;
mod prediction;
mod pulsed;
mod reo;
mod tables;

use super::ErasePlan;
use crate::declare::TechniqueDecl;
use crate::drive::DriveState;
use crate::error::Error;
use crate::ids::BlockId;
use crate::nand::{Flash, OpTable};
use crate::reliability::ErasedCells;
use crate::schema::{Config, SchemeChoice};
use cells::Borrowed;
pub use life::{Age, Life, life};
use serde_json::{Map, Value};

/// Reads a text as a table of pulses, and asks it something: for fuzz targets.
#[cfg(feature = "fuzzing")]
pub fn read_tables(text: &str) {
    cells::read_table(text);
}

/// Plans the erase of a block from its history, and what follows from it for programs and reads.
///
/// Blocks are those of the flash ([`DriveState::flash`]), of which superblocks are put together.
pub trait EraseScheme: Send {
    /// Appends the programs and reads of blocks that it has erased, where they differ
    /// ([`OpTable::slow_down`] says how a technique's own programs follow). Called for each kind of
    /// flash in turn.
    fn operations(&mut self, _table: &mut OpTable, _flash: &Flash<'_>) {}

    /// The drive is built, its blocks at the P/E cycles of the start: room for what it notes of each.
    fn begin(&mut self, _state: &DriveState) {}

    /// What it reports counts from here on: what came before only warmed the drive up.
    fn count_anew(&mut self) {}

    /// The rows by which a block is programmed and read at the start of a run.
    fn first_rows(&mut self, state: &DriveState, block: BlockId) -> (u8, u8) {
        let rows = state.ops.of_group(state.geometry.group_of(block));
        (rows.program, rows.read)
    }

    /// How a block is erased, now that it holds no valid data. Called once for each erase.
    fn plan(&mut self, state: &DriveState, block: BlockId) -> ErasePlan;

    /// Errors of the worst page of a block after a year, per KiB, mean over blocks; `None` where it
    /// knows nothing of damage.
    fn errors_mean(&self) -> Option<f64> {
        None
    }

    /// Errors per KiB of the code's margin that an erase of a group may spend by ending short of what its block
    /// needs.
    fn errors_spent(&self, _group: usize) -> f64 {
        0.0
    }

    /// Whether a plan may retire a block of that kind of flash: GC then keeps an erased block in
    /// reserve for the one that it loses.
    fn may_retire(&self, _group: usize) -> bool {
        true
    }

    /// Whose cells it erases in a kind of flash, where it goes by the tables of a chip: pages have the errors of these.
    fn erased_cells(&self, _group: usize) -> Option<ErasedCells> {
        None
    }

    /// P/E cycles by ISPE that do as much damage as a block has taken: its own, where it knows nothing of damage.
    fn equivalent_pec(&self, state: &DriveState, block: BlockId) -> f64 {
        f64::from(state.cycles_of(block))
    }

    /// Errors per KiB that a block has because its last erase left it short, in pages that tell erased cells from
    /// programmed ones.
    fn short_errors(&self, _state: &DriveState, _block: BlockId) -> f64 {
        0.0
    }

    /// How blocks age that it erases, without a drive; `None` where it knows nothing of damage.
    fn life(&self) -> Option<Life> {
        None
    }

    /// What it reports.
    fn metrics(&self, _state: &DriveState) -> Map<String, Value> {
        Map::new()
    }

    /// What a reader must know of it before believing the figures.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Builds a scheme from its own table, `[erase.NAME]`, and the whole configuration.
pub type Build = fn(&toml::Table, &Config) -> Result<Box<dyn EraseScheme>, Error>;

/// A scheme's entry in the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name in a configuration, its parameters and their defaults.
    pub declaration: TechniqueDecl,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Builds it.
    pub build: Build,
}

/// The schemes.
pub const ENTRIES: &[Entry] =
    &[fixed::ENTRY, ispe::ENTRY, i_ispe::ENTRY, dpes::ENTRY, aero::ENTRY, reo::ENTRY];

/// The entry of a scheme.
pub fn entry(scheme: SchemeChoice) -> &'static Entry {
    match scheme {
        SchemeChoice::Fixed => &fixed::ENTRY,
        SchemeChoice::Ispe => &ispe::ENTRY,
        SchemeChoice::IIspe => &i_ispe::ENTRY,
        SchemeChoice::Dpes => &dpes::ENTRY,
        SchemeChoice::Aero => &aero::ENTRY,
        SchemeChoice::Reo => &reo::ENTRY,
    }
}

/// The declaration of the scheme of that name.
pub fn find(name: &str) -> Option<&'static TechniqueDecl> {
    ENTRIES.iter().map(|entry| &entry.declaration).find(|declaration| declaration.name == name)
}

/// The scheme that `config` names, or those of its groups.
///
/// # Errors
/// Parameters that contradict one another.
pub fn build(config: &Config) -> Result<Box<dyn EraseScheme>, Error> {
    let of_groups = config.schemes();
    match of_groups.iter().all(|&scheme| scheme == of_groups[0]) {
        true => build_one(of_groups[0], config),
        false => by_group::build(&of_groups, config),
    }
}

fn build_one(scheme: SchemeChoice, config: &Config) -> Result<Box<dyn EraseScheme>, Error> {
    let entry = entry(scheme);
    let given = config.erase.schemes.get(scheme.name()).and_then(toml::Value::as_table).cloned();
    (entry.build)(&given.unwrap_or_else(entry.declaration.defaults), config)
}
