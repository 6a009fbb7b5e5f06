//! Stripes of RAID 5, as Linux md handles them (drivers/md/raid5.c: `handle_stripe`,
//! `handle_stripe_dirtying`, `need_this_block`, `schedule_reconstruction`).

use super::Stripes;
use crate::array::cache::{Head, Pages, Sync};
use crate::array::contents::Contents;
use crate::array::core::{Core, Storage};
use crate::array::drive_set::DriveSet;
use crate::array::pages::{Cached, Logged};
use crate::ids::{DriveId, HeadId, StripeId};
use crate::schema::Rmw;

/// A stripe that is being handled, as it was found.
#[derive(Debug, Clone, Copy)]
struct Survey {
    head: HeadId,
    parity: DriveId,
    /// The drive whose page of this stripe cannot be read, if there is one.
    failed: DriveSet,
    /// The pages that were known, and those that have been computed since.
    uptodate: DriveSet,
    syncs: bool,
    may_preread: bool,
}

impl Stripes {
    /// Handles a stripe; returns it where a rebuild or scrub wanted it and it is whole now.
    pub fn handle<S: Storage>(&mut self, head: HeadId, core: &mut Core<S>) -> Option<StripeId> {
        self.complete_writes(head, core);
        let &mut Head { stripe, parity, sync, may_preread, pages, .. } = self.cache.head(head);
        let failed = core.bays.unreadable(stripe);
        let syncs = sync == Sync::Wanted;
        // Made where it is asked for: most stripes need none in memory.
        let survey = |uptodate| Survey { head, parity, failed, uptodate, syncs, may_preread };
        let (uptodate, pages) = match syncs || !(failed | pages.to_read | pages.partial).is_empty()
        {
            true => (self.fill(survey(pages.uptodate), core), *self.cache.pages(head)),
            false => (pages.uptodate, pages),
        };
        let is_written = !pages.to_write.is_empty();
        let is_delayed = is_written && self.update(survey(uptodate), &pages, core);
        let is_synced = sync != Sync::None && self.make_whole(survey(uptodate), core);
        if is_delayed && !may_preread {
            self.delay(head, core);
        }
        // What is still to be written, or is about to be, is not quiet.
        if !is_written {
            self.cache.release_if_quiet(head);
        }
        is_synced.then_some(stripe)
    }

    /// Writes are over once their page and the parity are on their drives.
    #[inline]
    fn complete_writes<S: Storage>(&mut self, head: HeadId, core: &mut Core<S>) {
        let state = self.cache.head(head);
        let done = state.pages.drained & !state.pages.locked;
        let nothing_ends = done.is_empty() && !state.is_full_write;
        if nothing_ends || state.pages.locked.has(state.parity) {
            return;
        }
        state.pages.drained &= !done;
        state.pages.fua &= !done;
        if state.is_full_write && state.pages.drained.is_empty() {
            state.is_full_write = false;
            self.full_writes -= 1;
        }
        for drive in done.forwards() {
            for waiter in self.cache.block(head, drive).drained.drain(..) {
                core.part_done(waiter.id);
            }
        }
    }

    #[inline(never)]
    fn serve_readers<S: Storage>(&mut self, head: HeadId, core: &mut Core<S>) {
        let pages = self.cache.pages(head);
        let served = pages.to_read & pages.uptodate;
        if served.is_empty() {
            return;
        }
        pages.to_read &= !served;
        for drive in served.forwards() {
            for waiter in self.cache.block(head, drive).readers.drain(..) {
                core.contents.serve(Cached { head, drive }, waiter.part);
                core.part_done(waiter.id);
            }
        }
    }

    /// Serves readers, and reads or computes the pages that are needed whatever way the parity is updated; returns those
    /// that are known by then.
    #[inline(never)]
    fn fill<S: Storage>(&mut self, survey: Survey, core: &mut Core<S>) -> DriveSet {
        let Survey { head, failed, mut uptodate, syncs, .. } = survey;
        self.serve_readers(head, core);
        let pages = *self.cache.pages(head);
        let is_degraded_write = !pages.to_write.is_empty() && !failed.is_empty();
        if !(syncs || is_degraded_write) && (pages.to_read | pages.partial).is_empty() {
            return uptodate;
        }
        let needed = self.needed(survey, &pages, core);
        self.read(head, needed & !failed, syncs);
        for drive in (needed & failed).forwards() {
            if uptodate | failed == core.all_drives {
                core.contents.compute(Cached { head, drive });
                self.cache.pages(head).uptodate |= failed;
                core.counts.computed_pages += 1;
                uptodate |= failed;
                self.serve_readers(head, core);
            }
        }
        uptodate
    }

