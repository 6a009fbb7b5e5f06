//! Centaur: its rules one step before each limit and at it, whole runs to a model of two maps.

mod by_range;
#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod composition;
mod dispatch;
mod given;
#[path = "../seams/harness.rs"]
#[allow(dead_code)]
mod harness;
mod merging;
mod migration;
mod model;
mod reference;
mod refusals;
mod rig;
mod rival;
mod room;
mod stealing;
mod superblocks;
