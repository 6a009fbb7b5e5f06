//! lazyFTL: when second stages come, what they cost, and that no data outlives the mode in which it was
//! written.

#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod deadlines;
mod drives;
mod rig;
mod stages;
