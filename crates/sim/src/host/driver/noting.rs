//! Noting what the host asked for and was promised.

use super::Driver;
use crate::engine::Scheduler;
use crate::host::log::{HostLog, Noted, Touched};
use crate::ids::Lpn;
use crate::technique::Hooks;
use wordline_trace::Op;

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// Notes every request from now on; what the flash does has to be recorded.
    pub fn note_requests(&mut self) {
        self.log = Some(Box::default());
    }

    /// What was noted, which then ends.
    pub fn take_log(&mut self) -> Option<HostLog> {
        self.log.take().map(|log| *log)
    }

    /// The present by the clock of the recording.
    fn recorded_now(&self) -> u64 {
        let now_ns = self.io.sched.now_ns();
        self.ftl.chips().map_or(now_ns, |chips| chips.now(now_ns))
    }

    /// A request reaches the drive, which will take it.
    #[cold]
    pub(super) fn note(&mut self, (op, fua): (Op, bool), lpns: impl Iterator<Item = Lpn>) {
        let submitted = self.recorded_now();
        let is_change = matches!(op, Op::Write | Op::Trim) && !self.ftl.read_only;
        let mut units = Vec::new();
        if let Some(chips) = self.ftl.chips_mut().filter(|_| is_change) {
            let written = chips.written();
            units.extend(lpns.filter_map(|lpn| {
                let version = chips.next_version(lpn)?;
                Some(Touched { lpn, version, written })
            }));
        }
        if let Some(log) = &mut self.log {
            log.requests.push(Noted { op, fua, units, submitted, done: u64::MAX });
        }
    }

    /// A request that takes no time is over.
    #[cold]
    pub(super) fn note_end_at_once(&mut self) {
        let now = self.recorded_now();
        if let Some(last) = self.log.as_mut().and_then(|log| log.requests.last_mut()) {
            last.done = now;
        }
    }

    /// A request is over.
    #[cold]
    pub(super) fn note_end(&mut self, number: u64, done_ns: u64) {
        let noted = self.log.as_mut().and_then(|log| log.requests.get_mut(number as usize));
        if let Some(noted) = noted {
            noted.done = done_ns;
        }
    }
}