    /// The pages that must be known.
    fn needed<S: Storage>(&self, survey: Survey, pages: &Pages, core: &Core<S>) -> DriveSet {
        let Survey { parity, failed, syncs, may_preread, .. } = survey;
        let unknown = pages.unknown(core.all_drives);
        if syncs || pages.to_read.meets(failed) {
            return unknown;
        }
        // What was lost must be computed before a part of it is written over, or before the parity
        // is made of the whole stripe.
        let is_reconstructed = core.rules.rmw == Rmw::Disable && !pages.to_write.is_empty();
        let reconstructed = !(DriveSet::of(parity) | pages.whole_writes());
        let is_lost =
            pages.partial.meets(failed) || (is_reconstructed && reconstructed.meets(failed));
        if is_lost && !pages.uptodate.meets(failed) && may_preread {
            return unknown;
        }
        unknown & (pages.to_read | pages.partial)
    }

    fn read(&mut self, head: HeadId, drives: DriveSet, syncs: bool) {
        if drives.is_empty() {
            return;
        }
        let state = self.cache.head(head);
        (state.has_started, state.has_read) = (true, true);
        self.issue(head, drives, false, syncs);
    }

    /// Updates the parity by the way that takes fewer reads, or reads what that needs; true when
    /// that is to wait for more writes.
    #[inline(always)]
    fn update<S: Storage>(&mut self, survey: Survey, pages: &Pages, core: &mut Core<S>) -> bool {
        let Survey { head, parity, failed, syncs, may_preread, .. } = survey;
        let to_modify = pages.lacked_to_modify(core.all_drives, parity);
        let to_reconstruct = pages.lacked_to_reconstruct(core.all_drives, parity);
        if core.rules.need_no_reads(to_modify, to_reconstruct) {
            if pages.locked.is_empty() {
                self.write(head, parity, to_reconstruct.is_empty(), core);
            }
            return false;
        }
        let (to_modify_count, to_reconstruct_count) = (to_modify.count(), to_reconstruct.count());
        let (rmw, mut rcw) = match core.rules.rmw {
            Rmw::Disable => (2, 1),
            Rmw::Enable | Rmw::Prefer => {
                let cost = |count, pages| count + cost_of_lost(pages, failed, core.layout.drives);
                (cost(to_modify_count, to_modify), cost(to_reconstruct_count, to_reconstruct))
            }
        };
        let modifies = core.rules.modifies(rmw, rcw);
        let needed = if modifies { to_modify } else { to_reconstruct };
        if !modifies {
            rcw = to_reconstruct_count;
        }
        let readable = needed & !failed;
        let must_read = !readable.is_empty();
        if must_read && may_preread {
            self.read(head, readable, syncs);
        }
        let is_lost = !modifies && needed.meets(failed);
        let drives = core.layout.drives;
        is_lost || (must_read && !may_preread) || (rcw > drives && rmw > drives)
    }

    /// Takes the host's data into the pages, updates the parity and writes both.
    fn write<S: Storage>(
        &mut self,
        head: HeadId,
        parity: DriveId,
        reconstructs: bool,
        core: &mut Core<S>,
    ) {
        let dirty = self.cache.pages(head).to_write;
        self.take_data(Cached { head, drive: parity }, dirty, reconstructs, core);
        let stripe = self.cache.head(head).stripe;
        core.counts.note_stripe(stripe);
        let is_whole = dirty == core.all_drives & !DriveSet::of(parity);
        self.count_write(head, is_whole && reconstructs, reconstructs, core);
        let written = dirty | DriveSet::of(parity);
        if core.logs_first(parity) {
            let logged = self.lock_to_log(head, written, is_whole, core);
            self.to_log.push(logged);
        } else {
            self.issue(head, core.bays.writable_of(written), true, false);
        }
        let state = self.cache.head(head);
        state.has_started = true;
        if std::mem::take(&mut state.may_preread) {
            self.prereading -= 1;
        }
        if !state.overlaps.is_empty() {
            self.resumed.append(&mut state.overlaps);
        }
        // Without any drive left to write to, the writes are over.
        if state.pages.locked.is_empty() {
            self.cache.will_handle(head);
        }
    }

