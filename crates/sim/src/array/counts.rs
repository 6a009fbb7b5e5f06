//! What an array counts: reads and writes by what they are for, stripes, rebuilds and scrubs.

use super::intervals::Intervals;
use super::member::DriveRequest;
use super::state::State;
use crate::ids::{ById, Id, MemberId, StripeId};
use crate::util::Lru;
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

/// Requests to one drive and pages of the array that they cover, begun ones whole, by [`Purpose`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DriveCounts {
    pub reads: [u64; PURPOSES],
    pub writes: [u64; PURPOSES],
    pub pages_read: [u64; PURPOSES],
    pub pages_written: [u64; PURPOSES],
}

/// Parity as a cache would write it that holds it back until its stripe is the one that was written
/// longest ago: what is counted, and not done, beside Linux md, which writes parity with its data.
#[derive(Debug)]
struct HeldBack {
    stripes: Lru,
    /// Stripes whose parity it holds.
    room: usize,
    /// Pages of parity that had to leave.
    written: u64,
}

impl HeldBack {
    fn write(&mut self, stripe: StripeId) {
        let is_new = !self.stripes.touch(stripe.number());
        if is_new && self.stripes.len() > self.room {
            self.stripes.pop_oldest();
            self.written += 1;
        }
    }
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

/// Running totals of an array.
#[derive(Debug)]
pub struct Counts {
    /// Bytes of a page of the array.
    pub page_bytes: u64,
    /// Mapping unit of the drives.
    pub unit_bytes: u64,
    /// Host requests taken.
    pub host_requests: u64,
    /// Of each drive, and of the spare behind them.
    pub drives: ById<MemberId, DriveCounts>,
    /// Stripes written whole, without a read.
    pub full_stripe_writes: u64,
    /// Stripes whose parity was updated by reading what was written over.
    pub read_modify_writes: u64,
    /// Stripes whose parity was made anew, the rest of the stripe having been read.
    pub reconstruct_writes: u64,
    /// Stripes of which enough was in the cache.
    pub cached_writes: u64,
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
    /// How soon data and parity are written over.
    pub intervals: Intervals,
    held_back: HeldBack,
    /// Rebuilds and scrubs.
    pub syncs: Vec<SyncRun>,
}

impl Counts {
    /// Nothing counted, for so many drives and a cache of so many stripes; the drives' mapping unit is
    /// taken to be a page.
    pub fn new(drives: u32, page_bytes: u64, stripes: usize) -> Self {
        Self {
            page_bytes,
            unit_bytes: page_bytes,
            host_requests: 0,
            drives: ById::filled(DriveCounts::default(), drives),
            full_stripe_writes: 0,
            read_modify_writes: 0,
            reconstruct_writes: 0,
            cached_writes: 0,
            delayed_stripes: 0,
            computed_pages: 0,
            waits_for_stripe: 0,
            waits_for_overlap: 0,
            trims_dropped: 0,
            mismatches: 0,
            lost_at_ns: None,
            intervals: Intervals::new(drives),
            held_back: HeldBack { stripes: Lru::new(), room: stripes, written: 0 },
            syncs: Vec::new(),
        }
    }

    /// Counts anew: of what came before only failures, rebuilds and scrubs are kept.
    pub fn count_anew(&mut self) {
        let anew = Self::new(self.drives.count(), self.page_bytes, self.held_back.room);
        *self = Self {
            unit_bytes: self.unit_bytes,
            host_requests: self.host_requests,
            mismatches: self.mismatches,
            lost_at_ns: self.lost_at_ns,
            syncs: std::mem::take(&mut self.syncs),
            ..anew
        };
    }

    /// Data of a stripe is written.
    pub(super) fn note_stripe(&mut self, stripe: StripeId) {
        self.held_back.write(stripe);
    }

    /// Pages of parity that would be written if each were held back for as long as the cache has
    /// stripes for others.
    pub fn parity_if_held_back(&self) -> u64 {
        self.held_back.written + self.held_back.stripes.len() as u64
    }

    /// A request goes to a drive.
    pub(super) fn note(
        &mut self,
        member: MemberId,
        request: &DriveRequest,
        purpose: Purpose,
        now_ns: u64,
    ) {
        let counts = &mut self.drives[member];
        let end = request.offset_bytes + u64::from(request.size_bytes);
        let pages = end.div_ceil(self.page_bytes) - request.offset_bytes / self.page_bytes;
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
                    let units =
                        request.offset_bytes / self.unit_bytes..end.div_ceil(self.unit_bytes);
                    for unit in units {
                        self.intervals.write(member, unit, request.parity, now_ns);
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
