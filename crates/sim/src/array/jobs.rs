//! What requests to the drives were for.

use super::counts::Purpose;
use super::pages::Part;
use crate::engine::RequestId;
use crate::ids::{DriveId, HeadId, StripeId};
use crate::util::Few;
use std::collections::VecDeque;

/// A page of the stripe cache to be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockOp {
    pub drive: DriveId,
    pub is_write: bool,
    pub purpose: Purpose,
    pub is_parity: bool,
    pub fua: bool,
    pub stripe: StripeId,
    pub head: HeadId,
}

/// What a request to a drive was for.
#[derive(Debug)]
pub(super) enum Job {
    /// Pages of the cache, of stripes that follow one another.
    Blocks { drive: DriveId, is_write: bool, first_stripe: StripeId, heads: Few<HeadId> },
    /// The host reads from the drive.
    Read { id: RequestId, drive: DriveId, stripe: StripeId, parts: Few<Part> },
    /// Part of a request of the host of which nothing need be known.
    Part(RequestId),
    /// The host writes to the drive; of mirrors, the number of the write among those under way.
    Write {
        id: RequestId,
        drive: DriveId,
        stripe: StripeId,
        parts: Few<Part>,
        mirrors: Option<u32>,
    },
    /// An entry of the log of a drive.
    Log(DriveId),
    /// A flush for the sake of the log of a drive.
    LogFlush(DriveId),
    /// The entry of this number of the journal.
    Journal(u32),
    /// A flush of the drive of the journal.
    JournalFlush,
    /// A flush of a drive, so that the journal need not hold on to what was written to it.
    Reclaim,
    /// The page that says where the journal begins.
    JournalBegin,
    /// A page that is written anew as the array restarts, or the flush behind all of these.
    Mend,
    /// Mirrors are copied or compared: this copy's number.
    Copy(u32),
}

/// The requests of one member whose ends have not come, by number.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    jobs: VecDeque<Option<Job>>,
    first: u64,
}

impl Jobs {
    /// A request more.
    pub fn push(&mut self, job: Job) {
        self.jobs.push_back(Some(job));
    }

    /// Requests under way, and those behind them that are over.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// True while a request is under way.
    pub fn are_left(&self) -> bool {
        self.len() > 0
    }

    /// The job of a request that has ended.
    pub fn take(&mut self, number: u64) -> Option<Job> {
        let job = self.jobs.get_mut(number.checked_sub(self.first)? as usize)?.take();
        while matches!(self.jobs.front(), Some(None)) {
            self.jobs.pop_front();
            self.first += 1;
        }
        job
    }

    /// Every job, oldest first; none of their ends will come.
    pub fn take_all(&mut self) -> Vec<Job> {
        self.first += self.jobs.len() as u64;
        self.jobs.drain(..).flatten().collect()
    }
}
