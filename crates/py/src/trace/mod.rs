//! Workloads by themselves, without a drive.

mod info;

pub use info::trace_info;
