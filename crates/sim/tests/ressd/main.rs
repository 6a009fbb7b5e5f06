//! ReSSD: its word lines held to the cell's states, its blocks to the published example and to counts
//! by hand, whole runs to what must be conserved.

mod blocks;
#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod drives;
mod hotness;
mod mirror;
mod power;
mod rig;
mod runs;
mod status;
