//! What requests to the drives were for.

use super::counts::{PURPOSES, Purpose};
use super::pages::Part;
use crate::ids::{DriveId, HeadId, Id, StripeId};
use crate::nand::command::RequestId;
use crate::util::Few;

/// What is done with pages, and on which drive: where that is the same, pages that follow one another go there as one
/// request. In a single number, because many are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MemberTag(u32);

impl MemberTag {
    /// Pages of a drive are read or written.
    #[inline]
    pub fn new(
        drive: DriveId,
        is_write: bool,
        purpose: Purpose,
        is_parity: bool,
        fua: bool,
    ) -> Self {
        let flags = u32::from(is_write) << 4 | (purpose as u32) << 2;
        Self(drive.number() << 5 | flags | u32::from(is_parity) << 1 | u32::from(fua))
    }

    #[inline]
    pub fn drive(self) -> DriveId {
        DriveId(self.0 >> 5)
    }

    #[inline]
    pub fn is_write(self) -> bool {
        self.0 & 1 << 4 != 0
    }

    #[inline]
    pub fn purpose(self) -> Purpose {
        Purpose::ALL[(self.0 >> 2) as usize % PURPOSES]
    }

    #[inline]
    pub fn is_parity(self) -> bool {
        self.0 & 1 << 1 != 0
    }

    #[inline]
    pub fn fua(self) -> bool {
        self.0 & 1 != 0
    }
}

/// A page of the stripe cache to be read or written: its tag, its stripe, and the stripe's head, in a single number,
/// too. Those of neighbours follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockOp(u64);

/// Bits of the number of a stripe's head.
pub(super) const HEAD_BITS: u32 = 21;

impl BlockOp {
    #[inline]
    pub fn new(tag: MemberTag, stripe: StripeId, head: HeadId) -> Self {
        debug_assert!(head.number() >> HEAD_BITS == 0, "{head:?}");
        let place = u64::from(tag.0) << u32::BITS | u64::from(stripe.number());
        Self(place << HEAD_BITS | u64::from(head.number()))
    }

    /// Where it stands among others: no two have the same.
    #[inline]
    fn place(self) -> u64 {
        self.0 >> HEAD_BITS
    }

    /// Whether `other` is the same tag for the next page of the drive.
    #[inline]
    pub fn is_before(self, other: Self) -> bool {
        other.place() == self.place() + 1
    }

    #[inline]
    pub fn tag(self) -> MemberTag {
        MemberTag((self.place() >> u32::BITS) as u32)
    }

    #[inline]
    pub fn stripe(self) -> StripeId {
        StripeId(self.place() as u32)
    }

    #[inline]
    pub fn head(self) -> HeadId {
        HeadId(self.0 as u32 & ((1 << HEAD_BITS) - 1))
    }
}

/// What a request to a drive was for.
#[derive(Debug)]
pub(super) enum Job {
    /// Pages of the cache, of stripes that follow one another: one, as a rule.
    Blocks { heads: Few<HeadId>, drive: DriveId, is_write: bool },
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
    /// What RAID 5 writes before it writes stripes.
    Log(LogJob),
    /// A page that is written anew as the array restarts, or the flush behind all of these.
    Repair,
    /// Mirrors are copied or compared: this copy's number.
    Copy(u32),
}

/// What a request for the sake of a log or of the journal was for.
#[derive(Debug, Clone, Copy)]
pub(super) enum LogJob {
    /// An entry of the log of a drive.
    Entry(DriveId),
    /// A flush for the sake of the log of a drive.
    EntryFlush(DriveId),
    /// The entry of this number of the journal.
    Journal(u32),
    /// A flush of the drive of the journal.
    JournalFlush,
    /// A flush of a drive, so that the journal need not hold on to what was written to it.
    Reclaim,
    /// The page that says where the journal begins.
    JournalBegin,
}

/// The requests of one member whose ends have not come, by number.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    /// Those from `first` on up to `next`, in a ring: each at the last bits of its number.
    ring: Vec<Option<Job>>,
    first: u64,
    next: u64,
}

impl Jobs {
    /// A request more; returns its number. Its job is made where it stands, because what is made before may have to be
    /// dropped on the way there, and so is written to memory twice.
    #[inline(always)]
    pub fn push(&mut self, job: impl FnOnce() -> Job) -> u64 {
        if self.len() == self.ring.len() {
            self.widen();
        }
        let number = self.next;
        let place = self.place(number);
        let free = &mut self.ring[place];
        let before = free.replace(job());
        debug_assert!(before.is_none(), "{before:?} has not ended");
        // What is no job need not be dropped.
        std::mem::forget(before);
        self.next += 1;
        number
    }

    /// A request more, whose end need not be told: it is as good as over.
    #[inline(always)]
    pub fn skip(&mut self) {
        match self.are_left() {
            true => self.skip_behind_others(),
            false => self.first += 1,
        }
        self.next += 1;
    }

