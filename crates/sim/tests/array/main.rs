//! Arrays: where pages lie, what a write costs, that every byte stays readable, and whole runs.

mod ahead;
#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod costs;
mod fake;
mod latencies;
mod layout;
mod model;
mod pacing;
mod refusals;
mod runs;
mod techniques;
mod told;
