//! What an array counts: reads and writes by what they are for, stripes, rebuilds and scrubs.

use super::member::DriveRequest;
use super::state::State;
use super::update_counts::UpdateCounts;
use crate::ids::{ById, MemberId, StripeId};
use wordline_trace::Op;

/// What a request to a drive is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Data of the host, or data that is read to update parity.
    Data,
    /// Parity.
    Parity,
    /// A rebuild or scrub.
    Sync,
    /// The partial parity log or the journal, and the flushes that it needs.
    Log,
}

/// How many purposes there are.
pub const PURPOSES: usize = 4;

impl Purpose {
    /// All of them.
    pub(super) const ALL: [Self; PURPOSES] = [Self::Data, Self::Parity, Self::Sync, Self::Log];
}

/// Requests to one drive and pages of the array that they cover, begun ones whole, by [`Purpose`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DriveCounts {
    pub reads: [u64; PURPOSES],
    pub writes: [u64; PURPOSES],
    pub pages_read: [u64; PURPOSES],
    pub pages_written: [u64; PURPOSES],
}

/// Mapping units of the drives that were written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct UnitsWritten {
    pub data: u64,
    pub parity: u64,
}

/// Stripes written, by how their parity was updated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StripeWrites {
    /// All of the stripe was written, without a read.
    pub full: u64,
    /// What was written over was read.
    pub read_modify: u64,
    /// The rest of the stripe was read.
    pub reconstruct: u64,
    /// Enough was in the cache.
    pub cached: u64,
}

/// A rebuild or scrub.
#[derive(Debug, Clone, PartialEq)]
pub struct SyncRun {
    /// A rebuild or a scrub.
    pub kind: State,
    /// When it began.
    pub began_ns: u64,
    /// When it was over; `None` if the run ended before.
    pub over_ns: Option<u64>,
    /// Stripes in all.
    pub stripes: u32,
    /// Stripes done.
    pub done: u32,
    /// `(simulated time, stripes done)`, a hundred at most.
    pub progress: Vec<(u64, u32)>,
}

/// Bytes of a page or unit, and their logarithm to base 2 where that is whole.
#[derive(Debug, Clone, Copy)]
struct Granule {
    bytes: u64,
    shift: Option<u32>,
}

impl Granule {
    fn new(bytes: u64) -> Self {
        Self { bytes, shift: bytes.is_power_of_two().then(|| bytes.trailing_zeros()) }
    }

    #[inline]
    fn of(self, byte: u64) -> u64 {
        match self.shift {
            Some(shift) => byte >> shift,
            None => byte / self.bytes,
        }
    }

    /// The first one that a request touches, and the one behind the last.
    #[inline]
    fn touched(self, request: &DriveRequest) -> (u64, u64) {
        let end = request.offset_bytes + u64::from(request.size_bytes);
        (self.of(request.offset_bytes), self.of(end + self.bytes - 1))
    }
}

/// Running totals of an array.
#[derive(Debug)]
pub struct Counts {
    page: Granule,
    unit: Granule,
    /// Host requests taken.
    pub host_requests: u64,
    /// Of each drive, and of the spare behind them.
    pub drives: ById<MemberId, DriveCounts>,
    /// Stripes written, by how their parity was updated.
    pub stripe_writes: StripeWrites,
    /// Times that a stripe had to wait before it was allowed to read.
    pub delayed_stripes: u64,
    /// Pages of a lost drive that were computed.
    pub computed_pages: u64,
    /// Times that a request waited for a stripe head.
    pub waits_for_stripe: u64,
    /// Times that a request waited for another that was about to write the same sectors.
    pub waits_for_overlap: u64,
    /// Trims that were not passed on.
    pub trims_dropped: u64,
    /// Stripes that a scrub found inconsistent.
    pub mismatches: u64,
    /// When a drive was lost.
    pub lost_at_ns: Option<u64>,
    /// Mapping units of the drives that were written with data, and with parity.
    pub units_written: UnitsWritten,
    /// How data and parity are written over, where that is counted.
    pub updates: Option<UpdateCounts>,
    /// Rebuilds and scrubs.
    pub syncs: Vec<SyncRun>,
}

