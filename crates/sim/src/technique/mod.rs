//! Techniques: one file each. A technique crosses the slots that policies fill; its hooks default
//! to the conventional drive, and it says which of them it claims.
//!
//! The hooks come in five parts, each of which can be learned alone: [`Routing`] says which group of dies takes
//! data, [`Placement`] where it goes there, [`Cells`] what the flash does, [`Background`] what is done in idle
//! time, and an [`Observer`] is told. A technique works on the whole drive, or on one group of its dies.
//!
//! To add one: a file with its parameters, its hooks and an [`Entry`], and a line in [`ENTRIES`].

mod background;
mod cells;
pub mod centaur;
mod conventional;
mod die_group;
pub mod erase;
mod hooks;
pub mod lazy_ftl;
pub mod llh_ftl;
mod observer;
mod placement;
pub mod ressd;
mod routing;
pub mod slc_cache;
mod stack;
mod write;

use crate::declare::TechniqueDecl;
use crate::drive::DriveState;
use crate::error::Error;
use crate::metrics::{Counters, Gauge};
use crate::schema::Config;
use serde_json::{Map, Value};

pub use crate::util::Few;
pub use background::{Apply, Background, Idle, Moment, Outage};
pub use cells::{Cells, Codec, Data, ErasePlan};
pub use conventional::Conventional;
pub use hooks::{Alone, Hooks, OwnStreams};
pub use observer::Observer;
pub use placement::{Joined, Open, Over, Place, Placement};
pub use routing::{Asked, Ends, Ready, Route, Routing};
pub use stack::Stack;
pub use write::{Unwritten, Write};

/// A hook that a technique may claim, on the dies on which it works: of each group one technique at most
/// claims it, [`Hook::Route`] and [`Hook::Idle`] one of the whole drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// Which group of dies takes a unit.
    Route,
    /// Where a unit goes in a group.
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

/// A technique: the five parts of hooks, those that it does not need left empty.
pub trait Technique: Routing + Placement + Cells + Background + Observer {
    /// The one group of dies on which it works, an index of [`Geometry::groups`](crate::nand::Geometry::groups);
    /// `None`: the whole drive. It is asked and told of nothing else.
    fn group(&self) -> Option<usize> {
        None
    }

    /// The hooks that it claims.
    fn claims(&self) -> &[Hook] {
        &[]
    }

    /// What it reports.
    fn metrics(&self, _state: &DriveState) -> Map<String, Value> {
        Map::new()
    }

    /// What it reports beside what the whole drive has counted.
    fn metrics_of(&self, _counters: &Counters) -> Map<String, Value> {
        Map::new()
    }

    /// Its figures for the time series, by names of its own: asked at every point.
    fn gauges(&self, _state: &DriveState) -> Vec<Gauge> {
        Vec::new()
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

    /// What a reader must know of how the run went, beside them.
    fn warnings_of(&self, _state: &DriveState) -> Vec<String> {
        Vec::new()
    }

    /// How long the dies would take for what it has put off to make data last.
    fn owed_ns(&self, _state: &DriveState) -> u64 {
        0
    }
}

/// Builds a technique from its own table and the whole configuration.
pub type Build = fn(&toml::Table, &Config) -> Result<Box<dyn Technique>, Error>;

/// Superblocks in which a technique works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InSuperblocks {
    /// Any.
    All,
    /// Those each of whose programs takes data in one plane; with why no others.
    Dense(&'static str),
    /// None, with why.
    None(&'static str),
}

/// A technique's entry in the list.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name in a configuration, its parameters and their defaults.
    pub declaration: TechniqueDecl,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Superblocks in which it works.
    pub in_superblocks: InSuperblocks,
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
