//! Writes that are acknowledged from the controller's buffer.

use super::Driver;
use crate::engine::Scheduler;
use crate::host::ProgramBuffer;
use crate::nand::command::RequestId;
use crate::technique::Hooks;

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// A unit of the request `id`, if it has one, enters the buffer, or waits for room; returns what
    /// the end of its program is known by.
    pub(super) fn enter_buffer(&mut self, id: Option<RequestId>) -> Option<RequestId> {
        self.release_until(self.io.sched.now_ns());
        let (number, waits) = self.programs.as_mut()?.enter(id);
        self.io.counters.buffer_waits += u64::from(waits);
        if let Some(id) = id.filter(|_| waits) {
            self.io.requests.add_part(id);
            if S::ITEMISES {
                self.io.sched.waits_for_room(self.io.requests.of(id).number);
            }
        }
        Some(self.io.requests.start_unit(number))
    }

    /// What has been programmed until `now_ns` leaves the buffer.
    pub(super) fn release_until(&mut self, now_ns: u64) {
        let Some(programs) = &mut self.programs else { return };
        programs.release_until(now_ns, |id, at_ns| self.io.requests.part_done(id, at_ns));
    }

    /// Writes that wait for room get what there is. Where that is the rule, and nothing under way would make room, a
    /// program that is not full starts.
    pub(super) fn serve_buffer(&mut self) {
        loop {
            self.release_until(self.io.sched.now_ns());
            let unstarted = self.ftl.unstarted();
            let is_stuck = |programs: &ProgramBuffer| programs.is_stuck(unstarted);
            if self.ftl.starts_when_stuck() && self.programs.as_ref().is_some_and(is_stuck) {
                self.ftl.end_fullest_program(&mut self.io);
            } else if self.io.requests.finished.is_empty() {
                return;
            }
            self.record_finished();
        }
    }
}
