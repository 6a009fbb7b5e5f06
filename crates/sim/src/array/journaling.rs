//! The write journal of RAID 5 on a drive of its own, as Linux md keeps it in write-through mode
//! (drivers/md/raid5-cache.c): data and parity of a stripe go to the journal first, then the journal is flushed, and
//! then the stripe is written. After a power cut whatever the journal holds is written again.
//!
//! Entries may be under way side by side, and are flushed together. What they took is free again once the drives of their
//! stripes were flushed and a page of the journal's drive says so; md keeps that in the superblocks of all drives.

use super::contents::Contents;
use super::counts::Purpose;
use super::drive_set::DriveSet;
use super::jobs::{Job, LogJob};
use super::journal::{Journal, Next};
use super::machine::Array;
use super::member::{DriveRequest, Member};
use crate::error::Fallible;
use crate::ids::{DriveId, HeadId, StripeId};
use wordline_trace::Op;

/// The page that says where the journal begins; the journal is behind it.
const BEGIN: StripeId = StripeId(0);

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// Writes what waits for the journal, if there is room; true when there was any.
    pub(super) fn write_journal(&mut self) -> Fallible<bool> {
        let Some(journal) = &mut self.journal else { return Ok(false) };
        let Some(Next { number, place, pages }) = journal.next() else {
            self.reclaim()?;
            return Ok(false);
        };
        let first = StripeId(BEGIN.0 + 1 + place);
        self.core.contents.journal(first, pages, journal.stripes(number));
        self.write_to_journal((first, pages), false, Job::Log(LogJob::Journal(number)))?;
        Ok(true)
    }

    fn write_to_journal(
        &mut self,
        (first, pages): (StripeId, u32),
        fua: bool,
        job: Job,
    ) -> Fallible {
        let page_bytes = self.core.rules.page_bytes;
        let request = DriveRequest {
            op: Op::Write,
            offset_bytes: u64::from(first.0) * page_bytes,
            size_bytes: (u64::from(pages) * page_bytes) as u32,
            parity: false,
            fua,
        };
        self.send_to_journal(&request, job)
    }

    fn send_to_journal(&mut self, request: &DriveRequest, job: Job) -> Fallible {
        match self.journal.as_ref().map(|journal| journal.member) {
            Some(member) => self.core.send_to(member, request, Purpose::Log, job),
            None => Ok(()),
        }
    }

    /// An entry is written, and waits for a flush.
    pub(super) fn journaled(&mut self, number: u32) -> Fallible {
        if let Some(journal) = &mut self.journal {
            journal.logged(number);
        }
        self.flush_journal()
    }

    fn flush_journal(&mut self) -> Fallible {
        match self.journal.as_mut().is_some_and(Journal::begin_flush) {
            true => self.send_to_journal(&DriveRequest::FLUSH, Job::Log(LogJob::JournalFlush)),
            false => Ok(()),
        }
    }

    /// Entries are durable: their stripes are written.
    pub(super) fn journal_flushed(&mut self) -> Fallible {
        let stripes = self.journal.as_mut().map(Journal::flushed).unwrap_or_default();
        for logged in stripes {
            for drive in logged.drives {
                self.issue(logged.head, DriveSet::of(drive), true, false);
            }
        }
        self.flush_journal()
    }

    /// A page of a stripe has been written, or its drive is lost.
    pub(super) fn journaled_page_written(&mut self, head: HeadId) -> Fallible {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        journal.page_written(head);
        self.reclaim()
    }

    /// Flushes the drives if it is time to, so that what the journal holds of them is not needed any more.
    fn reclaim(&mut self) -> Fallible {
        let drives: Vec<DriveId> = self.core.bays.writable().collect();
        let count = drives.len() as u32;
        if !self.journal.as_mut().is_some_and(|journal| journal.begin_reclaim(count)) {
            return Ok(());
        }
        drives.into_iter().try_for_each(|drive| {
            self.core.send(drive, &DriveRequest::FLUSH, Purpose::Log, Job::Log(LogJob::Reclaim))
        })
    }

    /// A drive is flushed, or lost; after the last one it is written down where the journal begins.
    pub(super) fn reclaim_flushed(&mut self) -> Fallible {
        match self.journal.as_mut().and_then(Journal::drive_flushed) {
            Some(entry) => {
                self.core.contents.begin_journal(BEGIN, entry);
                self.write_to_journal((BEGIN, 1), true, Job::Log(LogJob::JournalBegin))
            }
            None => Ok(()),
        }
    }

    /// What the journal does not hold any more has made room.
    pub(super) fn reclaimed(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.reclaimed();
        }
    }
}
