//! Erase schemes.

/// Names of the erase schemes.
pub const NAMES: &[&str] = &["fixed"];
