//! What the host asked for and was promised, for whoever asks afterwards what a power cut would have taken.

use crate::ids::Lpn;
use wordline_trace::Op;

/// A unit that a request wrote or trimmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// The unit.
    pub lpn: Lpn,
    /// Its version from then on.
    pub version: u32,
    /// The number of the unit that the drive had written last.
    pub written: u64,
}

/// A request. Times are by the clock of the flash's [`Recording`](crate::flash::Recording).
#[derive(Debug, Clone)]
pub struct Noted {
    /// What it asked for.
    pub op: Op,
    /// True for a write that is durable before it is acknowledged.
    pub fua: bool,
    /// What it wrote or trimmed.
    pub units: Vec<Touched>,
    /// When the drive had it.
    pub submitted: u64,
    /// When it was acknowledged; `u64::MAX`: never.
    pub done: u64,
}

/// Requests in their order.
#[derive(Debug, Clone, Default)]
pub struct HostLog {
    /// The requests.
    pub requests: Vec<Noted>,
}
