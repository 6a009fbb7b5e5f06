//! lazyFTL: when second stages come, what they cost, and that no data outlives the mode in which it was
//! written.

mod asleep;
#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod deadlines;
mod drives;
mod margins;
mod overload;
mod power;
mod reference;
mod retries;
mod rig;
mod stages;
mod superblocks;
mod writes;
