//! The simulator: a pure function of configuration, workload and seed.

pub mod config;
pub mod policy;
pub mod technique;
