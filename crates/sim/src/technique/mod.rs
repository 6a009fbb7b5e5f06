//! Techniques: a folder each. A technique crosses the slots that policies fill; its hooks default
//! to the conventional drive, and its [`Profile`] says which of them it answers.
//!
//! The hooks come in parts, each of which can be learned alone: [`Placement`] says where data goes, [`Cells`] what
//! the flash does, and an [`Observer`] is told. What one technique alone is asked stands in its own folder, behind a
//! door of [`Technique`]. A technique works on the whole drive, or on one group of its dies.
//!
//! To add one: a folder with its parameters, its hooks and an [`Entry`], and a line in [`ENTRIES`].

mod cells;
pub mod centaur;
mod conventional;
mod die_group;
pub mod erase;
mod hooks;
mod idle;
pub mod lazy_ftl;
pub mod llh_ftl;
mod observer;
mod placement;
mod profile;
pub mod ressd;
pub mod slc_cache;
mod stack;
pub mod superblocks;
mod write;

use crate::declare::TechniqueDecl;
use crate::drive::DriveState;
use crate::error::Error;
use crate::metrics::{Counters, Gauge};
use crate::nand::Load;
use serde_json::{Map, Value};
use superblocks::View;

pub use crate::util::Few;
pub use cells::{Cells, Data, ErasePlan, PageRead};
pub use centaur::{Asked, Ends, Ready, Route, Routing};
pub use conventional::{Conventional, NoTechnique, Watched};
pub use hooks::{Hooks, OwnStreams};
pub use idle::{Apply, Idle};
pub use lazy_ftl::{Outage, Promises};
pub use llh_ftl::Rounds;
pub use observer::{Observer, Phase};
pub use placement::{Joined, Open, Over, Place, Placement};
pub use profile::{Hook, Profile};
pub use ressd::Refill;
pub use slc_cache::SetAside;
pub use stack::Stack;
pub use write::{Unwritten, Write};

/// A technique: what it is asked and told, those parts that it does not need left empty.
pub trait Technique: Placement + Cells + Observer {
    /// The hooks that it answers, and the space that it takes. Asked while the drive is built.
    fn profile(&self) -> Profile {
        Profile::default()
    }

    /// Something that may be done in an idle moment, if it lists [`Hook::Idle`]. Asked again after each step, once
    /// those that the configuration names before it have nothing to do; with nothing to do, not before the host
    /// has asked something.
    fn idle(&mut self, _state: &DriveState, _load: &dyn Load, _now_ns: u64) -> Idle {
        Idle::Nothing
    }

    /// Its own figures, beside what the whole drive has counted.
    fn metrics(&self, _state: &DriveState, _counters: &Counters) -> Map<String, Value> {
        Map::new()
    }

    /// Its figures for the time series, by names of its own: asked at every point.
    fn gauges(&self, _state: &DriveState) -> Vec<Gauge> {
        Vec::new()
    }

    /// What a reader must know of its parameters, and of how the run went, before believing the figures.
    fn warnings(&self, _state: &DriveState) -> Vec<String> {
        Vec::new()
    }

    /// Which group of dies takes data, if it lists [`Hook::Route`]; what victims cost, if [`Hook::VictimCost`].
    fn routing(&self) -> Option<&dyn Routing> {
        None
    }

    /// [`Technique::routing`], to ask what may change it.
    fn routing_mut(&mut self) -> Option<&mut dyn Routing> {
        None
    }

    /// Blocks that are filled in rounds, by steps, if it lists [`Hook::Placement`].
    fn rounds(&mut self) -> Option<&mut dyn Rounds> {
        None
    }

    /// Data that it moves to fill programs of others, if it lists [`Hook::Companion`] or [`Hook::Clear`].
    fn refill(&mut self) -> Option<&mut dyn Refill> {
        None
    }

    /// What it must do by some time, if it lists [`Hook::Promises`].
    fn promises(&self) -> Option<&dyn Promises> {
        None
    }

    /// [`Technique::promises`], to ask and tell what may change it.
    fn promises_mut(&mut self) -> Option<&mut dyn Promises> {
        None
    }

    /// Blocks that only its streams may take, if it sets some aside.
    fn set_aside(&self) -> Option<&dyn SetAside> {
        None
    }
}

/// Builds a technique from its own table, for the drive that the FTL sees.
pub type Build = fn(&toml::Table, &View<'_>) -> Result<Box<dyn Technique>, Error>;

/// Superblocks in which a technique works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InSuperblocks {
    /// Any.
    All,
    /// Those each of whose programs takes data in one plane; with why no others.
    Dense(&'static str),
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
