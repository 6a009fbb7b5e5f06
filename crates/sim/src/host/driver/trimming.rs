//! Trims: what they take from the drive, and how long.

use super::Driver;
use crate::engine::Scheduler;
use crate::host::address::Coverage;
use crate::ids::Lpn;
use crate::nand::command::RequestId;
use crate::technique::Hooks;

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// Gives up the units that a trim covers whole. The map forgets them at once. The request ends when the controller
    /// has spent its time on it, and it works on one trim at a time.
    #[inline(never)]
    pub(super) fn trim(&mut self, lpns: &[Lpn], coverage: Coverage, id: Option<RequestId>) {
        let mut units = 0u64;
        for (index, &lpn) in lpns.iter().enumerate() {
            if coverage.is_whole(index, lpns.len()) {
                self.trim_unit(lpn);
                units += 1;
            }
        }
        let length_ns =
            self.times.trim_ns + (units as f64 * self.times.trim_unit_ns).round() as u64;
        if let Some(id) = id.filter(|_| length_ns > 0) {
            let now_ns = self.io.sched.now_ns();
            let start_ns = self.trims.reserve(now_ns, now_ns, length_ns);
            self.io.requests.add_part(id);
            self.io.requests.part_done(id, start_ns + length_ns);
        }
    }

    fn trim_unit(&mut self, lpn: Lpn) {
        if let Some(buffer) = &mut self.buffer {
            buffer.discard(lpn);
        }
        self.supersede(lpn);
        self.ftl.trim(&mut self.io, lpn);
    }
}
