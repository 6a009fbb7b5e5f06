//! Counters, latency histograms, time series, and the result made of them.

mod array;
mod breakdown;
mod causes;
mod columns;
mod counters;
mod interval;
mod latency;
mod life;
mod placement;
mod reads;
mod recorder;
mod result;
mod series;
mod steady;
mod wear;

pub use array::*;
pub use breakdown::{ArrayTime, Breakdown, FlashTime, LatencyBreakdown};
pub use causes::ByCause;
pub use columns::{Column, Columns, Values};
pub use counters::{Counters, StreamCounts, by_cause};
pub use latency::Latencies;
pub use life::{Age, Lived, Mark};
pub use placement::{FdpSummary, HandleSummary, PlacementEvents, UnitsSummary};
pub use reads::ReadsSummary;
pub use recorder::{Backlog, OfStream, Recorder};
pub use result::*;
pub use series::{Gauge, Sample, Series};
pub use steady::verdict;
pub use wear::{GroupWear, LifeWindow, WearSummary};
