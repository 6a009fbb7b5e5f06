//! Where the map lives: whole in DRAM, or demand-paged.

mod dftl;

use crate::declare::PolicyDecl;
use crate::schema::{MapCacheChoice, MapCacheConfig};

pub use dftl::{Access, MapCache};

/// A policy's entry in the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What it does, and the parameters of `[ftl.map_cache]` that it has.
    pub declaration: PolicyDecl,
    build: fn(&MapCacheConfig, u64) -> Option<MapCache>,
}

const FULL: Entry = Entry {
    declaration: PolicyDecl { summary: "the whole map in DRAM", keys: &[] },
    build: |_, _| None,
};

/// The entry of a policy.
pub fn entry(policy: MapCacheChoice) -> &'static Entry {
    match policy {
        MapCacheChoice::Full => &FULL,
        MapCacheChoice::Dftl => &dftl::ENTRY,
    }
}

/// The cache of `config`, for translation pages of one unit; `None` where the whole map is in DRAM.
pub fn build(config: &MapCacheConfig, unit_bytes: u64) -> Option<MapCache> {
    (entry(config.policy).build)(config, unit_bytes)
}
