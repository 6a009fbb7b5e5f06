//! Interrupting what a die does for a host read.

use super::Queued;
use super::die::Activity;
use super::rules::{HOST_READ, HOST_WRITE, URGENT};
use crate::ids::{DieId, Id};
use crate::nand::Kind;

impl Queued {
    /// The array programs what has been loaded. A host read that came in the meantime may interrupt it at once,
    /// but no earlier: the data goes to the register that the read needs, and the die keeps it from its program on.
    #[inline(always)]
    pub(super) fn program(&mut self, index: u32, die: DieId, array_ns: u64) {
        self.run_array(index, die, array_ns, 0);
        if self.rules.suspend_loading && self.dies[die].queues.peek_class(HOST_READ).is_some() {
            self.suspend(die);
        }
    }

    /// Interrupts a program or an erase for a host read, where the rules allow it. What must be done now, or
    /// what holds that up, goes on: reads of its own pages may wait behind it, too.
    pub(super) fn suspend(&mut self, die: DieId) {
        let Activity::Array { index, left_ns, end_ns } = self.dies[die].activity else { return };
        if self.dies[die].loading.is_some() || self.a_write_has_waited(die, index) {
            return;
        }
        let entry = self.slab.get(index);
        let holds_up = self.dies[die].queues.peek_class(URGENT).is_some();
        if entry.class == URGENT || holds_up {
            return;
        }
        // While the array is only resuming, nothing of what was left has been done.
        let undone_ns = left_ns.min(end_ns - self.now_ns);
        let loops = self.slab.loops_of(index);
        let Some(left_ns) = self.rules.left_if_suspended(entry, loops, undone_ns) else { return };
        self.repeated_ns += left_ns - undone_ns;
        self.slab.get_mut(index).suspensions += 1;
        self.suspensions += 1;
        let state = &mut self.dies[die];
        state.suspended = Some((index, left_ns));
        state.activity = Activity::Suspending;
        state.awaited = self.events.add(die.number(), self.now_ns + self.rules.suspend_ns);
    }

    /// True where an erase is not to be suspended because a host write has waited too long for it.
    fn a_write_has_waited(&self, die: DieId, index: u32) -> bool {
        let Some(limit_ns) = self.rules.write_wait_ns else { return false };
        let oldest = self.dies[die].queues.peek_class(HOST_WRITE);
        let is_old = |write: u32| self.now_ns - self.slab.get(write).issued_ns >= limit_ns;
        self.slab.get(index).op.kind == Kind::Erase && oldest.is_some_and(is_old)
    }
}
