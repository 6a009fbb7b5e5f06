//! Interrupting what a die does for a host read.

use super::die::{Activity, Die};
use super::rules::{HOST_READ, HOST_WRITE, URGENT};
use super::shared::Shared;
use crate::ids::Id;
use crate::nand::Kind;

impl Shared {
    /// The array programs what has been loaded. A host read that came in the meantime may interrupt it at once,
    /// but no earlier: the data goes to the register that the read needs, and the die keeps it from its program on.
    #[inline(always)]
    pub fn program(&mut self, die: &mut Die, index: u32, array_ns: u64) {
        self.run_program(die, index, array_ns, self.now_ns);
        if self.rules.suspend_loading && die.queues.peek_class(HOST_READ).is_some() {
            self.suspend(die);
        }
    }

    /// Interrupts a program or an erase for a host read, where the rules allow it. What must be done now, or
    /// what holds that up, goes on: reads of its own pages may wait behind it, too.
    #[inline(never)]
    pub fn suspend(&mut self, die: &mut Die) {
        let Activity::Array { index, left_ns, end_ns } = die.activity else { return };
        let is_loading = die.loading.is_some() || self.now_ns < die.loaded_ns;
        if is_loading || self.a_write_has_waited(die, index) {
            return;
        }
        let entry = self.slab.get(index);
        let holds_up = die.queues.peek_class(URGENT).is_some();
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
        die.suspended = Some((index, left_ns));
        die.activity = Activity::Suspending;
        die.awaited = self.events.add(die.id.number(), self.now_ns + self.rules.suspend_ns);
    }

    /// Whether an erase is not to be suspended because a host write has waited too long for it.
    fn a_write_has_waited(&self, die: &Die, index: u32) -> bool {
        let Some(limit_ns) = self.rules.write_wait_ns else { return false };
        let is_old = |write: u32| self.now_ns - self.slab.get(write).issued_ns >= limit_ns;
        // The first is the oldest, unless classes say otherwise.
        let looked_at = if self.classes.is_some() { usize::MAX } else { 1 };
        let mut writes = die.queues.of_class(HOST_WRITE, &self.slab).take(looked_at);
        self.slab.get(index).op.kind == Kind::Erase && writes.any(is_old)
    }
}
