//! Which stripe of RAID 5 has its turn, as Linux md chooses it (drivers/md/raid5.c: `__get_priority_stripe`,
//! `raid5_activate_delayed`), and which need none.

use super::Stripes;
use crate::array::cache::{Head, Queue, Sync};
use crate::array::core::{Core, Storage};
use crate::ids::HeadId;

impl Stripes {
    /// False where no stripe waits, but for others to write what they have read.
    #[inline(always)]
    pub fn may_handle(&self) -> bool {
        let waits = |queue| self.cache.waits(queue);
        self.cache.has_to_handle()
            || waits(Queue::Hold)
            || (self.prereading == 0 && waits(Queue::Delayed))
    }

    /// The stripe that is handled next. Those that need no read go first, and while whole stripes are being written
    /// those that were delayed wait, but not for ever (`__get_priority_stripe`).
    pub fn next(&mut self, threshold: u32) -> Option<HeadId> {
        // Once no stripe is left that may read and has not written, all that were delayed may read.
        if self.prereading == 0 {
            self.prereading = self.cache.allow_delayed();
        }
        if let Some(head) = self.cache.next_to_handle() {
            self.goes_ahead(head, threshold);
            return Some(head);
        }
        let is_passed_over = threshold > 0 && self.bypass_count > threshold;
        if self.cache.waits(Queue::Hold) && (self.full_writes == 0 || is_passed_over) {
            self.bypass_count = self.bypass_count.saturating_sub(threshold);
            return self.cache.pop(Queue::Hold);
        }
        None
    }

    /// A stripe is handled before those that were delayed.
    #[inline(always)]
    pub(super) fn goes_ahead(&mut self, head: HeadId, threshold: u32) {
        match self.cache.first(Queue::Hold) {
            None => self.bypass_count = 0,
            Some(_) if self.cache.head(head).has_started => {}
            Some(held) if held == self.last_hold => self.bypass_count += 1,
            Some(held) => {
                self.last_hold = held;
                self.bypass_count = self.bypass_count.saturating_sub(threshold);
            }
        }
    }

    /// A stripe waits until it may read.
    #[inline]
    pub(super) fn delay<S: Storage>(&mut self, head: HeadId, core: &mut Core<S>) {
        core.counts.delayed_stripes += 1;
        self.cache.put(head, Queue::Delayed);
    }

    /// The only stripe that waits to be handled is asked for nothing else before it is: most come to no more by that than
    /// to be delayed, and are at once.
    pub fn will_handle_alone<S: Storage>(&mut self, head: HeadId, core: &mut Core<S>) {
        if !self.will_be_delayed(head, core) {
            return self.cache.will_handle(head);
        }
        debug_assert!(!self.cache.has_to_handle(), "all that came before are handled");
        self.goes_ahead(head, core.rules.bypass_threshold);
        self.delay(head, core);
    }

    /// Whether a stripe that nothing is done with is only asked to write whole pages, and has to read for that.
    fn will_be_delayed<S: Storage>(&self, head: HeadId, core: &Core<S>) -> bool {
        let &Head { parity, sync, may_preread, ref pages, queue, .. } = &self.cache.heads[head];
        let is_busy = || !(pages.locked | pages.drained | pages.to_read | pages.partial).is_empty();
        let is_quiet = queue == Queue::None && sync == Sync::None && !is_busy();
        debug_assert!(!(is_quiet && may_preread), "it has not written since");
        let needs_reads = || {
            let to_modify = pages.lacked_to_modify(core.all_drives, parity);
            let to_reconstruct = pages.lacked_to_reconstruct(core.all_drives, parity);
            !core.rules.need_no_reads(to_modify, to_reconstruct)
        };
        is_quiet && needs_reads() && !core.bays.are_degraded()
    }
}
