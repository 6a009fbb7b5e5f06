//! The drives of an array, and behind them its spare and that of its journal: when each goes on, and what it was asked.

use super::events::{Event, Events};
use super::jobs::{Job, Jobs};
use super::member::{DriveRequest, Member, Told};
use crate::error::Fallible;
use crate::ids::{ById, Ids, MemberId};

/// The members of an array.
pub struct Members<M> {
    /// The drives themselves.
    pub all: ById<MemberId, M>,
    /// When each will do something of its own accord, and when the first of them will.
    next_ns: ById<MemberId, u64>,
    soonest_ns: u64,
    /// What each was asked for.
    jobs: ById<MemberId, Jobs>,
    /// Ends that a member has just told.
    ends: Vec<(u64, u64)>,
}

impl<M: Member> Members<M> {
    pub(super) fn new(all: ById<MemberId, M>) -> Self {
        Self {
            next_ns: ById::filled(u64::MAX, all.count()),
            soonest_ns: u64::MAX,
            jobs: all.iter().map(|_| Jobs::default()).collect(),
            ends: Vec::new(),
            all,
        }
    }

    /// When the first of them will do something of its own accord.
    #[inline(always)]
    pub(super) fn next_ns(&self) -> u64 {
        self.soonest_ns
    }

    /// A member will do something of its own accord at `next_ns`.
    #[inline]
    fn expect(&mut self, member: MemberId, next_ns: u64) {
        let before_ns = std::mem::replace(&mut self.next_ns[member], next_ns);
        if before_ns == next_ns {
            return;
        }
        match before_ns == self.soonest_ns {
            true => self.find_soonest(),
            false => self.soonest_ns = self.soonest_ns.min(next_ns),
        }
    }

    #[inline(never)]
    fn find_soonest(&mut self) {
        self.soonest_ns = self.next_ns.iter().copied().fold(u64::MAX, u64::min);
    }

    /// Lets members do what was due by now.
    #[inline(never)]
    pub(super) fn wake_due(&mut self, now_ns: u64, events: &mut Events) {
        for member in self.all.ids() {
            if self.next_ns[member] <= now_ns {
                self.wake(member, now_ns, events);
            }
        }
    }

    /// Lets a member do what it does of its own accord until now.
    pub(super) fn wake(&mut self, member: MemberId, now_ns: u64, events: &mut Events) {
        let next_ns = self.all[member].wake(now_ns, &mut self.ends);
        self.expect(member, next_ns);
        self.note_ends(member, now_ns, events);
    }

    /// Hands a request to a member; returns when it ends, where the member told that apart, and otherwise `u64::MAX`.
    /// Its job is yet to be noted, and so are the other ends that the member told.
    #[inline(always)]
    pub(super) fn submit(
        &mut self,
        member: MemberId,
        request: &DriveRequest,
        now_ns: u64,
    ) -> Fallible<u64> {
        let Told { end_ns, next_ns } = self.all[member].submit(request, now_ns, &mut self.ends)?;
        self.expect(member, next_ns);
        Ok(end_ns)
    }

    /// Notes the job of a request that a member was handed. Each job is made where it will stand: what has just been
    /// written in parts is slow to copy as a whole.
    #[inline(always)]
    pub(super) fn note_job(&mut self, member: MemberId, job: impl FnOnce() -> Job) -> u64 {
        self.jobs[member].push(job)
    }

    /// Notes that a request that a member was handed needs no job.
    #[inline(always)]
    pub(super) fn note_no_job(&mut self, member: MemberId) {
        self.jobs[member].skip();
    }

    /// Notes the ends that a member told.
    #[inline(always)]
    pub(super) fn note_ends(&mut self, member: MemberId, now_ns: u64, events: &mut Events) {
        if !self.ends.is_empty() {
            self.note_all_ends(member, now_ns, events);
        }
    }

    #[inline(never)]
    fn note_all_ends(&mut self, member: MemberId, now_ns: u64, events: &mut Events) {
        for (number, done_ns) in self.ends.drain(..) {
            events.add(done_ns.max(now_ns), Event::End(member, number));
        }
    }

    /// What a member was asked for, by number.
    #[inline(always)]
    pub(super) fn jobs(&mut self, member: MemberId) -> &mut Jobs {
        &mut self.jobs[member]
    }

    /// How many jobs a member has.
    pub(super) fn pending(&self, member: MemberId) -> usize {
        self.jobs[member].len()
    }

    /// True while a member has a job.
    pub(super) fn are_busy(&self) -> bool {
        self.jobs.iter().any(Jobs::are_left)
    }

    /// A member answers no more; returns the jobs that it leaves, oldest first.
    pub(super) fn lose(&mut self, member: MemberId) -> Vec<Job> {
        self.expect(member, u64::MAX);
        self.jobs[member].take_all()
    }

    /// All of them.
    pub(super) fn ids(&self) -> Ids<MemberId> {
        self.all.ids()
    }
}
