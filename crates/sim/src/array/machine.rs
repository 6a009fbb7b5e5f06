//! The array: its state, the passing of time, and what it was asked.

use super::asked::{Asked, Task};
use super::barriers::Mirrors;
use super::contents::Contents;
use super::core::Core;
use super::drives::Drives;
use super::events::Event;
use super::jobs::BlockOp;
use super::journal::Journal;
use super::layout::{Layout, Level};
use super::logs::{Logging, Logs};
use super::member::Member;
use super::rules::{Rules, WHOLE};
use super::spots::Spots;
use super::stripes::Cache;
use super::syncing::Syncing;
use crate::error::Fallible;
use crate::ids::{ById, DriveId, HeadId, Lpn, MemberId, TaskId};
use crate::schema::Rmw;
use std::collections::VecDeque;
use wordline_trace::{Op, Request};

/// Several drives as one.
pub struct Array<M: Member, C: Contents<M> = ()> {
    /// What every part of it works with.
    pub core: Core<M, C>,
    /// True where a write of a page of a stripe reads that page and the parity, and not the rest of the stripe.
    pub(super) modifies_pages: bool,
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
}

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// The contents, and the drives that they are on.
    pub fn contents_and_drives(&mut self) -> (&mut C, Drives<'_, M>) {
        self.core.contents_and_drives(&self.cache)
    }

    /// An array at time 0. The first members are its drives; one more is a spare. The last is that of the journal,
    /// if one is kept.
    pub fn new(layout: Layout, rules: Rules, members: Vec<M>, contents: C) -> Self {
        let members: ById<MemberId, M> = members.into();
        let journal = match rules.logging {
            Logging::Journal { pages } => {
                Some(Journal::new(MemberId(members.count() - 1), pages, rules.page_bytes))
            }
            Logging::None | Logging::Ppl { .. } => None,
        };
        let drives = members.count() - u32::from(journal.is_some());
        Self {
            modifies_pages: layout.level == Level::Raid5
                && rules.rmw != Rmw::Disable
                && rules.modifies(2, layout.drives - 2),
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
            tasks: ById::default(),
            spare_tasks: Vec::new(),
            no_head: VecDeque::new(),
            resumed: VecDeque::new(),
            mirrors: Mirrors::new(layout.drives),
            logs: Logs::new(layout.drives, rules.logging),
            journal,
            syncing: None,
            scrub_is_due: false,
            core: Core::new(layout, rules, members, drives > layout.drives, contents),
        }
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
        assert_eq!(
            self.core.requests.in_flight(),
            0,
            "what is under way counts on nothing of the sort"
        );
        self.core.is_plain = false;
        self.core.events.add(at_ns, event);
    }

    /// True while a drive is missing or not wholly rebuilt.
    pub fn is_degraded(&self) -> bool {
        self.core.bays.are_degraded()
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
        let is_one = match self.core.layout.level {
            Level::Raid0 => matches!(op, Op::Read | Op::Write),
            Level::Raid1 => false,
            Level::Raid5 => op == Op::Read,
        };
        is_one && self.core.is_plain && !C::IS_TOLD
    }

    #[inline(always)]
    fn submit_pages(
        &mut self,
        request: &Request,
        arrival_ns: u64,
        pages: &[Lpn],
        (first, last): (u64, u64),
    ) -> Fallible {
        let number = self.core.counts.host_requests;
        self.core.counts.host_requests += 1;
        let id = self.core.requests.start(request, arrival_ns);
        match request.op {
            Op::Flush => {
                self.flush(id)?;
                self.core.part_done(id);
            }
            Op::Trim => {
                self.trim(id, number, pages)?;
                self.core.part_done(id);
            }
            Op::Read | Op::Write => {
                let (first, last) = (first & self.core.whole_page, last & self.core.whole_page);
                let (is_write, fua) = (request.op == Op::Write, request.fua);
                self.take(&Asked { id, number, is_write, fua, first, last }, pages)?;
            }
        }
        self.work()
    }

    /// When something happens next; `u64::MAX`: never.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.core.members.next_ns().min(self.core.events.next_ns())
    }

    /// Lets time pass up to and including `to_ns`.
    ///
    /// # Errors
    /// A drive refuses what it is asked.
    pub fn advance(&mut self, to_ns: u64) -> Fallible {
        while self.next_ns() <= to_ns {
            self.step()?;
        }
        self.core.now_ns = self.core.now_ns.max(to_ns);
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
        self.core.now_ns = self.core.now_ns.max(next_ns);
        if self.core.members.next_ns() <= self.core.now_ns {
            self.core.members.wake_due(self.core.now_ns, &mut self.core.events);
        }
        while let Some(event) = self.core.events.take_until(self.core.now_ns) {
            match event {
                Event::End(member, number) => self.ended(member, number)?,
                Event::Pages(pages) => self.pages_done(pages)?,
                Event::Part(id) => self.core.part_done(id),
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
        self.may_handle() || self.has_stopped() || !self.core.is_plain
    }

    #[inline(never)]
    fn work_on(&mut self) -> Fallible {
        loop {
            self.fail_lost()?;
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
}
