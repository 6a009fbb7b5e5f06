//! Counts by who asked.

use serde::Serialize;

/// Pages by who asked for them.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByCause {
    /// For the host's requests.
    pub host: u64,
    /// For garbage collection.
    pub gc: u64,
    /// For the map, where it is kept in flash.
    pub mapping: u64,
    /// For wear levelling.
    pub wear: u64,
    /// For techniques.
    pub technique: u64,
    /// For metadata that outlasts power cuts.
    pub metadata: u64,
    /// For refresh.
    pub refresh: u64,
    /// For read reclaim.
    pub reclaim: u64,
}

impl ByCause {
    /// All causes together.
    pub fn total(&self) -> u64 {
        let Self { host, gc, mapping, wear, technique, metadata, refresh, reclaim } = self;
        host + gc + mapping + wear + technique + metadata + refresh + reclaim
    }
}
