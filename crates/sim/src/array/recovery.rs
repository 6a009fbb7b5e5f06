//! Rebuilds and scrubs: every stripe is read, and what was lost is written to the spare. The host goes
//! first, as in Linux md (drivers/md/md.c, `md_do_sync`): while it is active, and the rebuild faster
//! than its least rate, each window waits until the one before it is over.

use super::core::{Core, Storage};
use super::events::Event;
use super::layout::Level;
use super::mirrors::Mirrors;
use super::state::State;
use super::stripes::Stripes;
use crate::error::Fallible;
use crate::ids::{DriveId, Id, Ids, StripeId};
use std::collections::VecDeque;

/// The rate is that since a mark which is this old at least (`SYNC_MARK_STEP`)…
const MARK_NS: u64 = 3_000_000_000;
/// …and so many marks at most (`SYNC_MARKS`).
const MARKS: usize = 10;
/// Bytes of a stretch of mirrors that is copied at a time (`RESYNC_BLOCK_SIZE` of raid1.c)…
const COPY_BYTES: u64 = 64 << 10;
/// …and such stretches at the same time, at most (`RESYNC_DEPTH`).
const COPIES: u32 = 32;

/// Stripes of a window (`window` of `md_do_sync`).
const WINDOW: u32 = 32;

/// A rebuild or scrub under way.
#[derive(Debug)]
struct Syncing {
    /// The drive that is rebuilt; `None`: a scrub.
    drive: Option<DriveId>,
    /// The next stripe to be begun.
    next: StripeId,
    /// The first stripe that is not done, and which of those behind it are.
    first: StripeId,
    done: VecDeque<bool>,
    window_end: StripeId,
    /// Host requests when the window began.
    host_requests: u64,
    /// When which stripe was the next.
    marks: VecDeque<(u64, StripeId)>,
    resume_ns: u64,
}

impl Syncing {
    /// One that begins; `drive` is rebuilt.
    fn new(drive: Option<DriveId>, now_ns: u64, host_requests: u64) -> Self {
        Self {
            drive,
            next: StripeId(0),
            first: StripeId(0),
            done: VecDeque::new(),
            window_end: StripeId(WINDOW),
            host_requests,
            marks: VecDeque::from([(now_ns, StripeId(0))]),
            resume_ns: 0,
        }
    }

    /// Whether the next stripe may be begun now.
    fn may_go_on<S: Storage>(&mut self, core: &mut Core<S>) -> bool {
        let (now_ns, stripes) = (core.now_ns, core.layout.stripes);
        if self.next.number() >= stripes || now_ns < self.resume_ns {
            return false;
        }
        if self.next < self.window_end {
            return true;
        }
        let (mark_ns, mark_stripe) = self.marks[0];
        let bytes = u64::from(self.next.number() - mark_stripe.number()) as f64
            * core.rules.page_bytes as f64;
        let mb_s = bytes * 1000.0 / (now_ns - mark_ns).max(1) as f64;
        if mb_s > core.rules.sync_max_mb_s {
            let resume_ns = mark_ns + (bytes * 1000.0 / core.rules.sync_max_mb_s).ceil() as u64;
            self.resume_ns = resume_ns;
            core.events.add(resume_ns, Event::Resume);
            return false;
        }
        let is_host_active = self.host_requests != core.counts.host_requests;
        let is_slow = mb_s < core.rules.sync_min_mb_s;
        if is_host_active && !is_slow && self.first < self.next {
            return false;
        }
        self.window_end = self.next.plus(WINDOW);
        self.host_requests = core.counts.host_requests;
        if now_ns - self.marks.back().map_or(0, |mark| mark.0) >= MARK_NS {
            self.marks.push_back((now_ns, self.next));
            if self.marks.len() > MARKS {
                self.marks.pop_front();
            }
        }
        true
    }

