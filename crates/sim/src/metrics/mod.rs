//! Counters, latency histograms, time series, and the result made of them.

mod columns;
mod result;

pub use columns::{Column, Columns, Values};
pub use result::*;
