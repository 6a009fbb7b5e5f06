//! The simulator: a pure function of configuration, workload and seed.

pub mod config;
pub mod metrics;
pub mod policy;
pub mod technique;
pub mod theory;

mod error;
mod run;

pub use error::Error;
pub use run::{Outcome, Progress, Watch, logical_bytes, simulate};

/// The version that results carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
