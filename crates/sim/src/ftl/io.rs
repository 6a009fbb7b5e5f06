//! What the FTL needs to get anything done: a scheduler, the requests that wait, the counters.

use crate::engine::{Requests, Scheduler};
use crate::metrics::Counters;

/// The way from the FTL to time and figures.
#[derive(Debug)]
pub struct Io<S: Scheduler> {
    /// Turns operations into times.
    pub sched: S,
    /// Host requests in flight.
    pub requests: Requests,
    /// Running totals.
    pub counters: Counters,
}

impl<S: Scheduler> Io<S> {
    /// An idle drive with every figure at zero.
    pub fn new(sched: S) -> Self {
        Self { sched, requests: Requests::default(), counters: Counters::default() }
    }
}