    #[inline(never)]
    fn skip_behind_others(&mut self) {
        if self.len() == self.ring.len() {
            self.widen();
        }
        debug_assert!(self.ring[self.place(self.next)].is_none());
    }

    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.ring.len() - 1)
    }

    #[cold]
    fn widen(&mut self) {
        let places = (2 * self.ring.len()).max(8);
        let mut wider: Vec<Option<Job>> = std::iter::repeat_with(|| None).take(places).collect();
        for number in self.first..self.next {
            let place = self.place(number);
            wider[number as usize & (places - 1)] = self.ring[place].take();
        }
        self.ring = wider;
    }

    /// Requests under way, and those behind them that are over.
    #[inline]
    pub fn len(&self) -> usize {
        (self.next - self.first) as usize
    }

    /// True while a request is under way.
    pub fn are_left(&self) -> bool {
        self.len() > 0
    }

    /// The job of a request that has ended, if it was for one page of the cache: head, drive, and whether it was written.
    /// There is less to move of such a job.
    #[inline(always)]
    pub fn take_page(&mut self, number: u64) -> Option<(HeadId, DriveId, bool)> {
        let place = self.place_under_way(number)?;
        let Some(Job::Blocks { heads: Few::One(head), drive, is_write }) = self.ring[place] else {
            return None;
        };
        self.ring[place] = None;
        self.forget_first();
        Some((head, drive, is_write))
    }

    /// The job of a request that has ended.
    #[inline]
    pub fn take(&mut self, number: u64) -> Option<Job> {
        let place = self.place_under_way(number)?;
        let job = self.ring[place].take();
        self.forget_first();
        job
    }

    #[inline]
    fn place_under_way(&self, number: u64) -> Option<usize> {
        (self.first..self.next).contains(&number).then(|| self.place(number))
    }

    /// Forgets the first requests, as far as they are over.
    #[inline]
    fn forget_first(&mut self) {
        while self.first < self.next && self.ring[self.place(self.first)].is_none() {
            self.first += 1;
        }
    }

    /// Every job, oldest first; none of their ends will come.
    pub fn take_all(&mut self) -> Vec<Job> {
        let places: Vec<usize> = (self.first..self.next).map(|number| self.place(number)).collect();
        self.first = self.next;
        places.into_iter().filter_map(|place| self.ring[place].take()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, Jobs, LogJob, MemberTag, Purpose};
    use crate::ids::DriveId;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Each is a flush of the log of a drive that is numbered as it is.
        #[test]
        fn jobs_are_taken_by_their_numbers(steps in prop::collection::vec((0u8..20, 0u64..40), 0..200)) {
            let (mut jobs, mut expected, mut next) = (Jobs::default(), BTreeMap::new(), 0);
            let number_of = |job: Job| match job {
                Job::Log(LogJob::Entry(drive)) => drive.0,
                other => panic!("{other:?}"),
            };
            for (what, ago) in steps {
                match what {
                    0 => {
                        let taken: Vec<u32> = jobs.take_all().into_iter().map(number_of).collect();
                        prop_assert_eq!(taken, expected.into_values().collect::<Vec<u32>>());
                        expected = BTreeMap::new();
                    }
                    1..8 => {
                        let number = jobs.push(|| Job::Log(LogJob::Entry(DriveId(next))));
                        prop_assert_eq!(number, u64::from(next));
                        expected.insert(number, next);
                        next += 1;
                    }
                    8..10 => {
                        jobs.skip();
                        next += 1;
                    }
                    _ => {
                        let number = u64::from(next).wrapping_sub(ago);
                        prop_assert_eq!(jobs.take(number).map(number_of), expected.remove(&number));
                    }
                }
                let oldest = expected.first_key_value().map_or(u64::from(next), |(&number, _)| number);
                prop_assert_eq!(jobs.len() as u64, u64::from(next) - oldest);
            }
        }
    }

    #[test]
    fn a_tag_is_what_it_was_made_of_and_sorts_by_drive_first() {
        let mut all = Vec::new();
        for drive in [0, 1, 63].map(DriveId) {
            for flags in 0..8 {
                let [is_write, is_parity, fua] = [4, 2, 1].map(|flag| flags & flag != 0);
                for purpose in Purpose::ALL {
                    let tag = MemberTag::new(drive, is_write, purpose, is_parity, fua);
                    let parts = (drive, is_write, purpose, is_parity, fua);
                    let found = (tag.drive(), tag.is_write(), tag.purpose());
                    assert_eq!((found.0, found.1, found.2, tag.is_parity(), tag.fua()), parts);
                    all.push((parts, tag));
                }
            }
        }
        all.sort_unstable();
        assert!(all.is_sorted_by_key(|&(_, tag)| tag));
    }
}
