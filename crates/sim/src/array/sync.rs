//! Rebuilds and scrubs: every stripe is read, and what was lost is written to the spare. The host goes
//! first, as in Linux md (drivers/md/md.c, `md_do_sync`): while it is active, and the rebuild faster
//! than its least rate, each window waits until the one before it is over.

use super::contents::Contents;
use super::events::Event;
use super::layout::Level;
use super::machine::Array;
use super::member::Member;
use super::state::State;
use super::stripes::Sync;
use super::syncing::{Syncing, WINDOW};
use crate::error::Fallible;
use crate::ids::{DriveId, Id, Ids, MemberId, StripeId};

/// The rate is that since a mark which is this old at least (`SYNC_MARK_STEP`)…
const MARK_NS: u64 = 3_000_000_000;
/// …and so many marks at most (`SYNC_MARKS`).
const MARKS: usize = 10;
/// Bytes of a stretch of mirrors that is copied at a time (`RESYNC_BLOCK_SIZE` of raid1.c)…
const COPY_BYTES: u64 = 64 << 10;
/// …and such stretches at the same time, at most (`RESYNC_DEPTH`).
const COPIES: u32 = 32;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// What the array is doing besides serving the host.
    pub fn state(&self) -> State {
        match &self.syncing {
            Some(Syncing { drive: Some(_), .. }) => State::Rebuild,
            Some(Syncing { drive: None, .. }) => State::Scrub,
            None if self.core.bays.are_degraded() => State::Degraded,
            None if self.core.counts.lost_at_ns.is_some() => State::Rebuilt,
            None => State::Whole,
        }
    }

    /// What has become of a member: `whole`, `failed`, `spare`, `rebuilding`, `rebuilt`, or `journal`.
    pub fn member_state(&self, member: MemberId) -> &'static str {
        match self.journal.as_ref().is_some_and(|it| it.member == member) {
            true => "journal",
            false => self.core.bays.state(member),
        }
    }

    /// True while a rebuild or scrub is under way, or one is due that can begin.
    pub fn is_syncing(&self) -> bool {
        self.syncing.is_some() || (self.scrub_is_due && !self.core.bays.are_degraded())
    }

    /// The drive that is being rebuilt.
    pub fn rebuilds(&self) -> Option<DriveId> {
        self.syncing.as_ref()?.drive
    }

    /// What happens besides ends of requests.
    #[cold]
    pub(super) fn happens(&mut self, event: Event) -> Fallible {
        match event {
            Event::Lose(drive) => self.lose(drive)?,
            Event::Scrub => self.scrub_is_due = true,
            Event::End(..) | Event::Pages(_) | Event::Part(_) | Event::Resume => {}
        }
        Ok(())
    }

    /// A drive no longer answers; the spare, if there is one, takes its place and is rebuilt.
    fn lose(&mut self, drive: DriveId) -> Fallible {
        let Some(member) = self.core.bays.lose(drive) else { return Ok(()) };
        self.core.counts.lost_at_ns = Some(self.core.now_ns);
        self.core.contents.lose(drive);
        self.syncing = None;
        self.mirrors.void_copies();
        for job in self.core.members.lose(member) {
            self.failed(job)?;
            self.fail_lost()?;
        }
        if self.core.bays.member(drive).is_some() {
            self.begin_rebuild(drive);
        }
        Ok(())
    }

    /// Begins to rebuild the drive in a bay.
    fn begin_rebuild(&mut self, drive: DriveId) {
        let syncing = Syncing::new(Some(drive), self.core.now_ns, self.core.counts.host_requests);
        self.syncing = Some(syncing);
        self.core.counts.begin_sync(State::Rebuild, self.core.now_ns, self.core.layout.stripes);
    }

    fn begin_scrub(&mut self) {
        self.scrub_is_due = false;
        self.syncing = Some(Syncing::new(None, self.core.now_ns, self.core.counts.host_requests));
        self.core.counts.begin_sync(State::Scrub, self.core.now_ns, self.core.layout.stripes);
    }

    /// True where a rebuild or scrub is under way, or due.
    #[inline(always)]
    pub(super) fn wants_sync(&self) -> bool {
        self.syncing.is_some() || self.scrub_is_due
    }

    /// Begins as many stripes as may be; true when there was any.
    #[inline(never)]
    pub(super) fn sync_on(&mut self) -> Fallible<bool> {
        if self.syncing.is_none() && self.scrub_is_due && !self.core.bays.are_degraded() {
            self.begin_scrub();
        }
        let mut did = false;
        while self.may_sync() && self.sync_next()? {
            did = true;
        }
        Ok(did)
    }

    /// True when the next stripe may be begun now.
    fn may_sync(&mut self) -> bool {
        let (now_ns, stripes) = (self.core.now_ns, self.core.layout.stripes);
        let Some(syncing) = &mut self.syncing else { return false };
        if syncing.next.number() >= stripes || now_ns < syncing.resume_ns {
            return false;
        }
        if syncing.next < syncing.window_end {
            return true;
        }
        let (mark_ns, mark_stripe) = syncing.marks[0];
        let bytes = u64::from(syncing.next.number() - mark_stripe.number()) as f64
            * self.core.rules.page_bytes as f64;
        let mb_s = bytes * 1000.0 / (now_ns - mark_ns).max(1) as f64;
        if mb_s > self.core.rules.sync_max_mb_s {
            let resume_ns =
                mark_ns + (bytes * 1000.0 / self.core.rules.sync_max_mb_s).ceil() as u64;
            syncing.resume_ns = resume_ns;
            self.core.events.add(resume_ns, Event::Resume);
            return false;
        }
        let is_host_active = syncing.host_requests != self.core.counts.host_requests;
        let is_slow = mb_s < self.core.rules.sync_min_mb_s;
        if is_host_active && !is_slow && syncing.first < syncing.next {
            return false;
        }
        syncing.window_end = syncing.next.plus(WINDOW);
        syncing.host_requests = self.core.counts.host_requests;
        if now_ns - syncing.marks.back().map_or(0, |mark| mark.0) >= MARK_NS {
            syncing.marks.push_back((now_ns, syncing.next));
            if syncing.marks.len() > MARKS {
                syncing.marks.pop_front();
            }
        }
        true
    }

    /// Begins the next stripe, or stretch of stripes; false when that cannot be now.
    fn sync_next(&mut self) -> Fallible<bool> {
        let Some(syncing) = &self.syncing else { return Ok(false) };
        let (stripe, to) = (syncing.next, syncing.drive);
        let count = match self.core.layout.level {
            Level::Raid1 => {
                let stretch = (COPY_BYTES / self.core.rules.page_bytes).max(1) as u32;
                let count = stretch.min(self.core.layout.stripes - stripe.number());
                let ahead = stripe.number() - syncing.first.number();
                if ahead >= COPIES * stretch || !self.copy(Ids::new(stripe, count), to)? {
                    return Ok(false);
                }
                count
            }
            _ => {
                let parity = self.core.layout.parity_of(stripe);
                let Some(head) = self.cache.activate(stripe, parity) else { return Ok(false) };
                self.cache.head(head).sync = Sync::Wanted;
                self.cache.will_handle(head);
                1
            }
        };
        if let Some(syncing) = &mut self.syncing {
            syncing.next = syncing.next.plus(count);
        }
        Ok(true)
    }

    /// Stripes have been made whole, or compared.
    pub(super) fn synced(&mut self, stripes: Ids<StripeId>) {
        let Some(syncing) = &mut self.syncing else { return };
        let first = syncing.finish(stripes).number();
        if let Some(drive) = syncing.drive {
            self.core.bays.recover(drive, first);
        }
        let is_over = first >= self.core.layout.stripes;
        self.core.counts.sync_to(self.core.now_ns, first, is_over);
        if is_over {
            self.syncing = None;
        }
    }
}
