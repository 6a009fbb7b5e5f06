//! When pages of a stripe that went to their drives end, as far as that is known.

use super::drive_set::DRIVE_BITS;
use crate::ids::{DriveId, Id};

/// What is known of two pages of a stripe that are read or written together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Pair {
    /// There are none, or each has an event of its own.
    #[default]
    None,
    /// Neither has gone to its drive yet.
    Issued,
    /// One has, and ends then.
    Half(End),
    /// Both have, and there is an event as the last one ends; the first one ends then.
    Whole(End),
    /// Both have, and the first one has an event of its own, or they end at once.
    Split,
}

/// A page's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub at_ns: u64,
    /// Its place among all that happens then, and below that its drive and whether it is a write.
    what: u64,
}

impl End {
    #[inline(always)]
    pub fn new(at_ns: u64, order: u64, drive: DriveId, is_write: bool) -> Self {
        let page = u64::from(drive.number()) << 1 | u64::from(is_write);
        Self { at_ns, what: order << (DRIVE_BITS + 1) | page }
    }

    #[inline(always)]
    pub fn order(self) -> u64 {
        self.what >> (DRIVE_BITS + 1)
    }

    #[inline(always)]
    pub fn drive(self) -> DriveId {
        DriveId((self.what >> 1) as u32 & ((1 << DRIVE_BITS) - 1))
    }

    #[inline(always)]
    pub fn is_write(self) -> bool {
        self.what & 1 != 0
    }
}
