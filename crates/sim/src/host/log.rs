//! What the host asked for and was promised, for whoever asks afterwards what a power cut would have taken.

use super::Device;
use crate::engine::Scheduler;
use crate::ids::Lpn;
use crate::technique::Hooks;
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

impl HostLog {
    /// A request reaches a drive, which will take it; what its flash does has to be recorded.
    #[cold]
    pub(super) fn note<T: Hooks, S: Scheduler>(
        &mut self,
        device: &mut Device<T, S>,
        (op, fua): (Op, bool),
        lpns: impl Iterator<Item = Lpn>,
    ) {
        let submitted = device.recorded_now();
        let is_change = matches!(op, Op::Write | Op::Trim) && !device.ftl.read_only;
        let mut units = Vec::new();
        if let Some(chips) = device.ftl.door.chips.as_mut().filter(|_| is_change) {
            let written = chips.written();
            units.extend(lpns.filter_map(|lpn| {
                let version = chips.next_version(lpn)?;
                Some(Touched { lpn, version, written })
            }));
        }
        self.requests.push(Noted { op, fua, units, submitted, done: u64::MAX });
    }

    /// A request that takes no time is over.
    #[cold]
    pub(super) fn end_last(&mut self, now: u64) {
        if let Some(last) = self.requests.last_mut() {
            last.done = now;
        }
    }

    /// A request is over.
    #[cold]
    pub(crate) fn end(&mut self, number: u64, done_ns: u64) {
        if let Some(noted) = self.requests.get_mut(number as usize) {
            noted.done = done_ns;
        }
    }
}
