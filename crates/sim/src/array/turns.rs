//! Which stripe of RAID 5 has its turn, as Linux md chooses it (drivers/md/raid5.c: `__get_priority_stripe`,
//! `raid5_activate_delayed`), and which need none.

use super::contents::Contents;
use super::machine::Array;
use super::member::Member;
use super::stripes::{Head, Queue, Sync};
use crate::ids::HeadId;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// False where no stripe waits, but for others to write what they have read.
    #[inline(always)]
    pub(super) fn may_handle(&self) -> bool {
        let waits = |queue| self.cache.waits(queue);
        self.cache.has_to_handle()
            || waits(Queue::Hold)
            || (self.prereading == 0 && waits(Queue::Delayed))
    }

    /// Handles the stripes that can be.
    pub(super) fn handle_stripes(&mut self) {
        loop {
            // Once no stripe is left that may read and has not written, all that were delayed may read.
            if self.prereading == 0 {
                self.prereading = self.cache.allow_delayed();
            }
            let Some(head) = self.next_stripe() else { return };
            self.handle(head);
        }
    }

    /// Stripes that need no read go first, and while whole stripes are being written those that
    /// were delayed wait, but not for ever (`__get_priority_stripe`).
    fn next_stripe(&mut self) -> Option<HeadId> {
        if let Some(head) = self.cache.next_to_handle() {
            self.goes_ahead(head);
            return Some(head);
        }
        let threshold = self.core.rules.bypass_threshold;
        let is_passed_over = threshold > 0 && self.bypassed > threshold;
        if self.cache.waits(Queue::Hold) && (self.full_writes == 0 || is_passed_over) {
            self.bypassed = self.bypassed.saturating_sub(threshold);
            return self.cache.pop(Queue::Hold);
        }
        None
    }

    /// A stripe is handled before those that were delayed.
    #[inline(always)]
    pub(super) fn goes_ahead(&mut self, head: HeadId) {
        match self.cache.first(Queue::Hold) {
            None => self.bypassed = 0,
            Some(_) if self.cache.head(head).has_started => {}
            Some(held) if held == self.last_held => self.bypassed += 1,
            Some(held) => {
                self.last_held = held;
                self.bypassed = self.bypassed.saturating_sub(self.core.rules.bypass_threshold);
            }
        }
    }

    /// A stripe waits until it may read.
    #[inline]
    pub(super) fn delay(&mut self, head: HeadId) {
        self.core.counts.delayed_stripes += 1;
        self.cache.put(head, Queue::Delayed);
    }

    /// The only stripe that waits to be handled is asked for nothing else before it is: most come to no more by that than
    /// to be delayed, and are at once.
    pub(super) fn will_handle_alone(&mut self, head: HeadId) {
        if !self.will_be_delayed(head) {
            return self.cache.will_handle(head);
        }
        debug_assert!(!self.cache.has_to_handle(), "all that came before are handled");
        self.goes_ahead(head);
        self.delay(head);
    }

    /// True for a stripe that nothing is done with and that is only asked to write whole pages, if it has to read for that.
    fn will_be_delayed(&self, head: HeadId) -> bool {
        let &Head { parity, sync, may_preread, ref pages, queue, .. } = &self.cache.heads[head];
        let is_busy = || !(pages.locked | pages.drained | pages.to_read | pages.partial).is_empty();
        let is_quiet = queue == Queue::None && sync == Sync::None && !is_busy();
        debug_assert!(!(is_quiet && may_preread), "it has not written since");
        is_quiet && !self.lacks_nothing(pages, parity) && !self.core.bays.are_degraded()
    }

    /// True for a stripe that could do nothing if it were handled before more of its reads and writes end.
    #[inline(always)]
    pub(super) fn only_waits(&self, head: HeadId) -> bool {
        let Head { parity, sync, is_full_write, pages, queue, .. } = &self.cache.heads[head];
        let ends_writes = || {
            !pages.locked.has(*parity)
                && (*is_full_write || !(pages.drained & !pages.locked).is_empty())
        };
        let is_asked = || *sync != Sync::None || !(pages.to_read | pages.partial).is_empty();
        let waits = !pages.locked.is_empty()
            && (pages.to_write.is_empty() || self.lacks_nothing(pages, *parity))
            && !ends_writes()
            && !is_asked()
            && !self.core.bays.are_degraded();
        // Those that wait to read lack something for their writes, and pages that end do not change that.
        debug_assert!(!waits || matches!(queue, Queue::None | Queue::Handle), "{queue:?}");
        waits
    }
}
