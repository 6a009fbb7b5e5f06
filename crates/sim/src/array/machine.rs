//! The array: its state, the passing of time, and what it was asked.

use super::asked::{Asked, Task};
use super::barriers::Mirrors;
use super::bays::Bays;
use super::contents::Contents;
use super::counts::{Counts, Purpose};
use super::drive_set::DriveSet;
use super::drives::Drives;
use super::events::{Event, Events};
use super::jobs::BlockOp;
use super::journal::Journal;
use super::layout::{Layout, Level};
use super::logs::{Logging, Logs};
use super::member::Member;
use super::members::Members;
use super::spots::Spots;
use super::stripes::Cache;
use super::syncing::Syncing;
use crate::engine::Requests;
use crate::error::Fallible;
use crate::ids::{ById, DriveId, HeadId, Lpn, MemberId, StripeId, TaskId};
use crate::schema::Rmw;
use std::collections::VecDeque;
use wordline_trace::{Op, Request};

/// Bytes of a sector, the smallest part of a page that the array tells apart.
pub const SECTOR_BYTES: u64 = 512;

/// The sectors of the first page of a request, and of its last, that covers both wholly.
pub const WHOLE: (u64, u64) = (u64::MAX, u64::MAX);

/// What an array is told besides its layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Bytes of a page: 64 sectors at most.
    pub page_bytes: u64,
    /// Bytes of the drives' mapping unit: the largest, where they differ.
    pub unit_bytes: u64,
    /// Stripe heads of the cache.
    pub stripe_cache: usize,
    /// What is written before stripes are.
    pub logging: Logging,
    /// When a stripe is read, modified and written.
    pub rmw: Rmw,
    /// How often stripes that wait for nothing may go ahead of one that was delayed.
    pub bypass_threshold: u32,
    /// True where it is counted how data and parity are written over.
    pub counts_updates: bool,
    /// A rebuild or scrub is not slowed down for the host's sake below this.
    pub sync_min_mb_s: f64,
    /// A rebuild or scrub is never faster.
    pub sync_max_mb_s: f64,
}

impl Rules {
    /// True where a stripe is modified: `modified` pages would have to be read for that, and `reconstructed` pages to
    /// compute its parity anew.
    #[inline]
    pub(super) fn modifies(&self, modified: u32, reconstructed: u32) -> bool {
        modified < reconstructed || (modified == reconstructed && self.rmw == Rmw::Prefer)
    }
}

