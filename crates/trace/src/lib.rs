//! Workloads: readers of block traces, generators, statistics. Knows nothing of the simulator.

mod error;
mod request;

pub use error::Error;
pub use request::{Op, Request, Source};
