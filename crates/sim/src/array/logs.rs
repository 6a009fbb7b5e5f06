//! What is written before stripes are, and the partial parity logs of an array: how far each of them is.

use super::pages::Logged;
use crate::ids::{ById, DriveId};

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
    /// Logs on each of `drives`, where these are what is kept.
    pub fn new(drives: u32, logging: Logging) -> Self {
        let pages = match logging {
            Logging::Ppl { pages } => pages,
            Logging::None | Logging::Journal { .. } => 0,
        };
        Self { logs: ById::filled(Log::default(), if pages > 0 { drives } else { 0 }), pages }
    }

    /// True where stripes are logged before they are written.
    pub fn are_kept(&self) -> bool {
        self.pages > 0
    }
}
