//! The array: the passing of time, and what it was asked.

use super::contents::Contents;
use super::core::Core;
use super::direct::Run;
use super::drives::Drives;
use super::events::Event;
use super::host_request::HostRequest;
use super::layout::{Layout, Level};
use super::member::{DriveRequest, Member};
use super::mirrors::Mirrors;
use super::pages::Part;
use super::recovery::Recovery;
use super::rules::{Logging, Rules, WHOLE};
use super::stripe_log::StripeLog;
use super::stripes::Stripes;
use super::tasks::{Task, Tasks};
use crate::error::Fallible;
use crate::ids::{ById, DriveId, Ids, Lpn, MemberId, TaskId};
use crate::nand::command::RequestId;
use crate::util::Few;
use wordline_trace::{Op, Request};

/// Several drives as one.
pub struct Array<M: Member, C: Contents<M> = ()> {
    /// What every part of it works with.
    pub core: Core<(M, C)>,
    pub(super) stripes: Stripes,
    pub(super) log: StripeLog,
    pub(super) mirrors: Mirrors,
    pub(super) recovery: Recovery,
    pub(super) tasks: Tasks,
}

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// The contents, and the drives that they are on.
    pub fn contents_and_drives(&mut self) -> (&mut C, Drives<'_, M>) {
        self.stripes.contents_and_drives(&mut self.core)
    }

    /// An array at time 0. The first members are its drives; one more is a spare. The last is that of the journal,
    /// if one is kept.
    pub fn new(layout: Layout, rules: Rules, members: Vec<M>, contents: C) -> Self {
        let members: ById<MemberId, M> = members.into();
        let has_journal = matches!(rules.logging, Logging::Journal { .. });
        let has_spare = members.count() - u32::from(has_journal) > layout.drives;
        Self {
            stripes: Stripes::new(&layout, &rules),
            log: StripeLog::new(&rules, layout.drives, MemberId(members.count() - 1)),
            mirrors: Mirrors::new(layout.drives),
            recovery: Recovery::default(),
            tasks: Tasks::default(),
            core: Core::new(layout, rules, members, has_spare, contents),
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
        if self.core.goes_to_one_drive(request.op) {
            return self.core.pass_on(request, arrival_ns, page);
        }
        self.submit_pages(request, arrival_ns, &[page], WHOLE)?;
        Ok(u64::MAX)
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
        self.core.contents.arrives(number, arrival_ns, self.core.now_ns);
        let id = self.core.requests.start(request, arrival_ns);
        match request.op {
            Op::Flush => {
                // A journal holds whatever was acknowledged (`r5l_handle_flush_request` of drivers/md/raid5-cache.c).
                if !self.log.holds_all() {
                    let drives = self.core.layout.drives();
                    self.core.send_to_all(id, &DriveRequest::FLUSH, drives)?;
                }
                self.core.part_done(id);
            }
            Op::Trim => {
                self.core.trim(id, number, pages)?;
                self.core.part_done(id);
            }
            Op::Read | Op::Write => {
                let (first, last) = (first & self.core.whole_page, last & self.core.whole_page);
                let (is_write, fua) = (request.op == Op::Write, request.fua);
                self.take(&HostRequest { id, number, is_write, fua, first, last }, pages)?;
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
        self.core.contents.comes_about();
        if self.core.members.next_ns() <= self.core.now_ns {
            self.core.members.wake_due(self.core.now_ns, &mut self.core.events);
        }
        while let Some(event) = self.core.events.take_until(self.core.now_ns) {
            match event {
                Event::End(member, number) => self.ended(member, number)?,
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
        self.stripes.may_handle() || self.tasks.has_stopped() || !self.core.is_plain
    }

    #[inline(never)]
    fn work_on(&mut self) -> Fallible {
        loop {
            self.fail_lost()?;
            self.handle_stripes();
            if self.stripes.has_plugged() {
                self.send_plugged()?;
            }
            // What was to be sent to a drive that is lost has failed, and its stripe wants handling.
            let has_failed = self.stripes.has_to_handle();
            let logs = !self.log.is_none() && self.log.write(&mut self.core)?;
            let resumes = self.tasks.has_stopped() && self.resume_tasks()?;
            let Self { core, stripes, mirrors, .. } = self;
            let syncs =
                self.recovery.wants_sync() && self.recovery.go_on(stripes, mirrors, core)?;
            if !(has_failed || logs || resumes || syncs) {
                return Ok(());
            }
        }
    }

    /// Handles the stripes that can be.
    fn handle_stripes(&mut self) {
        let Self { core, stripes, recovery, .. } = self;
        while let Some(head) = stripes.next(core.rules.bypass_threshold) {
            if let Some(stripe) = stripes.handle(head, core) {
                recovery.synced(Ids::new(stripe, 1), core);
            }
        }
        self.log.put(stripes.to_log.drain(..));
        self.tasks.resume(stripes.resumed.drain(..));
    }

    /// Sends what stripes read and write.
    #[inline(never)]
    fn send_plugged(&mut self) -> Fallible {
        let plug = self.stripes.take_plug();
        let mut left = &plug[..];
        while !left.is_empty() {
            left = self.stripes.send(left, &mut self.core)?;
            self.fail_lost()?;
        }
        self.stripes.give_plug_back(plug);
        Ok(())
    }

    /// Takes a request to read or to write pages, which ends with the last of them.
    #[inline(always)]
    fn take(&mut self, asked: &HostRequest, pages: &[Lpn]) -> Fallible {
        let Self { core, stripes, tasks, mirrors, .. } = self;
        let level = core.layout.level;
        if level == Level::Raid5 && (asked.is_write || core.bays.are_degraded()) {
            tasks.take_into_cache(asked, pages, stripes, core);
            return Ok(());
        }
        if level == Level::Raid1 && mirrors.is_copied(asked, pages) {
            core.requests.add_part(asked.id);
            mirrors.hold_up(tasks.add(asked, pages, 0), pages);
            core.part_done(asked.id);
            return Ok(());
        }
        self.direct(asked, pages)
    }

    /// Carries out a request without the cache: a part of it, which is over when all of that is.
    #[inline(always)]
    fn direct(&mut self, asked: &HostRequest, pages: &[Lpn]) -> Fallible {
        let &HostRequest { id, is_write, fua, .. } = asked;
        let whole_page = self.core.whole_page;
        let part = |at| {
            let part = asked.part(pages, at);
            Part { sectors: part.sectors & whole_page, ..part }
        };
        // Most requests are of one page, which needs no lists.
        if pages.len() == 1 {
            let part = part(0);
            let place = self.core.layout.locate(part.page);
            return self.carry_out(id, is_write, Run { place, parts: Few::One(part), fua });
        }
        self.carry_out_runs(asked, &(0..pages.len()).map(part).collect::<Vec<Part>>())
    }

    #[inline(never)]
    fn carry_out_runs(&mut self, asked: &HostRequest, parts: &[Part]) -> Fallible {
        for run in self.core.runs(parts) {
            self.core.requests.add_part(asked.id);
            self.carry_out(asked.id, asked.is_write, Run { fua: asked.fua, ..run })?;
        }
        self.core.part_done(asked.id);
        Ok(())
    }

    fn carry_out(&mut self, id: RequestId, is_write: bool, run: Run) -> Fallible {
        match (self.core.layout.level, is_write) {
            (Level::Raid1, true) => self.mirrors.write(id, &run, &mut self.core),
            (Level::Raid1, false) => self.mirrors.read(id, &run, &mut self.core),
            (_, true) => self.core.write_run(id, run, None),
            (_, false) => self.core.read_run(id, run),
        }
    }

    /// Tasks that were stopped go on where that is possible; true when any did.
    fn resume_tasks(&mut self) -> Fallible<bool> {
        if self.core.layout.level == Level::Raid5 {
            return Ok(self.tasks.resume_into_cache(&mut self.stripes, &mut self.core));
        }
        let mut did = false;
        while let Some(task) = self.tasks.next_resumed() {
            did = true;
            self.direct_again(task)?;
        }
        Ok(did)
    }

    /// Goes on with a task that passes the cache by, unless another copy is in its way.
    fn direct_again(&mut self, task: TaskId) -> Fallible {
        let state = self.tasks.take(task);
        let Task { asked, pages, .. } = &state;
        let waits = self.core.layout.level == Level::Raid1 && self.mirrors.is_copied(asked, pages);
        if waits {
            self.mirrors.hold_up(task, pages);
        } else {
            self.core.requests.add_part(asked.id);
            self.direct(asked, pages)?;
            self.fail_lost()?;
        }
        self.tasks.put_back(task, state);
        if !waits {
            self.tasks.end(task, &mut self.core);
        }
        Ok(())
    }
}
