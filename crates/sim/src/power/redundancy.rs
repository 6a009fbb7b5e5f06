//! What cuts did to the redundancy of an array.

use super::scanned_pages::Scan;
use serde::Serialize;

/// What the cuts left of an array's redundancy, once every drive has restarted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArrayReport {
    /// Cuts after which the parity of some stripe did not match its data, or the copies of a page differed: what a
    /// resynchronisation mends, as long as no drive fails before.
    pub unmatched_cuts: u64,
    /// Such stripes, in the mean of the cuts.
    pub unmatched_mean: f64,
    /// Such stripes after the cut that left most.
    pub unmatched_most: u64,
    /// Cuts after which a drive that then fails takes something that had been promised: the write hole.
    pub hole_cuts: u64,
    /// Promised pages that are then lost, of all cuts and for the failure of each drive together.
    pub hole_pages: u64,
    /// Cuts in the midst of restarts after which such a drive takes something, as `hole_cuts`.
    pub hole_double_cuts: u64,
    /// Pages that a restart reads once the drives have cleared up, in the mean: its logs and what they lack, or all
    /// copies or all stripes, which it compares.
    pub restart_page_reads: f64,
    /// The time of that: all drives and their dies work side by side, channels carry one page at a time.
    pub restart_read_ms: f64,
}

impl ArrayReport {
    /// Adds a cut that left so many stripes unmatched, and so many pages that a failing drive would take.
    pub(super) fn add(&mut self, unmatched: u64, hole_pages: u64) {
        self.unmatched_cuts += u64::from(unmatched > 0);
        self.unmatched_mean += unmatched as f64;
        self.unmatched_most = self.unmatched_most.max(unmatched);
        self.hole_cuts += u64::from(hole_pages > 0);
        self.hole_pages += hole_pages;
    }

    /// Adds what a restart read.
    pub(super) fn add_restart(&mut self, reads: &Scan) {
        self.restart_page_reads += reads.page_reads as f64;
        self.restart_read_ms += reads.ms;
    }

    /// The mean, after so many cuts and restarts.
    pub(super) fn settle(&mut self, cuts: u64, restarts: u64) {
        self.unmatched_mean /= cuts.max(1) as f64;
        for sum in [&mut self.restart_page_reads, &mut self.restart_read_ms] {
            *sum /= restarts.max(1) as f64;
        }
    }
}
