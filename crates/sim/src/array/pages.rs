//! Names of pages of an array: parts of requests, pages of the stripe cache, stripes that are logged.

use crate::ids::{DriveId, HeadId, Lpn, StripeId};

/// A part of a host request within one page of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The request's number.
    pub request: u64,
    /// The page of the array.
    pub page: Lpn,
    /// Its sectors, a bit each.
    pub sectors: u64,
}

/// A page of the stripe cache: the head of a stripe, and the drive whose page it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cached {
    /// The stripe head.
    pub head: HeadId,
    /// The drive.
    pub drive: DriveId,
}

/// A stripe that is to be written once it is logged.
#[derive(Debug, Clone)]
pub struct Logged {
    /// Its head.
    pub head: HeadId,
    /// Its number.
    pub stripe: StripeId,
    /// The drive of its parity.
    pub parity: DriveId,
    /// The drives whose pages of it are to be written, that of the parity last.
    pub drives: Vec<DriveId>,
    /// Whether all of its data is written, so that the log need not hold its partial parity.
    pub is_whole: bool,
}
