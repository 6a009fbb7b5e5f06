//! Requests to the drives, and their ends. Pages that are read or written at the same moment and
//! follow one another on a drive go there as one request, as they do in Linux' block layer.

use super::contents::Contents;
use super::counts::Purpose;
use super::drive_set::DriveSet;
use super::jobs::{BlockJob, BlockOp, Errand, Job, LogJob};
use super::machine::Array;
use super::member::{DriveRequest, Member};
use super::pages::Cached;
use crate::engine::RequestId;
use crate::error::{Error, Fallible};
use crate::ids::{DriveId, HeadId, Id, Ids, MemberId, StripeId};
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
            let errand = Errand::new(drive, is_write, purpose, is_parity, fua);
            self.plug.push(BlockOp::new(errand, state.stripe, head));
        }
    }

    /// Sends what was held back, neighbours together.
    #[inline(never)]
    pub(super) fn send_plugged(&mut self) -> Fallible {
        let mut plug = std::mem::take(&mut self.plug);
        plug.sort_unstable();
        for run in plug.chunk_by(|&op, &next| op.is_before(next)) {
            let (errand, stripe) = (run[0].errand(), run[0].stripe());
            let (drive, is_write) = (errand.drive(), errand.is_write());
            let page_bytes = self.rules.page_bytes;
            let request = DriveRequest {
                op: if is_write { Op::Write } else { Op::Read },
                offset_bytes: u64::from(stripe.number()) * page_bytes,
                size_bytes: (run.len() as u64 * page_bytes) as u32,
                parity: errand.is_parity(),
                fua: errand.fua(),
            };
            for op in run.iter().filter(|_| is_write) {
                self.contents.send(Cached { head: op.head(), drive }, op.stripe());
            }
            match run {
                [op] => {
                    let block = BlockJob { head: op.head(), drive, stripe, is_write };
                    self.send_with(drive, &request, errand.purpose(), || Job::Block(block))?;
                }
                _ => self.send_blocks(run, &request)?,
            }
        }
        plug.clear();
        self.plug = plug;
        Ok(())
    }

    /// Sends a request for several pages.
    #[inline(never)]
    fn send_blocks(&mut self, run: &[BlockOp], request: &DriveRequest) -> Fallible {
        let (errand, first_stripe) = (run[0].errand(), run[0].stripe());
        let (drive, is_write) = (errand.drive(), errand.is_write());
        let heads = run.iter().map(|op| op.head()).collect();
        let job = Job::Blocks { heads, drive, first_stripe, is_write };
        self.send(drive, request, errand.purpose(), job)
    }

    /// Sends a request to the drive in a bay; where there is none the job has failed.
    #[inline(never)]
    pub(super) fn send(
        &mut self,
        drive: DriveId,
        request: &DriveRequest,
        purpose: Purpose,
        job: Job,
    ) -> Fallible {
        self.send_with(drive, request, purpose, || job)
    }

    /// The same, for those through which most requests go. Each job is made where it will stand: what has just been
    /// written in parts is slow to copy as a whole.
    #[inline(always)]
    pub(super) fn send_with(
        &mut self,
        drive: DriveId,
        request: &DriveRequest,
        purpose: Purpose,
        job: impl FnOnce() -> Job,
    ) -> Fallible {
        match self.member_of(drive) {
            Some(member) => {
                self.jobs[member].push(job);
                self.hand_over(member, request, purpose)
            }
            None => {
                self.contents.unsent();
                self.failed(job())
            }
        }
    }

    /// Hands a request over to a member, whose job is noted.
    #[inline(always)]
    pub(super) fn hand_over(
        &mut self,
        member: MemberId,
        request: &DriveRequest,
        purpose: Purpose,
    ) -> Fallible {
        self.counts.note(member, request, purpose, self.now_ns);
        self.contents.sent(member, request, &mut self.members[member]);
        let next_ns = self.members[member].submit(request, self.now_ns, &mut self.ends)?;
        self.contents.taken(member, request, &mut self.members[member]);
        self.learn_ends(member, next_ns);
        Ok(())
    }

    /// A request to a member is over.
    #[inline(always)]
    pub(super) fn ended(&mut self, member: MemberId, number: u64) -> Fallible {
        if let Some(block) = self.jobs[member].take_block(number) {
            return self.block_done(block);
        }
        self.other_ended(member, number)
    }

    #[inline]
    fn other_ended(&mut self, member: MemberId, number: u64) -> Fallible {
        match self.jobs[member].take(number) {
            None | Some(Job::Mend) => Ok(()),
            Some(Job::Block(block)) => self.block_done(block),
            Some(Job::Blocks { heads, drive, first_stripe, is_write }) => {
                self.blocks_done(&heads, drive, first_stripe, is_write)
            }
            Some(Job::Read { id, drive, stripe, parts }) => {
                let stripes = Ids::new(stripe, parts.len() as u32);
                for (stripe, &part) in stripes.into_iter().zip(parts.iter()) {
                    self.contents.serve_direct(drive, stripe, part);
                }
                self.requests.part_done(id, self.now_ns);
                Ok(())
            }
            Some(Job::Part(id)) => {
                self.requests.part_done(id, self.now_ns);
                Ok(())
            }
            Some(Job::Write { id, drive, stripe, parts, mirrors }) => {
                let stripes = Ids::new(stripe, parts.len() as u32);
                for (stripe, &part) in stripes.into_iter().zip(parts.iter()) {
                    self.contents.store_direct(drive, stripe, part);
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
        self.requests.part_done(id, self.now_ns);
        if let Some(write) = mirrors {
            self.mirrors.has_written(write);
        }
    }

    #[inline(never)]
    fn blocks_done(
        &mut self,
        heads: &[HeadId],
        drive: DriveId,
        first_stripe: StripeId,
        is_write: bool,
    ) -> Fallible {
        let stripes = Ids::new(first_stripe, heads.len() as u32);
        let mut all = stripes.into_iter().zip(heads);
        all.try_for_each(|(stripe, &head)| {
            self.block_done(BlockJob { head, drive, stripe, is_write })
        })
    }

    #[inline(always)]
    fn block_done(&mut self, block: BlockJob) -> Fallible {
        let BlockJob { head, drive, stripe, is_write } = block;
        let page = Cached { head, drive };
        let mut read = DriveSet::default();
        if is_write {
            self.contents.store(page, stripe);
        } else {
            let (contents, mut drives) = self.contents_and_drives();
            contents.fetch(page, stripe, &mut drives);
            read = DriveSet::of(drive);
        }
        let pages = self.cache.pages(head);
        pages.uptodate |= read;
        pages.locked &= !DriveSet::of(drive);
        // What else happens now may be for the same stripe, which then has its place in the list already.
        match self.events.next_ns() > self.now_ns && self.only_waits(head) {
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

    /// The drive was lost before the request was over.
    pub(super) fn failed(&mut self, job: Job) -> Fallible {
        match job {
            Job::Block(BlockJob { head, drive, is_write, .. }) => {
                self.block_failed(head, drive, is_write)?;
            }
            Job::Blocks { heads, drive, is_write, .. } => {
                heads.iter().try_for_each(|&head| self.block_failed(head, drive, is_write))?;
            }
            Job::Read { id, parts, .. } => {
                self.read_again(id, &parts);
                self.requests.part_done(id, self.now_ns);
            }
            Job::Mend => {}
            Job::Part(id) => self.requests.part_done(id, self.now_ns),
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
