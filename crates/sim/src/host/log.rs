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
    /// Its number since the start of the run.
    pub number: u64,
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

/// Requests in the order in which the drive had them.
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
        (number, op, fua): (u64, Op, bool),
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
        self.requests.push(Noted { number, op, fua, units, submitted, done: u64::MAX });
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
        // Near its own place, unless it overtook others on a link.
        let requests = &mut self.requests;
        let is_own = |noted: &&mut Noted| noted.number == number;
        let own = match requests.get(number as usize) {
            Some(noted) if noted.number == number => requests.get_mut(number as usize),
            _ => requests.iter_mut().rev().find(is_own),
        };
        if let Some(noted) = own {
            noted.done = done_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HostLog, Noted};
    use wordline_trace::Op;

    #[test]
    fn a_request_that_overtook_others_is_found_by_its_number() {
        let noted = |number| {
            let (units, submitted, done) = (Vec::new(), 0, u64::MAX);
            Noted { number, op: Op::Write, fua: false, units, submitted, done }
        };
        let mut log = HostLog { requests: [2, 0, 1, 3].map(noted).to_vec() };
        (0..5).for_each(|number| log.end(number, 10 + number));
        let ends: Vec<u64> = log.requests.iter().map(|noted| noted.done).collect();
        assert_eq!(ends, [12, 10, 11, 13]);
    }
}
