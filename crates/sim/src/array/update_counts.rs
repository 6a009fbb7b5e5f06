//! How data and parity are written over: kept where a run asks for it, because it takes 9 bytes for each unit of the drives
//! and looks at some of them with every write.

use super::intervals::{Intervals, Updates};
use super::parity_cache::ParityCache;
use crate::ids::{MemberId, StripeId};

/// What is kept of units and stripes that are written over.
#[derive(Debug)]
pub struct UpdateCounts {
    intervals: Intervals,
    parity_cache: ParityCache,
}

impl UpdateCounts {
    /// Nothing counted, for so many drives of so many units, and a cache of so many stripes.
    pub(super) fn new(drives: u32, units: u64, stripes: usize) -> Self {
        let parity_cache = ParityCache::new(stripes as u32);
        Self { intervals: Intervals::new(drives, units), parity_cache }
    }

    /// Counts of the same drives and cache, with nothing counted.
    pub(super) fn anew(self) -> Self {
        let parity_cache = ParityCache::new(self.parity_cache.room());
        Self { intervals: self.intervals.anew(), parity_cache }
    }

    /// Units of a drive, up to the one before the second, are written.
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        member: MemberId,
        (first, end): (u64, u64),
        is_parity: bool,
        now_ns: u64,
    ) {
        (first..end).for_each(|unit| self.intervals.write(member, unit, is_parity, now_ns));
    }

    /// Data of a stripe is written.
    pub(super) fn note_stripe(&mut self, stripe: StripeId) {
        self.parity_cache.write(stripe);
    }

    /// Takes in all writes until now: due before anything is asked.
    pub(super) fn add_up(&mut self) {
        self.intervals.add_up();
    }

    /// Updates of data, and of parity.
    pub fn updates(&self) -> (Updates, Updates) {
        self.intervals.updates()
    }

    /// Units that were written.
    pub fn units(&self) -> u64 {
        self.intervals.units()
    }

    /// The share of all updates that falls on the given share of the units written, those most
    /// often updated; `None` without an update.
    pub fn concentration(&self, share_of_units: f64) -> Option<f64> {
        self.intervals.concentration(share_of_units)
    }

    /// Pages of parity that would be written if each were held back for as long as the cache has
    /// stripes for others.
    pub fn parity_if_held_back(&self) -> u64 {
        self.parity_cache.pages()
    }
}
