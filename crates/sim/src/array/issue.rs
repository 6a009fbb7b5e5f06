//! Requests to the drives, and their ends. Pages that are read or written at the same moment and
//! follow one another on a drive go there as one request, as they do in Linux' block layer.

use super::contents::Contents;
use super::counts::Purpose;
use super::drive_set::DriveSet;
use super::ends::Pair;
use super::events::PagesJob;
use super::jobs::{BlockJob, BlockOp, Job, LogJob, MemberTag};
use super::machine::Array;
use super::member::{DriveRequest, Member};
use super::pages::Cached;
use crate::error::{Error, Fallible};
use crate::ids::{DriveId, HeadId, Id, Ids, MemberId};
use crate::nand::command::RequestId;
use wordline_trace::Op;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Reads or writes drives' pages of a stripe, as soon as all that is to be done at the present is
    /// known; `syncs`: for the sake of a rebuild or scrub.
    pub(super) fn issue(&mut self, head: HeadId, drives: DriveSet, is_write: bool, syncs: bool) {
        let state = self.cache.head(head);
        state.pages.locked |= drives;
        // Parity is as durable as the data that it protects.
        let fua = is_write && !state.pages.fua.is_empty();
        for drive in drives.forwards() {
            let is_parity = state.parity == drive;
            let purpose = match is_parity {
                _ if syncs => Purpose::Sync,
                true => Purpose::Parity,
                false => Purpose::Data,
            };
            let errand = MemberTag::new(drive, is_write, purpose, is_parity, fua);
            self.plug.push(BlockOp::new(errand, state.stripe, head));
        }
    }

    /// Sends what was held back, neighbours together.
    #[inline(never)]
    pub(super) fn send_plugged(&mut self) -> Fallible {
        let mut plug = std::mem::take(&mut self.plug);
        plug.sort_unstable();
        let mut left = &plug[..];
        while let Some((&op, others)) = left.split_first() {
            if others.first().is_some_and(|&next| op.is_before(next)) {
                left = self.send_blocks(op, others)?;
            } else {
                left = others;
                self.send_block(op)?;
            }
            self.fail_lost()?;
        }
        plug.clear();
        self.plug = plug;
        Ok(())
    }

    /// Sends a request for one page.
    #[inline(always)]
    fn send_block(&mut self, op: BlockOp) -> Fallible {
        let (errand, head) = (op.errand(), op.head());
        let (drive, is_write) = (errand.drive(), errand.is_write());
        let request = self.request_of(op, 1);
        if is_write {
            self.core.contents.send(Cached { head, drive }, op.stripe());
        }
        let block = BlockJob { head, drive, is_write };
        let Some(member) = self.core.bays.member(drive) else {
            self.core.lose(Job::Block(block));
            return Ok(());
        };
        let stripe = u64::from(op.stripe().number());
        let pages = (stripe, stripe + 1);
        let end_ns = self.core.hand_over(member, &request, pages, errand.purpose())?;
        match self.core.is_known(end_ns) {
            true => {
                self.core.members.note_no_job(member);
                self.block_will_end(block, end_ns.max(self.core.now_ns));
                self.core.note_ends(member);
            }
            false => {
                self.part_pair(head);
                self.core.note_job(member, end_ns, || Job::Block(block));
            }
        }
        Ok(())
    }

    /// Sends a request for a page and for its neighbours among `others`; returns the rest of these.
    #[inline(never)]
    fn send_blocks<'a>(
        &mut self,
        first: BlockOp,
        others: &'a [BlockOp],
    ) -> Fallible<&'a [BlockOp]> {
        let mut last = first;
        let is_next = |&&next: &&BlockOp| std::mem::replace(&mut last, next).is_before(next);
        let (others, rest) = others.split_at(others.iter().take_while(is_next).count());
        let all = || std::iter::once(&first).chain(others);
        let errand = first.errand();
        let (drive, is_write) = (errand.drive(), errand.is_write());
        let request = self.request_of(first, 1 + others.len());
        for op in all().filter(|_| is_write) {
            self.core.contents.send(Cached { head: op.head(), drive }, op.stripe());
        }
        all().for_each(|op| self.part_pair(op.head()));
        let heads = all().map(|op| op.head()).collect();
        let job = Job::Blocks { heads, drive, is_write };
        self.core.send(drive, &request, errand.purpose(), job)?;
        Ok(rest)
    }

    /// The request for so many pages from the first on.
    #[inline]
    fn request_of(&self, first: BlockOp, pages: usize) -> DriveRequest {
        let (errand, page_bytes) = (first.errand(), self.core.rules.page_bytes);
        DriveRequest {
            op: if errand.is_write() { Op::Write } else { Op::Read },
            offset_bytes: u64::from(first.stripe().number()) * page_bytes,
            size_bytes: (pages as u64 * page_bytes) as u32,
            parity: errand.is_parity(),
            fua: errand.fua(),
        }
    }

    /// A request to a member is over.
    #[inline(always)]
    pub(super) fn ended(&mut self, member: MemberId, number: u64) -> Fallible {
        if let Some(block) = self.core.members.jobs(member).take_block(number) {
            return self.block_done(block);
        }
        self.other_ended(member, number)?;
        self.fail_lost()
    }

    #[inline]
    fn other_ended(&mut self, member: MemberId, number: u64) -> Fallible {
        match self.core.members.jobs(member).take(number) {
            None | Some(Job::Mend) => Ok(()),
            Some(Job::Block(block)) => self.block_done(block),
            Some(Job::Blocks { heads, drive, is_write }) => {
                self.blocks_done(&heads, drive, is_write)
            }
            Some(Job::Read { id, drive, stripe, parts }) => {
                let stripes = Ids::new(stripe, parts.len() as u32);
                for (stripe, &part) in stripes.into_iter().zip(parts.iter()) {
                    self.core.contents.serve_direct(drive, stripe, part);
                }
                self.core.part_done(id);
                Ok(())
            }
            Some(Job::Part(id)) => {
                self.core.part_done(id);
                Ok(())
            }
            Some(Job::Write { id, drive, stripe, parts, mirrors }) => {
                let stripes = Ids::new(stripe, parts.len() as u32);
                for (stripe, &part) in stripes.into_iter().zip(parts.iter()) {
                    self.core.contents.store_direct(drive, stripe, part);
                }
                self.written(id, mirrors);
                Ok(())
            }
            Some(Job::Copy(copy)) => self.copy_step(copy),
            Some(Job::Log(job)) => self.log_ended(job),
        }
    }

    /// A request for the sake of a log or of the journal is over. Few are: apart, so that most ends need no room for it.
    #[inline(never)]
    fn log_ended(&mut self, job: LogJob) -> Fallible {
        match job {
            LogJob::Entry(drive) => self.entry_done(drive),
            LogJob::EntryFlush(drive) => self.log_flushed(drive),
            LogJob::Journal(entry) => self.journaled(entry)?,
            LogJob::JournalFlush => self.journal_flushed()?,
            LogJob::Reclaim => self.reclaim_flushed()?,
            LogJob::JournalBegin => self.reclaimed(),
        }
        Ok(())
    }

    #[inline(always)]
    fn written(&mut self, id: RequestId, mirrors: Option<u32>) {
        self.core.part_done(id);
        if let Some(write) = mirrors {
            self.mirrors.has_written(write);
        }
    }

    #[inline(never)]
    fn blocks_done(&mut self, heads: &[HeadId], drive: DriveId, is_write: bool) -> Fallible {
        heads.iter().try_for_each(|&head| self.block_done(BlockJob { head, drive, is_write }))
    }

    #[inline(always)]
    fn block_done(&mut self, block: BlockJob) -> Fallible {
        let BlockJob { head, drive, is_write } = block;
        self.pages_done(PagesJob { head, drives: (drive, drive), is_write })
    }

    /// What a page of the cache holds is read or written.
    #[inline]
    fn move_contents(&mut self, head: HeadId, drive: DriveId, is_write: bool) {
        let (page, stripe) = (Cached { head, drive }, self.cache.heads[head].stripe);
        if is_write {
            self.core.contents.store(page, stripe);
        } else {
            let (contents, mut drives) = self.core.contents_and_drives(&self.cache);
            contents.fetch(page, stripe, &mut drives);
        }
    }

    /// Pages of a stripe have been read or written.
    #[inline(always)]
    pub(super) fn pages_done(&mut self, done: PagesJob) -> Fallible {
        let PagesJob { head, is_write, .. } = done;
        if C::IS_TOLD {
            done.all().forwards().for_each(|drive| self.move_contents(head, drive, is_write));
        }
        let state = self.cache.head(head);
        if done.are_two() {
            state.pair = Pair::None;
        }
        state.pages.are_over(done.all(), is_write);
        // What else happens now may be for the same stripe, which then has its place in the list already.
        match self.core.events.next_ns() > self.core.now_ns && self.only_waits(head) {
            // Handled, it would do no more.
            true => self.goes_ahead(head),
            false => self.cache.will_handle(head),
        }
        if is_write { self.page_written(head) } else { Ok(()) }
    }

    fn block_failed(&mut self, head: HeadId, drive: DriveId, is_write: bool) -> Fallible {
        self.cache.pages(head).locked &= !DriveSet::of(drive);
        self.cache.will_handle(head);
        if is_write { self.page_written(head) } else { Ok(()) }
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
    pub(super) fn failed(&mut self, job: Job) -> Fallible {
        match job {
            Job::Block(BlockJob { head, drive, is_write }) => {
                self.block_failed(head, drive, is_write)?;
            }
            Job::Blocks { heads, drive, is_write } => {
                heads.iter().try_for_each(|&head| self.block_failed(head, drive, is_write))?;
            }
            Job::Read { id, parts, .. } => {
                self.read_again(id, &parts);
                self.core.part_done(id);
            }
            Job::Mend => {}
            Job::Part(id) => self.core.part_done(id),
            Job::Write { id, mirrors, .. } => self.written(id, mirrors),
            Job::Copy(copy) => self.copy_step(copy)?,
            Job::Log(LogJob::Journal(_) | LogJob::JournalFlush | LogJob::JournalBegin) => {
                return Err(Error::Invariant("the drive of a journal was lost".into()).into());
            }
            Job::Log(job) => self.log_ended(job)?,
        }
        Ok(())
    }
}
