//! The write journal of RAID 5 on a drive of its own, as Linux md keeps it in write-through mode
//! (drivers/md/raid5-cache.c): data and parity of a stripe go to the journal first, then the journal is flushed, and
//! then the stripe is written. After a power cut whatever the journal holds is written again.
//!
//! Entries may be under way side by side, and are flushed together. What they took is free again once the drives of their
//! stripes were flushed and a page of the journal's drive says so; md keeps that in the superblocks of all drives.

use super::contents::Contents;
use super::core::{Core, Storage};
use super::counts::Purpose;
use super::jobs::{Job, LogJob};
use super::journal_ring::{JournalRing, Next};
use super::member::DriveRequest;
use super::pages::Logged;
use super::stripes::Stripes;
use crate::error::Fallible;
use crate::ids::{DriveId, HeadId, MemberId, StripeId};
use wordline_trace::Op;

/// The page that says where the journal begins; the journal is behind it.
const BEGIN: StripeId = StripeId(0);

/// The journal of an array.
#[derive(Debug)]
pub(super) struct Journal {
    /// Its drive.
    pub member: MemberId,
    ring: JournalRing,
}

impl Journal {
    /// An empty one of so many pages.
    pub fn new(member: MemberId, pages: u32, page_bytes: u64) -> Self {
        Self { member, ring: JournalRing::new(pages, page_bytes) }
    }

    /// A stripe is to be written once it is in the journal.
    pub fn put(&mut self, logged: Logged) {
        self.ring.put(logged);
    }

    /// Writes what waits, if there is room; true when there was any.
    pub fn write<S: Storage>(&mut self, core: &mut Core<S>) -> Fallible<bool> {
        let Some(Next { number, place, pages }) = self.ring.next() else {
            self.reclaim(core)?;
            return Ok(false);
        };
        let first = StripeId(BEGIN.0 + 1 + place);
        core.contents.journal(first, pages, self.ring.stripes(number));
        let request = DriveRequest::pages(Op::Write, first, pages, core.rules.page_bytes);
        self.send(&request, LogJob::Journal(number), core)?;
        Ok(true)
    }

    fn send<S: Storage>(
        &self,
        request: &DriveRequest,
        job: LogJob,
        core: &mut Core<S>,
    ) -> Fallible {
        core.send_to(self.member, request, Purpose::Log, Job::Log(job))
    }

    /// An entry is written, and waits for a flush.
    pub fn logged<S: Storage>(&mut self, entry: u32, core: &mut Core<S>) -> Fallible {
        self.ring.logged(entry);
        self.flush(core)
    }

    fn flush<S: Storage>(&mut self, core: &mut Core<S>) -> Fallible {
        match self.ring.begin_flush() {
            true => self.send(&DriveRequest::FLUSH, LogJob::JournalFlush, core),
            false => Ok(()),
        }
    }

    /// Entries are durable: their stripes are written.
    pub fn flushed<S: Storage>(&mut self, stripes: &mut Stripes, core: &mut Core<S>) -> Fallible {
        self.ring.flushed().iter().for_each(|logged| stripes.write_logged(logged));
        self.flush(core)
    }

    /// A page of a stripe has been written, or its drive is lost.
    pub fn page_written<S: Storage>(&mut self, head: HeadId, core: &mut Core<S>) -> Fallible {
        self.ring.page_written(head);
        self.reclaim(core)
    }

    /// Flushes the drives if it is time to, so that what the journal holds of them is not needed any more.
    fn reclaim<S: Storage>(&mut self, core: &mut Core<S>) -> Fallible {
        let drives: Vec<DriveId> = core.bays.writable().collect();
        if !self.ring.begin_reclaim(drives.len() as u32) {
            return Ok(());
        }
        drives.into_iter().try_for_each(|drive| {
            core.send(drive, &DriveRequest::FLUSH, Purpose::Log, Job::Log(LogJob::Reclaim))
        })
    }

    /// A drive is flushed, or lost; after the last one it is written down where the journal begins.
    pub fn drive_flushed<S: Storage>(&mut self, core: &mut Core<S>) -> Fallible {
        let Some(entry) = self.ring.drive_flushed() else { return Ok(()) };
        core.contents.begin_journal(BEGIN, entry);
        let request = DriveRequest::pages(Op::Write, BEGIN, 1, core.rules.page_bytes);
        self.send(&DriveRequest { fua: true, ..request }, LogJob::JournalBegin, core)
    }

    /// What the journal does not hold any more has made room.
    pub fn reclaimed(&mut self) {
        self.ring.reclaimed();
    }
}
