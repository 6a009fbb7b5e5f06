//! The partial parity logs of an array: how far each of them is.

use super::contents::Logged;
use crate::ids::{ById, DriveId};

/// What a log is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing.
    #[default]
    Idle,
    /// An entry is being written.
    Logs,
    /// The stripes of the entry are being written: so many pages are left.
    Writes(u32),
    /// The drives are being flushed: so many are left.
    Flushes(u32),
}

/// The log of a drive.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    /// Stripes of entries to come.
    pub waiting: Vec<Logged>,
    /// The stripes of the entry under way.
    pub entry: Vec<Logged>,
    pub phase: Phase,
    /// Where the next entry begins, in pages.
    pub next: u32,
}

/// The logs of an array; without pages none is kept.
#[derive(Debug, Default)]
pub(super) struct Logs {
    pub logs: ById<DriveId, Log>,
    pub pages: u32,
}

impl Logs {
    /// Logs of so many pages on each of `drives`; 0: none is kept.
    pub fn new(drives: u32, pages: u32) -> Self {
        Self { logs: ById::filled(Log::default(), if pages > 0 { drives } else { 0 }), pages }
    }

    /// True where stripes are logged before they are written.
    pub fn are_kept(&self) -> bool {
        self.pages > 0
    }
}
