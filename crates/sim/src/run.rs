//! A whole run: configuration and workload in, result out.

use crate::config::Config;
use crate::error::Error;
use crate::metrics::{Columns, RunResult};
use std::ops::ControlFlow;
use wordline_trace::Source;

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// `precondition` or `run`.
    pub phase: &'static str,
    /// Requests done.
    pub done: u64,
    /// Requests in all, where known.
    pub total: Option<u64>,
    /// Simulated time.
    pub simulated_ns: u64,
}

/// Told how far a run has come, every few milliseconds; may stop it.
pub trait Watch {
    /// Returns `Break` to stop the run.
    fn progress(&mut self, progress: Progress) -> ControlFlow<()>;
}

/// Watches nothing.
impl Watch for () {
    fn progress(&mut self, _: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// The result.
    pub result: RunResult,
    /// The time series; empty when not asked for.
    pub series: Columns,
    /// One row per request; empty when not asked for.
    pub records: Columns,
}

/// Runs `workload` on the drive of `config`.
///
/// # Errors
/// A drive that cannot work, a malformed trace, an address beyond the drive, or `watch` said stop.
pub fn simulate(
    config: &Config,
    workload: Box<dyn Source>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    let _ = (config, workload, watch);
    Err(Error::Stopped)
}

/// Bytes that the host can address, for generators that span the drive.
///
/// # Errors
/// A drive that cannot work.
pub fn logical_bytes(config: &Config) -> Result<u64, Error> {
    let _ = config;
    Err(Error::Stopped)
}
