//! LLH-FTL: each rule at its edge, lives of blocks by hand, and what its publication counts.

mod cells;
#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod drives;
#[allow(dead_code)]
#[path = "../seams/harness.rs"]
mod harness;
mod legality;
mod lives;
mod opening;
mod reference;
mod rig;
mod runs;
mod superblocks;
