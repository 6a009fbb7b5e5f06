//! Which writes belong together.

/// Names of the hotness policies.
pub const NAMES: &[&str] = &["none", "size", "interval", "sequence", "oracle"];
