//! What comes of requests to drives that are over, or whose drives are lost.

use super::contents::Contents;
use super::core::Core;
use super::events::Event;
use super::jobs::{Job, LogJob};
use super::machine::Array;
use super::member::Member;
use super::state::State;
use crate::error::{Error, Fallible};
use crate::ids::{DriveId, HeadId, Ids, MemberId};
use crate::nand::command::RequestId;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// A request to a member is over.
    #[inline(always)]
    pub(super) fn ended(&mut self, member: MemberId, number: u64) -> Fallible {
        if C::ITEMISES {
            let Core { contents, members, now_ns, .. } = &mut self.core;
            contents.ended(member, number, *now_ns, &mut members.all[member]);
        }
        if let Some((head, drive, is_write)) = self.core.members.jobs(member).take_page(number) {
            self.stripes.page_done(head, drive, is_write, &mut self.core);
            return self.note_written(head, is_write);
        }
        self.other_ended(member, number)
    }

    fn other_ended(&mut self, member: MemberId, number: u64) -> Fallible {
        match self.core.members.jobs(member).take(number) {
            None | Some(Job::Repair) => {}
            Some(Job::Blocks { heads, drive, is_write }) => {
                for &head in heads.iter() {
                    self.stripes.page_done(head, drive, is_write, &mut self.core);
                    self.note_written(head, is_write)?;
                }
            }
            Some(Job::Read { id, drive, stripe, parts }) => {
                let stripes = Ids::new(stripe, parts.len() as u32);
                for (stripe, &part) in stripes.into_iter().zip(parts.iter()) {
                    self.core.contents.serve_direct(drive, stripe, part);
                }
                self.core.part_done(id);
            }
            Some(Job::Part(id)) => self.core.part_done(id),
            Some(Job::Write { id, drive, stripe, parts, mirrors }) => {
                let stripes = Ids::new(stripe, parts.len() as u32);
                for (stripe, &part) in stripes.into_iter().zip(parts.iter()) {
                    self.core.contents.store_direct(drive, stripe, part);
                }
                self.written(id, mirrors);
            }
            Some(Job::Copy(copy)) => self.copy_step(copy)?,
            Some(Job::Log(job)) => self.log.ended(job, &mut self.stripes, &mut self.core)?,
        }
        self.fail_lost()
    }

    #[inline(always)]
    fn written(&mut self, id: RequestId, mirrors: Option<u32>) {
        self.core.part_done(id);
        if let Some(write) = mirrors {
            self.mirrors.has_written(write);
        }
    }

    fn copy_step(&mut self, copy: u32) -> Fallible {
        let Self { core, stripes, tasks, mirrors, recovery, .. } = self;
        let rebuilt = recovery.rebuilds();
        if let Some(stripes) = mirrors.copy_step(copy, rebuilt, tasks, stripes.cache(), core)? {
            recovery.synced(stripes, core);
        }
        Ok(())
    }

    /// A page of a stripe has been read or written, or its drive is lost.
    #[inline(always)]
    fn note_written(&mut self, head: HeadId, is_write: bool) -> Fallible {
        if !is_write || self.log.is_none() {
            return Ok(());
        }
        self.log.page_written(head, self.stripes.parity_of(head), &mut self.core)?;
        self.fail_lost()
    }

    /// Requests to drives that are lost have failed.
    #[inline(always)]
    pub(super) fn fail_lost(&mut self) -> Fallible {
        if self.core.lost.is_empty() { Ok(()) } else { self.fail_all_lost() }
    }

    #[cold]
    fn fail_all_lost(&mut self) -> Fallible {
        while let Some(job) = self.core.lost.pop_front() {
            self.failed(job)?;
        }
        Ok(())
    }

    /// The drive was lost before the request was over.
    fn failed(&mut self, job: Job) -> Fallible {
        match job {
            Job::Blocks { heads, drive, is_write } => {
                for &head in heads.iter() {
                    self.stripes.block_failed(head, drive);
                    self.note_written(head, is_write)?;
                }
            }
            Job::Read { id, parts, .. } => {
                self.tasks.read_again(id, &parts, &mut self.core);
                self.core.part_done(id);
            }
            Job::Repair => {}
            Job::Part(id) => self.core.part_done(id),
            Job::Write { id, mirrors, .. } => self.written(id, mirrors),
            Job::Copy(copy) => self.copy_step(copy)?,
            Job::Log(LogJob::Journal(_) | LogJob::JournalFlush | LogJob::JournalBegin) => {
                return Err(Error::Invariant("the drive of a journal was lost".into()).into());
            }
            Job::Log(job) => self.log.ended(job, &mut self.stripes, &mut self.core)?,
        }
        Ok(())
    }

    /// What happens besides ends of requests.
    #[cold]
    pub(super) fn happens(&mut self, event: Event) -> Fallible {
        self.core.contents.comes_about();
        match event {
            Event::Lose(drive) => self.lose(drive)?,
            Event::Scrub => self.recovery.scrub(),
            Event::End(..) | Event::Resume => {}
        }
        Ok(())
    }

    /// A drive no longer answers; the spare, if there is one, takes its place and is rebuilt.
    fn lose(&mut self, drive: DriveId) -> Fallible {
        let Some(member) = self.core.bays.lose(drive) else { return Ok(()) };
        self.core.counts.lost_at_ns = Some(self.core.now_ns);
        self.core.contents.lose(drive);
        self.recovery.stop();
        self.mirrors.void_copies();
        for job in self.core.members.lose(member) {
            self.failed(job)?;
            self.fail_lost()?;
        }
        if self.core.bays.member(drive).is_some() {
            self.recovery.rebuild(drive, &mut self.core);
        }
        Ok(())
    }

    /// What the array is doing besides serving the host.
    pub fn state(&self) -> State {
        match self.recovery.state() {
            Some(state) => state,
            None if self.is_degraded() => State::Degraded,
            None if self.core.counts.lost_at_ns.is_some() => State::Rebuilt,
            None => State::Whole,
        }
    }

    /// What has become of a member: `whole`, `failed`, `spare`, `rebuilding`, `rebuilt`, or `journal`.
    pub fn member_state(&self, member: MemberId) -> &'static str {
        if self.log.is_on(member) { "journal" } else { self.core.bays.state(member) }
    }

    /// True while a rebuild or scrub is under way, or one is due that can begin.
    pub fn is_syncing(&self) -> bool {
        self.recovery.is_syncing(self.is_degraded())
    }
}
