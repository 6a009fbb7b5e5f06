//! Wear levelling.

/// Names of the wear-levelling policies.
pub const NAMES: &[&str] = &["none", "dynamic", "static"];
