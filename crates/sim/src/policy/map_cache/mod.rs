//! Where the map lives.

/// Names of the mapping caches.
pub const NAMES: &[&str] = &["full", "dftl"];