/// Several drives as one.
pub struct Array<M: Member, C: Contents<M> = ()> {
    pub(super) layout: Layout,
    /// All of its drives.
    pub(super) drives: DriveSet,
    pub(super) rules: Rules,
    /// True where a write of a page of a stripe reads that page and the parity, and not the rest of the stripe.
    pub(super) modifies_pages: bool,
    /// The sectors of a whole page.
    pub(super) whole: u64,
    /// Its drives.
    pub members: Members<M>,
    pub(super) bays: Bays,
    pub(super) now_ns: u64,
    pub(super) events: Events,
    /// True where no drive will be lost, no scrub will begin, and nothing is logged.
    pub(super) is_plain: bool,
    pub(super) cache: Cache,
    /// Reads and writes of pages, held back so that neighbours go to a drive together.
    pub(super) plug: Vec<BlockOp>,
    /// Stripes that may read and have not written yet.
    pub(super) prereading: u32,
    /// Writes of whole stripes under way.
    pub(super) full_writes: u32,
    pub(super) bypassed: u32,
    pub(super) last_held: HeadId,
    pub(super) ahead: Spots,
    /// Host requests in flight.
    pub requests: Requests,
    pub(super) tasks: ById<TaskId, Task>,
    pub(super) spare_tasks: Vec<TaskId>,
    /// Tasks that wait for a stripe head.
    pub(super) no_head: VecDeque<TaskId>,
    /// Tasks that may go on.
    pub(super) resumed: VecDeque<TaskId>,
    pub(super) mirrors: Mirrors,
    pub(super) logs: Logs,
    pub(super) journal: Option<Journal>,
    pub(super) syncing: Option<Syncing>,
    /// A scrub is due as soon as the array is whole.
    pub(super) scrub_is_due: bool,
    /// What was counted.
    pub counts: Counts,
    /// What the pages hold.
    pub contents: C,
}

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// The contents, and the drives that they are on.
    pub fn contents_and_drives(&mut self) -> (&mut C, Drives<'_, M>) {
        let Self { layout, bays, cache, members, contents, .. } = self;
        (contents, Drives { layout, bays, cache, members: &mut members.all })
    }

    /// An array at time 0. The first members are its drives; one more is a spare. The last is that of the journal,
    /// if one is kept.
    pub fn new(layout: Layout, rules: Rules, members: Vec<M>, contents: C) -> Self {
        let members: ById<MemberId, M> = members.into();
        let sectors = rules.page_bytes / SECTOR_BYTES;
        let journal = match rules.logging {
            Logging::Journal { pages } => {
                Some(Journal::new(MemberId(members.count() - 1), pages, rules.page_bytes))
            }
            Logging::None | Logging::Ppl { .. } => None,
        };
        let drives = members.count() - u32::from(journal.is_some());
        Self {
            drives: DriveSet::all(layout.drives),
            modifies_pages: layout.level == Level::Raid5
                && rules.rmw != Rmw::Disable
                && rules.modifies(2, layout.drives - 2),
            whole: u64::MAX >> (64 - sectors),
            bays: Bays::new(layout.drives, layout.stripes, drives > layout.drives),
            now_ns: 0,
            events: Events::default(),
            is_plain: rules.logging == Logging::None,
            cache: Cache::new(
                if layout.level == Level::Raid5 { rules.stripe_cache } else { 0 },
                layout.drives,
            ),
            plug: Vec::new(),
            prereading: 0,
            full_writes: 0,
            bypassed: 0,
            last_held: HeadId::NONE,
            ahead: Spots::default(),
            requests: Requests::default(),
            tasks: ById::default(),
            spare_tasks: Vec::new(),
            no_head: VecDeque::new(),
            resumed: VecDeque::new(),
            mirrors: Mirrors::new(layout.drives),
            logs: Logs::new(layout.drives, rules.logging),
            journal,
            syncing: None,
            scrub_is_due: false,
            counts: Counts::new(
                members.count(),
                layout.stripes,
                (rules.page_bytes, rules.unit_bytes),
                rules.counts_updates.then_some(rules.stripe_cache),
            ),
            contents,
            members: Members::new(members),
            rules,
            layout,
        }
    }

    /// Where the pages lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The present.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// A drive will be lost. Nothing may be under way.
    pub fn lose_at(&mut self, at_ns: u64, drive: DriveId) {
        self.will_happen(at_ns, Event::Lose(drive));
    }

    /// A scrub will begin; while the array is not whole it waits. Nothing may be under way.
    pub fn scrub_at(&mut self, at_ns: u64) {
        self.will_happen(at_ns, Event::Scrub);
    }

    fn will_happen(&mut self, at_ns: u64, event: Event) {
        assert_eq!(self.requests.in_flight(), 0, "what is under way counts on nothing of the sort");
        self.is_plain = false;
        self.events.add(at_ns, event);
    }

    /// True while a drive is missing or not wholly rebuilt.
    pub fn is_degraded(&self) -> bool {
        self.bays.are_degraded()
    }

    /// Takes a request on `pages`, of whose first and last page `first` and `last` are the sectors
    /// that it covers. Time must have come to its arrival.
    ///
    /// # Errors
    /// A drive refuses what it is asked.
    pub fn submit(
        &mut self,
        request: &Request,
        arrival_ns: u64,
        pages: &[Lpn],
        sectors: (u64, u64),
    ) -> Fallible {
        self.submit_pages(request, arrival_ns, pages, sectors)
    }

    /// Takes a request on one whole page, which needs no lists. Returns when the request ends, where its drive told
    /// that and nothing else comes of it: then it is not among those in flight; and otherwise `u64::MAX`.
    ///
    /// # Errors
    /// As [`Self::submit`].
    pub fn submit_page(&mut self, request: &Request, arrival_ns: u64, page: Lpn) -> Fallible<u64> {
        if self.goes_to_one_drive(request.op) {
            return self.pass_on(request, arrival_ns, page);
        }
        self.submit_pages(request, arrival_ns, &[page], WHOLE)?;
        Ok(u64::MAX)
    }

    /// True for a request of one page that a drive carries out alone.
    #[inline(always)]
    fn goes_to_one_drive(&self, op: Op) -> bool {
        let is_one = match self.layout.level {
            Level::Raid0 => matches!(op, Op::Read | Op::Write),
            Level::Raid1 => false,
            Level::Raid5 => op == Op::Read,
        };
        is_one && self.is_plain && !C::IS_TOLD
    }

    #[inline(always)]
    fn submit_pages(
        &mut self,
        request: &Request,
        arrival_ns: u64,
        pages: &[Lpn],
        (first, last): (u64, u64),
    ) -> Fallible {
        let number = self.counts.host_requests;
        self.counts.host_requests += 1;
        let id = self.requests.start(request, arrival_ns);
        match request.op {
            Op::Flush => {
                self.flush(id)?;
                self.requests.part_done(id, self.now_ns);
            }
            Op::Trim => {
                self.trim(id, number, pages)?;
                self.requests.part_done(id, self.now_ns);
            }
            Op::Read | Op::Write => {
                let (first, last) = (first & self.whole, last & self.whole);
                let (is_write, fua) = (request.op == Op::Write, request.fua);
                self.take(&Asked { id, number, is_write, fua, first, last }, pages)?;
            }
        }
        self.work()
    }

    /// When something happens next; `u64::MAX`: never.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.members.next_ns().min(self.events.next_ns())
    }

    /// Lets time pass up to and including `to_ns`.
    ///
    /// # Errors
    /// A drive refuses what it is asked.
    pub fn advance(&mut self, to_ns: u64) -> Fallible {
        while self.next_ns() <= to_ns {
            self.step()?;
        }
        self.now_ns = self.now_ns.max(to_ns);
        Ok(())
    }

    /// Goes on to the next moment at which something happens.
    ///
    /// # Errors
    /// A drive refuses what it is asked.
    pub fn step(&mut self) -> Fallible {
        self.step_to(self.next_ns())
    }

    /// Goes on to `next_ns`, at which something happens.
    ///
    /// # Errors
    /// A drive refuses what it is asked.
    pub fn step_to(&mut self, next_ns: u64) -> Fallible {
        debug_assert_eq!(next_ns, self.next_ns());
        self.now_ns = self.now_ns.max(next_ns);
        if self.members.next_ns() <= self.now_ns {
            self.members.wake_due(self.now_ns, &mut self.events);
        }
        while let Some(event) = self.events.take_until(self.now_ns) {
            match event {
                Event::End(member, number) => self.ended(member, number)?,
                Event::Pages(pages) => self.pages_done(pages)?,
                Event::Part(id) => self.requests.part_done(id, self.now_ns),
                seldom => self.happens(seldom)?,
            }
        }
        self.work()
    }

    /// Does all that can be done at the present.
    #[inline(always)]
    fn work(&mut self) -> Fallible {
        if self.may_work() { self.work_on() } else { Ok(()) }
    }

    /// False where no stripe can be handled, and no task or rebuild go on.
    #[inline(always)]
    fn may_work(&self) -> bool {
        self.may_handle() || self.has_stopped() || !self.is_plain
    }

    #[inline(never)]
    fn work_on(&mut self) -> Fallible {
        loop {
            self.handle_stripes();
            if !self.plug.is_empty() {
                self.send_plugged()?;
            }
            // What was to be sent to a drive that is lost has failed, and its stripe wants handling.
            let has_failed = self.cache.has_to_handle();
            let logs = self.is_logged() && self.write_logs()?;
            let resumes = self.has_stopped() && self.resume_tasks()?;
            let syncs = self.wants_sync() && self.sync_on()?;
            if !(has_failed || logs || resumes || syncs) {
                return Ok(());
            }
        }
    }

    /// What a request to a drive is for.
    pub(super) fn purpose(&self, drive: DriveId, stripe: StripeId) -> Purpose {
        match self.layout.level == Level::Raid5 && self.layout.parity_of(stripe) == drive {
            true => Purpose::Parity,
            false => Purpose::Data,
        }
    }
}
