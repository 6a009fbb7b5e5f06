//! Statistics of workloads: against a naive reference, closed forms, and published excerpts.

mod closed_forms;
#[cfg(feature = "files")]
#[path = "../common/mod.rs"]
mod common;
mod given;
mod limits;
#[cfg(feature = "files")]
mod published;
mod reference;
