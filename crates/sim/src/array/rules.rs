//! The rules by which an array works, besides its layout.

use super::drive_set::DriveSet;
use crate::schema::Rmw;

/// Bytes of a sector, the smallest part of a page that the array tells apart.
pub const SECTOR_BYTES: u64 = 512;

/// The sectors of the first page of a request, and of its last, that covers both wholly.
pub const WHOLE: (u64, u64) = (u64::MAX, u64::MAX);

/// What RAID 5 writes before it writes stripes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logging {
    /// Nothing.
    None,
    /// A partial parity log of so many pages on each drive, behind the stripes.
    Ppl {
        /// Its pages.
        pages: u32,
    },
    /// A journal of so many pages on the last member, behind the one that says where it begins.
    Journal {
        /// Its pages.
        pages: u32,
    },
}

/// The rules by which an array works, besides its layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Bytes of a page: 64 sectors at most.
    pub page_bytes: u64,
    /// Bytes of the drives' mapping unit: the largest, where they differ.
    pub unit_bytes: u64,
    /// Stripe heads of the cache.
    pub stripe_cache: usize,
    /// What is written before stripes are.
    pub logging: Logging,
    /// When a stripe is read, modified and written.
    pub rmw: Rmw,
    /// How often stripes that wait for nothing may go ahead of one that was delayed.
    pub bypass_threshold: u32,
    /// Whether it is counted how data and parity are written over.
    pub counts_updates: bool,
    /// A rebuild or scrub is not slowed down for the host's sake below this.
    pub sync_min_mb_s: f64,
    /// A rebuild or scrub is never faster.
    pub sync_max_mb_s: f64,
}

impl Rules {
    /// Whether a stripe is modified: `modified` pages would have to be read for that, and `reconstructed` pages to
    /// compute its parity anew.
    #[inline]
    pub(super) fn modifies(&self, modified: u32, reconstructed: u32) -> bool {
        modified < reconstructed || (modified == reconstructed && self.rmw == Rmw::Prefer)
    }

    /// Whether nothing more is read to modify the parity of a stripe, or to make it anew.
    #[inline(always)]
    pub(super) fn need_no_reads(&self, to_modify: DriveSet, to_reconstruct: DriveSet) -> bool {
        to_reconstruct.is_empty() || (to_modify.is_empty() && self.rmw != Rmw::Disable)
    }
}
