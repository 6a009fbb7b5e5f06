//! What every part of an array works with: where pages lie, time, the drives, what they hold, and the host's requests.

use super::bays::Bays;
use super::cache::Cache;
use super::contents::{Asked, Contents};
use super::counts::{Counts, Purpose};
use super::drive_set::DriveSet;
use super::drives::Drives;
use super::events::{Event, Events};
use super::jobs::Job;
use super::layout::Layout;
use super::member::{DriveRequest, Member};
use super::members::Members;
use super::rules::{Logging, Rules, SECTOR_BYTES};
use crate::engine::Requests;
use crate::error::Fallible;
use crate::ids::{ById, DriveId, Id, MemberId, StripeId};
use crate::nand::command::RequestId;
use std::collections::VecDeque;

/// What an array is made of: its drives, and what their pages hold.
pub trait Storage {
    /// A drive.
    type Member: Member;
    /// What the pages hold.
    type Contents: Contents<Self::Member>;
}

impl<M: Member, C: Contents<M>> Storage for (M, C) {
    type Member = M;
    type Contents = C;
}

/// What every part of an array works with.
pub struct Core<S: Storage> {
    /// Where the pages lie.
    pub layout: Layout,
    pub(super) rules: Rules,
    pub(super) all_drives: DriveSet,
    /// The sectors of a whole page.
    pub(super) whole_page: u64,
    /// Its drives.
    pub members: Members<S::Member>,
    pub(super) bays: Bays,
    /// The present.
    pub now_ns: u64,
    pub(super) events: Events,
    /// Whether no drive will be lost, no scrub will begin, and nothing is logged.
    pub(super) is_plain: bool,
    /// Jobs of requests to lost drives: they have failed, which the array does not know yet.
    pub(super) lost: VecDeque<Job>,
    /// Host requests in flight.
    pub requests: Requests,
    /// What was counted.
    pub counts: Counts,
    /// What the pages hold.
    pub contents: S::Contents,
}

impl<S: Storage> Core<S> {
    pub(super) fn new(
        layout: Layout,
        rules: Rules,
        members: ById<MemberId, S::Member>,
        has_spare: bool,
        contents: S::Contents,
    ) -> Self {
        let counts = Counts::new(
            members.count(),
            layout.stripes,
            (rules.page_bytes, rules.unit_bytes),
            rules.counts_updates.then_some(rules.stripe_cache),
        );
        Self {
            all_drives: DriveSet::all(layout.drives),
            whole_page: u64::MAX >> (64 - rules.page_bytes / SECTOR_BYTES),
            members: Members::new(members),
            bays: Bays::new(layout.drives, layout.stripes, has_spare),
            now_ns: 0,
            events: Events::default(),
            is_plain: rules.logging == Logging::None && !S::Contents::ITEMISES,
            lost: VecDeque::new(),
            requests: Requests::default(),
            counts,
            contents,
            rules,
            layout,
        }
    }

    /// Bytes of a page.
    pub fn page_bytes(&self) -> u64 {
        self.rules.page_bytes
    }

    /// The contents, and the drives that they are on.
    pub(super) fn contents_and_drives<'a>(
        &'a mut self,
        cache: &'a Cache,
    ) -> (&'a mut S::Contents, Drives<'a, S::Member>) {
        let Self { layout, bays, members, contents, .. } = self;
        (contents, Drives { layout, bays, cache, members: &mut members.all })
    }

    /// Whether a stripe is logged before it is written.
    #[inline]
    pub(super) fn logs_first(&self, parity: DriveId) -> bool {
        match self.rules.logging {
            Logging::None => false,
            Logging::Ppl { .. } => self.bays.member(parity).is_some(),
            Logging::Journal { .. } => true,
        }
    }

    /// A part of a request of the host is over.
    #[inline(always)]
    pub(super) fn part_done(&mut self, id: RequestId) {
        if S::Contents::ITEMISES {
            self.contents.part_done(self.requests.of(id).number);
        }
        self.requests.part_done(id, self.now_ns);
    }

    /// Sends a request for so many pages from the first on to the drive in a bay; where there is none the job is lost.
    /// Each job is made where it will stand: what has just been written in parts is slow to copy as a whole.
    #[inline(always)]
    pub(super) fn send_pages(
        &mut self,
        drive: DriveId,
        request: &DriveRequest,
        (first, count): (StripeId, usize),
        purpose: Purpose,
        job: impl FnOnce() -> Job,
    ) -> Fallible {
        let Some(member) = self.bays.member(drive) else {
            self.lose(job());
            return Ok(());
        };
        let first = u64::from(first.number());
        let end_ns = self.hand_over(member, request, (first, first + count as u64), purpose)?;
        self.note_job(member, end_ns, job);
        Ok(())
    }

    /// Sends a request to the drive in a bay; where there is none the job is lost.
    #[inline(never)]
    pub(super) fn send(
        &mut self,
        drive: DriveId,
        request: &DriveRequest,
        purpose: Purpose,
        job: Job,
    ) -> Fallible {
        match self.bays.member(drive) {
            Some(member) => return self.send_to(member, request, purpose, job),
            None => self.lose(job),
        }
        Ok(())
    }

    /// What was about to be sent goes nowhere.
    pub(super) fn lose(&mut self, job: Job) {
        self.contents.unsent();
        self.lost.push_back(job);
    }

    /// Sends a request to a member.
    pub(super) fn send_to(
        &mut self,
        member: MemberId,
        request: &DriveRequest,
        purpose: Purpose,
        job: Job,
    ) -> Fallible {
        let pages = self.counts.pages_of(request);
        let end_ns = self.hand_over(member, request, pages, purpose)?;
        self.note_job(member, end_ns, || job);
        Ok(())
    }

    /// Hands a request for pages of it over to a member; returns when it ends, where the member told that apart, and
    /// otherwise `u64::MAX`. Its job is yet to be noted, and the other ends learned.
    #[inline(always)]
    pub(super) fn hand_over(
        &mut self,
        member: MemberId,
        request: &DriveRequest,
        pages: (u64, u64),
        purpose: Purpose,
    ) -> Fallible<u64> {
        self.counts.note(member, request, pages, purpose, self.now_ns);
        if S::Contents::ITEMISES {
            self.contents.asked(member, Asked { op: request.op, purpose, now_ns: self.now_ns });
        }
        self.contents.sent(member, request, &mut self.members.all[member]);
        let end_ns = self.members.submit(member, request, self.now_ns)?;
        self.contents.taken(member, request, &mut self.members.all[member]);
        Ok(end_ns)
    }

    /// Whether a request needs no job: its end is known as it goes to its drive, which will not be lost.
    #[inline]
    pub(super) fn is_known(&self, end_ns: u64) -> bool {
        end_ns < u64::MAX && self.is_plain
    }

    /// Notes the job of a request that a member was handed, and the ends that the member told.
    #[inline(always)]
    pub(super) fn note_job(&mut self, member: MemberId, end_ns: u64, job: impl FnOnce() -> Job) {
        let number = self.members.note_job(member, job);
        if end_ns < u64::MAX {
            self.events.add(end_ns.max(self.now_ns), Event::End(member, number));
        }
        self.note_ends(member);
    }

    /// Notes the ends that a member told.
    #[inline(always)]
    pub(super) fn note_ends(&mut self, member: MemberId) {
        self.members.note_ends(member, self.now_ns, &mut self.events);
    }

    /// Lets a member do what it does of its own accord until the present.
    pub(super) fn wake(&mut self, member: MemberId) {
        self.members.wake(member, self.now_ns, &mut self.events);
    }
}