impl Counts {
    /// Nothing counted, for so many drives of so many pages, which map units of so many bytes. Where updates are counted,
    /// `cached` is for how many stripes parity would be held back.
    pub fn new(
        drives: u32,
        pages: u32,
        (page_bytes, unit_bytes): (u64, u64),
        cached: Option<usize>,
    ) -> Self {
        let units = (u64::from(pages) * page_bytes).div_ceil(unit_bytes);
        let updates = cached.map(|stripes| UpdateCounts::new(drives, units, stripes));
        Self::with(updates, drives, (Granule::new(page_bytes), Granule::new(unit_bytes)))
    }

    fn with(updates: Option<UpdateCounts>, drives: u32, (page, unit): (Granule, Granule)) -> Self {
        Self {
            page,
            unit,
            host_requests: 0,
            drives: ById::filled(DriveCounts::default(), drives),
            stripe_writes: StripeWrites::default(),
            delayed_stripes: 0,
            computed_pages: 0,
            waits_for_stripe: 0,
            waits_for_overlap: 0,
            trims_dropped: 0,
            mismatches: 0,
            lost_at_ns: None,
            units_written: UnitsWritten::default(),
            updates,
            syncs: Vec::new(),
        }
    }

    /// Bytes of a page of the array.
    pub fn page_bytes(&self) -> u64 {
        self.page.bytes
    }

    /// Mapping unit of the drives.
    pub fn unit_bytes(&self) -> u64 {
        self.unit.bytes
    }

    /// Counts anew: of what came before only failures, rebuilds and scrubs are kept.
    pub fn count_anew(&mut self) {
        let updates = self.updates.take().map(UpdateCounts::anew);
        let anew = Self::with(updates, self.drives.count(), (self.page, self.unit));
        *self = Self {
            host_requests: self.host_requests,
            mismatches: self.mismatches,
            lost_at_ns: self.lost_at_ns,
            syncs: std::mem::take(&mut self.syncs),
            ..anew
        };
    }

    /// Data of a stripe is written.
    #[inline]
    pub(super) fn note_stripe(&mut self, stripe: StripeId) {
        if let Some(updates) = &mut self.updates {
            updates.note_stripe(stripe);
        }
    }

    /// Takes in what was held back to be counted together: due before anything is asked.
    pub fn add_up(&mut self) {
        if let Some(updates) = &mut self.updates {
            updates.add_up();
        }
    }

    /// The pages of a drive that a request touches: the first, and the one behind the last.
    #[inline]
    pub(super) fn pages_of(&self, request: &DriveRequest) -> (u64, u64) {
        self.page.touched(request)
    }

    /// A request goes to a drive that touches pages of it up to `end`.
    #[inline(always)]
    pub(super) fn note(
        &mut self,
        member: MemberId,
        request: &DriveRequest,
        (first, end): (u64, u64),
        purpose: Purpose,
        now_ns: u64,
    ) {
        debug_assert_eq!((first, end), self.pages_of(request));
        let counts = &mut self.drives[member];
        let pages = end - first;
        let at = purpose as usize;
        match request.op {
            Op::Read => {
                counts.reads[at] += 1;
                counts.pages_read[at] += pages;
            }
            Op::Write => {
                counts.writes[at] += 1;
                counts.pages_written[at] += pages;
                if matches!(purpose, Purpose::Data | Purpose::Parity) {
                    let is_alike = self.unit.bytes == self.page.bytes;
                    let units = if is_alike { (first, end) } else { self.unit.touched(request) };
                    let written = &mut self.units_written;
                    let of = if request.parity { &mut written.parity } else { &mut written.data };
                    *of += units.1 - units.0;
                    if let Some(updates) = &mut self.updates {
                        updates.write(member, units, request.parity, now_ns);
                    }
                }
            }
            Op::Trim | Op::Flush => {}
        }
    }

    pub(super) fn begin_sync(&mut self, kind: State, now_ns: u64, stripes: u32) {
        let progress = vec![(now_ns, 0)];
        let run = SyncRun { kind, began_ns: now_ns, over_ns: None, stripes, done: 0, progress };
        self.syncs.push(run);
    }

    /// Stripes up to `done` are done.
    pub(super) fn sync_to(&mut self, now_ns: u64, done: u32, is_over: bool) {
        let Some(run) = self.syncs.last_mut() else { return };
        run.done = done;
        let last = run.progress.last().map_or(0, |&(_, stripes)| stripes);
        if is_over || u64::from(done - last) * 100 >= u64::from(run.stripes) {
            run.progress.push((now_ns, done));
        }
        run.over_ns = is_over.then_some(now_ns);
    }
}
