//! Workloads by themselves, without a drive.

mod convert;
mod info;

pub use convert::trace_convert;
pub use info::trace_info;
