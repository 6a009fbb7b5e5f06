//! Workloads by themselves, without a drive.

mod convert;
mod info;
mod synth;

pub use convert::{Report, trace_convert};
pub use info::{Info, trace_info};
pub use synth::{Synthesis, trace_fit, trace_synth};
