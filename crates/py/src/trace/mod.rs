//! Workloads by themselves, without a drive.

mod convert;
mod info;
mod synth;

pub use convert::trace_convert;
pub use info::trace_info;
pub use synth::{trace_fit, trace_synth};
