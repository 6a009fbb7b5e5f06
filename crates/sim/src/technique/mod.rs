//! Techniques: one file each. A technique crosses the slots that policies fill; its hooks default
//! to the conventional drive, and it says which of them it claims.
//!
//! The hooks come in four groups, each of which can be learned alone: [`Placement`] says where data goes,
//! [`Cells`] what the flash does, [`Background`] what is done in idle time, and an [`Observer`] is told.
//!
//! To add one: a file with its parameters, its hooks and an [`Entry`], and a line in [`ENTRIES`].

mod background;
mod cells;
pub mod centaur;
mod conventional;
pub mod erase;
mod hooks;
pub mod lazy_ftl;
pub mod llh_ftl;
mod observer;
mod placement;
pub mod ressd;
pub mod slc_cache;
mod stack;

use crate::declare::TechniqueDecl;
use crate::drive::DriveState;
use crate::error::Error;
use crate::schema::Config;
use serde_json::{Map, Value};

pub use background::{Apply, Background, Idle, Moment, Outage};
pub use cells::{Cells, Codec, Data, ErasePlan, ReadPlan};
pub use conventional::Conventional;
pub use hooks::{Alone, Hooks};
pub use observer::Observer;
pub use placement::{Ends, Joined, Open, Over, Place, Placement, Wait, Write};
pub use stack::Stack;

/// A hook that a technique may claim; each is claimed by one technique at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// Where a unit goes.
    Placement,
    /// What reclaiming a block costs.
    VictimCost,
    /// How a block is erased.
    ErasePlan,
    /// How a page is read.
    ReadPlan,
    /// What is read or written besides the data.
    Codec,
    /// What happens when the drive has nothing to do.
    Idle,
}

/// A technique: the four groups of hooks, those that it does not need left empty.
pub trait Technique: Placement + Cells + Background + Observer {
    /// The hooks that it claims.
    fn claims(&self) -> &[Hook] {
        &[]
    }

    /// What it reports.
    fn metrics(&self, _state: &DriveState) -> Map<String, Value> {
        Map::new()
    }

    /// A promise that it did not keep, with what it was about: the run ends with an error. Asked now and then,
    /// and when the run is over.
    fn broken(&self, _state: &DriveState) -> Option<String> {
        None
    }

    /// What a reader must know of its parameters before believing the figures.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Builds a technique from its own table and the whole configuration.
pub type Build = fn(&toml::Table, &Config) -> Result<Box<dyn Technique>, Error>;

/// A technique's entry in the list.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name in a configuration, its parameters and their defaults.
    pub declaration: TechniqueDecl,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Builds it from its own table.
    pub build: Build,
}

/// The techniques.
pub const ENTRIES: &[Entry] =
    &[ressd::ENTRY, llh_ftl::ENTRY, centaur::ENTRY, slc_cache::ENTRY, lazy_ftl::ENTRY];

/// The technique of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.declaration.name == name)
}
