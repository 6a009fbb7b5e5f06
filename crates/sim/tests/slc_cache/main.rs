//! The SLC cache: what it takes to the unit, how it hands data on, and what that costs.

mod capacity;
#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod drives;
mod folding;
mod handles;
#[allow(dead_code)]
#[path = "../seams/harness.rs"]
mod harness;
mod in_place;
mod presets;
mod rig;
mod speeds;
mod superblocks;
mod wear;
