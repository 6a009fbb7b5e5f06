//! The erase schemes in a drive, held to closed forms, to the cell laboratory's tables, and to one
//! another.

#[allow(dead_code)]
#[path = "../engine/common.rs"]
mod common;
mod drive;
mod groups;
mod lifetimes;
mod pulses;
mod reads;
mod tables;