    /// Begins the next stripe, or stretch of stripes; false when that cannot be now.
    fn begin_next<S: Storage>(
        &mut self,
        stripes: &mut Stripes,
        mirrors: &mut Mirrors,
        core: &mut Core<S>,
    ) -> Fallible<bool> {
        let stripe = self.next;
        let count = match core.layout.level {
            Level::Raid1 => {
                let stretch = (COPY_BYTES / core.rules.page_bytes).max(1) as u32;
                let count = stretch.min(core.layout.stripes - stripe.number());
                let ahead = stripe.number() - self.first.number();
                if ahead >= COPIES * stretch
                    || !mirrors.copy(Ids::new(stripe, count), self.drive, core)?
                {
                    return Ok(false);
                }
                count
            }
            _ => {
                if !stripes.sync(stripe, core.layout.parity_of(stripe)) {
                    return Ok(false);
                }
                1
            }
        };
        self.next = self.next.plus(count);
        Ok(true)
    }

    /// Stripes are done; returns the first that is not.
    fn finish(&mut self, stripes: Ids<StripeId>) -> StripeId {
        for stripe in stripes {
            // A scrub may leave stripes behind that the rebuild which follows it meets again.
            if stripe < self.first {
                continue;
            }
            let at = stripe.index() - self.first.index();
            if at >= self.done.len() {
                self.done.resize(at + 1, false);
            }
            self.done[at] = true;
            while self.done.front() == Some(&true) {
                self.done.pop_front();
                self.first = self.first.plus(1);
            }
        }
        self.first
    }
}

/// The rebuild or scrub of an array.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    syncing: Option<Syncing>,
    /// A scrub is due as soon as the array is whole.
    scrub_is_due: bool,
}

impl Recovery {
    /// What is under way, if anything is.
    pub fn state(&self) -> Option<State> {
        let syncing = self.syncing.as_ref()?;
        Some(if syncing.drive.is_some() { State::Rebuild } else { State::Scrub })
    }

    /// True while a rebuild or scrub is under way, or one is due that can begin.
    pub fn is_syncing(&self, is_degraded: bool) -> bool {
        self.syncing.is_some() || (self.scrub_is_due && !is_degraded)
    }

    /// The drive that is being rebuilt.
    pub fn rebuilds(&self) -> Option<DriveId> {
        self.syncing.as_ref()?.drive
    }

    /// Whether a rebuild or scrub is under way, or due.
    #[inline(always)]
    pub fn wants_sync(&self) -> bool {
        self.syncing.is_some() || self.scrub_is_due
    }

    /// A scrub is due.
    pub fn scrub(&mut self) {
        self.scrub_is_due = true;
    }

    /// A drive is lost: what is under way ends.
    pub fn stop(&mut self) {
        self.syncing = None;
    }

    /// Begins to rebuild the drive in a bay.
    pub fn rebuild<S: Storage>(&mut self, drive: DriveId, core: &mut Core<S>) {
        self.begin(State::Rebuild, Some(drive), core);
    }

    fn begin<S: Storage>(&mut self, kind: State, drive: Option<DriveId>, core: &mut Core<S>) {
        self.syncing = Some(Syncing::new(drive, core.now_ns, core.counts.host_requests));
        core.counts.begin_sync(kind, core.now_ns, core.layout.stripes);
    }

    /// Begins as many stripes as may be; true when there was any.
    #[inline(never)]
    pub fn go_on<S: Storage>(
        &mut self,
        stripes: &mut Stripes,
        mirrors: &mut Mirrors,
        core: &mut Core<S>,
    ) -> Fallible<bool> {
        if self.syncing.is_none() && self.scrub_is_due && !core.bays.are_degraded() {
            self.scrub_is_due = false;
            self.begin(State::Scrub, None, core);
        }
        let mut did = false;
        let Some(syncing) = &mut self.syncing else { return Ok(did) };
        while syncing.may_go_on(core) && syncing.begin_next(stripes, mirrors, core)? {
            did = true;
        }
        Ok(did)
    }

    /// Stripes have been made whole, or compared.
    pub fn synced<S: Storage>(&mut self, stripes: Ids<StripeId>, core: &mut Core<S>) {
        let Some(syncing) = &mut self.syncing else { return };
        let first = syncing.finish(stripes).number();
        if let Some(drive) = syncing.drive {
            core.bays.recover(drive, first);
        }
        let is_over = first >= core.layout.stripes;
        core.counts.sync_to(core.now_ns, first, is_over);
        if is_over {
            self.syncing = None;
        }
    }
}