    /// Takes the host's data into its pages and updates the parity.
    fn take_data<S: Storage>(
        &mut self,
        parity: Cached,
        dirty: DriveSet,
        reconstructs: bool,
        core: &mut Core<S>,
    ) {
        let head = parity.head;
        if !reconstructs {
            dirty.forwards().for_each(|drive| core.contents.add(parity, drive));
        }
        let mut fua = DriveSet::default();
        for drive in dirty.forwards() {
            let block = self.cache.block(head, drive);
            for waiter in &block.writers {
                core.contents.fill(Cached { head, drive }, waiter.part);
            }
            if block.writers.iter().any(|waiter| waiter.fua) {
                fua |= DriveSet::of(drive);
            }
            // While data is not yet safe, its page or the parity is locked.
            debug_assert!(block.drained.is_empty());
            std::mem::swap(&mut block.drained, &mut block.writers);
            block.wanted = 0;
            if !reconstructs {
                core.contents.add(parity, drive);
            }
        }
        if reconstructs {
            core.contents.compute(parity);
        }
        let pages = self.cache.pages(head);
        (pages.drained, pages.fua) = (dirty, fua);
        (pages.to_write, pages.partial) = (DriveSet::default(), DriveSet::default());
        pages.uptodate |= dirty | DriveSet::of(parity.drive);
    }

    /// The pages of a stripe are to be written once it is logged.
    #[inline(never)]
    fn lock_to_log<S: Storage>(
        &mut self,
        head: HeadId,
        written: DriveSet,
        is_whole: bool,
        core: &Core<S>,
    ) -> Logged {
        let state = self.cache.head(head);
        let (stripe, parity) = (state.stripe, state.parity);
        let locked = core.bays.writable_of(written);
        state.pages.locked |= locked;
        let data = (locked & !DriveSet::of(parity)).forwards();
        let drives = data.chain(locked.has(parity).then_some(parity)).collect();
        Logged { head, stripe, parity, drives, is_whole }
    }

    fn count_write<S: Storage>(
        &mut self,
        head: HeadId,
        is_full: bool,
        reconstructs: bool,
        core: &mut Core<S>,
    ) {
        let state = self.cache.head(head);
        let has_read = std::mem::take(&mut state.has_read);
        let begins_full = is_full && !state.is_full_write;
        state.is_full_write |= is_full;
        self.full_writes += u32::from(begins_full);
        let counts = &mut core.counts.stripe_writes;
        match (is_full, has_read, reconstructs) {
            (true, false, _) => counts.full += 1,
            (_, true, true) => counts.reconstruct += 1,
            (_, true, false) => counts.read_modify += 1,
            (false, false, _) => counts.cached += 1,
        }
    }

    /// A rebuild writes the page that was lost; a scrub compares. True once the stripe is whole.
    #[inline(never)]
    fn make_whole<S: Storage>(&mut self, survey: Survey, core: &mut Core<S>) -> bool {
        let Survey { head, failed, uptodate, syncs, .. } = survey;
        let is_known = uptodate == core.all_drives;
        if syncs && is_known && self.cache.pages(head).locked.is_empty() {
            match failed.forwards().next() {
                None => {
                    let mismatch = !core.contents.is_consistent(head);
                    core.counts.mismatches += u64::from(mismatch);
                }
                Some(_) => self.issue(head, failed, true, true),
            }
            self.cache.head(head).sync = Sync::Whole;
        }
        let state = self.cache.head(head);
        let is_synced = state.pages.locked.is_empty() && state.sync == Sync::Whole;
        if is_synced {
            state.sync = Sync::None;
        }
        is_synced
    }
}

/// What is added to the reads that some pages take: one that cannot be read counts as more than there are.
#[inline]
fn cost_of_lost(pages: DriveSet, failed: DriveSet, drives: u32) -> u32 {
    if pages.meets(failed) { 2 * drives - 1 } else { 0 }
}
