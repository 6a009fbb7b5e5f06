//! What RAID 5 writes before it writes stripes.

use super::core::{Core, Storage};
use super::jobs::LogJob;
use super::journal::Journal;
use super::pages::Logged;
use super::ppl::Ppl;
use super::rules::{Logging, Rules};
use super::stripes::Stripes;
use crate::error::Fallible;
use crate::ids::{DriveId, HeadId, MemberId};

/// The log of stripes that an array keeps, if it keeps one.
#[derive(Debug)]
pub(super) enum StripeLog {
    None,
    Ppl(Ppl),
    Journal(Box<Journal>),
}

impl StripeLog {
    /// An empty one; the last member is that of a journal.
    pub fn new(rules: &Rules, drives: u32, last: MemberId) -> Self {
        match rules.logging {
            Logging::None => Self::None,
            Logging::Ppl { pages } => Self::Ppl(Ppl::new(drives, pages)),
            Logging::Journal { pages } => {
                Self::Journal(Box::new(Journal::new(last, pages, rules.page_bytes)))
            }
        }
    }

    /// Whether none is kept.
    #[inline(always)]
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether whatever was acknowledged is durable.
    pub fn holds_all(&self) -> bool {
        matches!(self, Self::Journal(_))
    }

    /// True for the member of a journal.
    pub fn is_on(&self, member: MemberId) -> bool {
        matches!(self, Self::Journal(journal) if journal.member == member)
    }

    /// Stripes, whose pages are locked, are to be written once they are logged.
    pub fn put(&mut self, stripes: impl Iterator<Item = Logged>) {
        match self {
            Self::None => {}
            Self::Ppl(ppl) => stripes.for_each(|logged| ppl.put(logged)),
            Self::Journal(journal) => stripes.for_each(|logged| journal.put(logged)),
        }
    }

    /// Writes what waits, if there is room; true when there was any.
    #[inline(never)]
    pub fn write<S: Storage>(&mut self, core: &mut Core<S>) -> Fallible<bool> {
        match self {
            Self::None => Ok(false),
            Self::Ppl(ppl) => ppl.write(core),
            Self::Journal(journal) => journal.write(core),
        }
    }

    /// A page of a stripe has been written, or its drive is lost.
    #[inline(never)]
    pub fn page_written<S: Storage>(
        &mut self,
        head: HeadId,
        parity: DriveId,
        core: &mut Core<S>,
    ) -> Fallible {
        match self {
            Self::None => Ok(()),
            Self::Ppl(ppl) => ppl.page_written(head, parity, core),
            Self::Journal(journal) => journal.page_written(head, core),
        }
    }

    /// A request for the sake of the log is over.
    #[inline(never)]
    pub fn ended<S: Storage>(
        &mut self,
        job: LogJob,
        stripes: &mut Stripes,
        core: &mut Core<S>,
    ) -> Fallible {
        match (self, job) {
            (Self::Ppl(ppl), LogJob::Entry(drive)) => ppl.entry_done(drive, stripes),
            (Self::Ppl(ppl), LogJob::EntryFlush(drive)) => ppl.flushed(drive),
            (Self::Journal(journal), LogJob::Journal(entry)) => journal.logged(entry, core)?,
            (Self::Journal(journal), LogJob::JournalFlush) => journal.flushed(stripes, core)?,
            (Self::Journal(journal), LogJob::Reclaim) => journal.drive_flushed(core)?,
            (Self::Journal(journal), LogJob::JournalBegin) => journal.reclaimed(),
            (_, job) => debug_assert!(false, "no log of an array asks for {job:?}"),
        }
        Ok(())
    }
}
