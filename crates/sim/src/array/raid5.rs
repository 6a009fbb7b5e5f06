//! Stripes of RAID 5, as Linux md handles them (drivers/md/raid5.c: `handle_stripe`,
//! `handle_stripe_dirtying`, `need_this_block`, `schedule_reconstruction`).

use super::contents::Contents;
use super::machine::Array;
use super::member::Member;
use super::pages::{Cached, Logged};
use super::stripes::{Queue, Sync};
use crate::ids::{DriveId, HeadId, Id, Ids, StripeId};
use crate::schema::Rmw;

/// What there is to be done with a stripe.
#[derive(Debug, Clone, Copy, Default)]
struct Survey {
    parity: DriveId,
    /// The drive whose page of this stripe cannot be read; none: all can.
    failed: DriveId,
    uptodate: u32,
    locked: u32,
    to_read: bool,
    to_write: bool,
    /// A page is written in part and not known.
    partial: bool,
    may_preread: bool,
}

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Handles the stripes that can be.
    pub(super) fn handle_stripes(&mut self) {
        loop {
            self.allow_delayed();
            let Some(head) = self.next_stripe() else { return };
            self.handle(head);
        }
    }

    /// Once no stripe is left that may read and has not written, all that were delayed may read.
    fn allow_delayed(&mut self) {
        if self.prereading > 0 {
            return;
        }
        while let Some(head) = self.cache.pop(Queue::Delayed) {
            self.cache.head(head).may_preread = true;
            self.prereading += 1;
            self.cache.enqueue(head, Queue::Hold);
        }
    }

    /// Stripes that need no read go first, and while whole stripes are being written those that
    /// were delayed wait, but not for ever (`__get_priority_stripe`).
    fn next_stripe(&mut self) -> Option<HeadId> {
        let held = self.cache.first(Queue::Hold);
        let threshold = self.rules.bypass_threshold;
        if let Some(head) = self.cache.pop(Queue::Handle) {
            match held {
                None => self.bypassed = 0,
                Some(_) if self.cache.head(head).has_started => {}
                Some(held) if held == self.last_held => self.bypassed += 1,
                Some(held) => {
                    self.last_held = held;
                    self.bypassed = self.bypassed.saturating_sub(threshold);
                }
            }
            return Some(head);
        }
        let is_passed_over = threshold > 0 && self.bypassed > threshold;
        if held.is_some() && (self.full_writes == 0 || is_passed_over) {
            self.bypassed = self.bypassed.saturating_sub(threshold);
            return self.cache.pop(Queue::Hold);
        }
        None
    }

    fn handle(&mut self, head: HeadId) {
        let stripe = self.cache.head(head).stripe;
        let parity = self.layout.parity_of(stripe);
        let failed = self.unreadable(stripe);
        self.complete_writes(head, parity);
        self.serve_readers(head);
        let mut survey = self.survey(head, parity, failed);
        self.fill(head, &mut survey);
        let delayed = survey.to_write && self.update(head, &mut survey);
        self.make_whole(head, &survey);
        if delayed && !self.cache.head(head).may_preread {
            self.counts.delayed_stripes += 1;
            self.cache.enqueue(head, Queue::Delayed);
        }
        self.cache.release_if_quiet(head);
    }

    /// The drive whose page of a stripe cannot be read; none: all can.
    fn unreadable(&self, stripe: StripeId) -> DriveId {
        if !self.is_degraded() {
            return DriveId::NONE;
        }
        let mut drives = self.layout.drives().into_iter();
        drives.find(|&drive| !self.is_readable(drive, stripe)).unwrap_or(DriveId::NONE)
    }

    /// Writes are over once their page and the parity are on their drives.
    fn complete_writes(&mut self, head: HeadId, parity: DriveId) {
        if self.cache.block(head, parity).is_locked {
            return;
        }
        let now_ns = self.now_ns;
        let mut are_left = false;
        for block in self.cache.blocks_mut(head) {
            if block.drained.is_empty() {
                continue;
            }
            if block.is_locked {
                are_left = true;
                continue;
            }
            for waiter in block.drained.drain(..) {
                self.requests.part_done(waiter.id, now_ns);
            }
        }
        let state = self.cache.head(head);
        if state.is_full_write && !are_left {
            state.is_full_write = false;
            self.full_writes -= 1;
        }
    }

    fn serve_readers(&mut self, head: HeadId) {
        let drives = self.layout.drives();
        for (block, drive) in self.cache.blocks_mut(head).iter_mut().zip(drives) {
            if !block.is_uptodate || block.readers.is_empty() {
                continue;
            }
            for waiter in block.readers.drain(..) {
                self.contents.serve(Cached { head, drive }, waiter.part);
                self.requests.part_done(waiter.id, self.now_ns);
            }
        }
    }

    fn survey(&mut self, head: HeadId, parity: DriveId, failed: DriveId) -> Survey {
        let may_preread = self.cache.head(head).may_preread;
        let mut survey = Survey { parity, failed, may_preread, ..Survey::default() };
        for block in self.cache.blocks(head) {
            survey.uptodate += u32::from(block.is_uptodate);
            survey.locked += u32::from(block.is_locked);
            survey.to_read |= !block.readers.is_empty();
            survey.to_write |= block.wanted != 0;
            survey.partial |= block.wanted != 0 && block.wanted != self.whole;
        }
        survey
    }

    /// Reads or computes the pages that are needed whatever way the parity is updated.
    fn fill(&mut self, head: HeadId, survey: &mut Survey) {
        let syncs = self.cache.head(head).sync == Sync::Wanted;
        let is_degraded_write = survey.to_write && survey.failed.is_some();
        if !(survey.to_read || survey.partial || is_degraded_write || syncs) {
            return;
        }
        for drive in self.layout.drives().iter().rev() {
            if !self.needs(head, drive, survey, syncs) {
                continue;
            }
            if drive == survey.failed {
                if survey.uptodate == self.layout.drives - 1 {
                    self.contents.compute(Cached { head, drive });
                    self.cache.block(head, drive).is_uptodate = true;
                    self.counts.computed_pages += 1;
                    survey.uptodate += 1;
                    self.serve_readers(head);
                }
            } else {
                self.read(head, drive, survey);
            }
        }
    }

    /// True when a page must be known.
    fn needs(&self, head: HeadId, drive: DriveId, survey: &Survey, syncs: bool) -> bool {
        let blocks = self.cache.blocks(head);
        let block = &blocks[drive.index()];
        if block.is_locked || block.is_uptodate {
            return false;
        }
        let is_partial = block.wanted != 0 && block.wanted != self.whole;
        if !block.readers.is_empty() || is_partial || syncs {
            return true;
        }
        let Some(failed) = blocks.get(survey.failed.index()) else { return false };
        if !failed.readers.is_empty() {
            return true;
        }
        // What was lost must be computed before a part of it is written over, or before the parity
        // is made of the whole stripe.
        let is_rewritten = failed.wanted != 0 && failed.wanted != self.whole;
        let is_reconstructed = self.rules.rmw == Rmw::Disable
            && survey.to_write
            && survey.failed != survey.parity
            && failed.wanted != self.whole;
        (is_rewritten || is_reconstructed) && !failed.is_uptodate && survey.may_preread
    }

    fn read(&mut self, head: HeadId, drive: DriveId, survey: &mut Survey) {
        let state = self.cache.head(head);
        (state.has_started, state.has_read) = (true, true);
        survey.locked += 1;
        let syncs = self.cache.head(head).sync == Sync::Wanted;
        self.issue(head, drive, false, syncs);
    }

    /// Updates the parity by the way that takes fewer reads, or reads what that needs; true when
    /// that is to wait for more writes.
    fn update(&mut self, head: HeadId, survey: &mut Survey) -> bool {
        let (rmw, mut rcw) = match self.rules.rmw {
            Rmw::Disable => (2, 1),
            Rmw::Enable | Rmw::Prefer => self.reads_needed(head, survey),
        };
        let drives = self.layout.drives;
        let modifies = rmw < rcw || (rmw == rcw && self.rules.rmw == Rmw::Prefer);
        let mut is_delayed = false;
        if !modifies {
            rcw = 0;
        }
        for drive in self.layout.drives().iter().rev() {
            let block = &self.cache.blocks(head)[drive.index()];
            let is_unknown = !block.is_locked && !block.is_uptodate;
            let is_needed = is_unknown
                && match modifies {
                    true => drive == survey.parity || block.wanted != 0,
                    false => drive != survey.parity && block.wanted != self.whole,
                };
            if !is_needed {
                continue;
            }
            rcw += u32::from(!modifies);
            if survey.may_preread && drive != survey.failed {
                self.read(head, drive, survey);
            } else {
                is_delayed |= drive != survey.failed || !modifies;
            }
        }
        if survey.locked == 0 && (rcw == 0 || rmw == 0) {
            self.write(head, survey, rcw == 0);
            return false;
        }
        is_delayed || (rcw > drives && rmw > drives)
    }

    /// Pages to be read for a read–modify–write, and for a reconstruct–write; one that cannot be
    /// read counts as more than there are.
    fn reads_needed(&self, head: HeadId, survey: &Survey) -> (u32, u32) {
        let (mut rmw, mut rcw) = (0, 0);
        for (block, drive) in self.cache.blocks(head).iter().zip(self.layout.drives()) {
            if block.is_locked || block.is_uptodate {
                continue;
            }
            let cost = if drive == survey.failed { 2 * self.layout.drives } else { 1 };
            if drive == survey.parity || block.wanted != 0 {
                rmw += cost;
            }
            if drive != survey.parity && block.wanted != self.whole {
                rcw += cost;
            }
        }
        (rmw, rcw)
    }

    /// Takes the host's data into the pages, updates the parity and writes both.
    fn write(&mut self, head: HeadId, survey: &mut Survey, reconstructs: bool) {
        let parity = Cached { head, drive: survey.parity };
        let dirty: Vec<DriveId> = self
            .layout
            .drives()
            .iter()
            .filter(|&drive| self.cache.blocks(head)[drive.index()].wanted != 0)
            .collect();
        if !reconstructs {
            dirty.iter().for_each(|&drive| self.contents.add(parity, drive));
        }
        for &drive in &dirty {
            let block = self.cache.block(head, drive);
            for waiter in &block.writers {
                self.contents.fill(Cached { head, drive }, waiter.part);
            }
            block.drained.append(&mut block.writers);
            block.wanted = 0;
            block.is_uptodate = true;
            if !reconstructs {
                self.contents.add(parity, drive);
            }
        }
        if reconstructs {
            self.contents.compute(parity);
        }
        self.cache.block(head, survey.parity).is_uptodate = true;
        let stripe = self.cache.head(head).stripe;
        self.counts.note_stripe(stripe);
        self.count_write(head, dirty.len() as u32, reconstructs);
        let is_whole = dirty.len() as u32 == self.layout.drives - 1;
        let mut drives = dirty;
        drives.push(survey.parity);
        drives.retain(|&drive| self.member_of(drive).is_some());
        survey.locked += drives.len() as u32;
        let logs = self.logs.are_kept() && self.member_of(survey.parity).is_some();
        if logs || self.journal.is_some() {
            drives.iter().for_each(|&drive| self.cache.block(head, drive).is_locked = true);
        }
        if let Some(journal) = &mut self.journal {
            journal.put(Logged { head, stripe, drives, is_whole });
        } else if logs {
            self.log(survey.parity, Logged { head, stripe, drives, is_whole });
        } else {
            drives.into_iter().for_each(|drive| self.issue(head, drive, true, false));
        }
        let state = self.cache.head(head);
        state.has_started = true;
        if std::mem::take(&mut state.may_preread) {
            self.prereading -= 1;
        }
        self.resumed.extend(state.overlaps.drain(..));
        // Without any drive left to write to, the writes are over.
        if survey.locked == 0 {
            self.cache.enqueue(head, Queue::Handle);
        }
    }

    fn count_write(&mut self, head: HeadId, dirty: u32, reconstructs: bool) {
        let is_full = reconstructs && dirty == self.layout.drives - 1;
        let has_read = std::mem::take(&mut self.cache.head(head).has_read);
        let counts = &mut self.counts;
        match (is_full, has_read, reconstructs) {
            (true, false, _) => counts.full_stripe_writes += 1,
            (_, true, true) => counts.reconstruct_writes += 1,
            (_, true, false) => counts.read_modify_writes += 1,
            (false, false, _) => counts.cached_writes += 1,
        }
        if is_full && !self.cache.head(head).is_full_write {
            self.cache.head(head).is_full_write = true;
            self.full_writes += 1;
        }
    }

    /// A rebuild writes the page that was lost; a scrub compares.
    fn make_whole(&mut self, head: HeadId, survey: &Survey) {
        if self.cache.head(head).sync == Sync::None {
            return;
        }
        if survey.locked == 0
            && self.cache.head(head).sync == Sync::Wanted
            && survey.uptodate == self.layout.drives
        {
            if survey.failed.is_none() {
                let mismatch = !self.contents.is_consistent(head);
                self.counts.mismatches += u64::from(mismatch);
            } else {
                self.issue(head, survey.failed, true, true);
            }
            self.cache.head(head).sync = Sync::Whole;
        }
        let is_still = self.cache.blocks(head).iter().all(|block| !block.is_locked);
        if is_still && self.cache.head(head).sync == Sync::Whole {
            self.cache.head(head).sync = Sync::None;
            let stripe = self.cache.head(head).stripe;
            self.synced(Ids::new(stripe, 1));
        }
    }
}
