//! Workloads: readers and writers of block traces, generators, statistics. Knows nothing of the simulator.

#[cfg(feature = "files")]
mod compact;
mod error;
pub mod generate;
#[cfg(feature = "files")]
mod phases;
pub mod plausibility;
pub mod quantity;
#[cfg(feature = "files")]
pub mod read;
mod request;
pub mod shape;
mod spec;
pub mod stats;
pub mod suggest;
mod totals;
pub mod twin;
#[cfg(feature = "files")]
mod workload;
#[cfg(feature = "files")]
pub mod write;

pub use error::Error;
pub use generate::{GeneratorContext, GeneratorDecl, GeneratorParam, generators};
#[cfg(feature = "files")]
pub use read::{FormatDecl, Opened, TimeUnit, TraceInfo, formats, open};
pub use request::{Op, PlacementId, Position, Request, Skipped, Source, VOLUMES, has_times};
pub use spec::from_spec;
pub use totals::{Totals, read_all_count};
#[cfg(feature = "files")]
pub use workload::{Shaped, open_shaped, open_workload};
