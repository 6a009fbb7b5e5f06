//! The partial parity log of RAID 5, as Linux md keeps it (drivers/md/raid5-ppl.c): before a stripe is written, the drive of
//! its parity gets the XOR of the data that stays as it is. From that and from whatever the other drives then hold the parity
//! can be made again after a power cut, so that what nobody was writing is not lost if a drive fails.
//!
//! Each drive has a log of its own, with one entry under way at a time: its stripes are written once the entry is durable,
//! and the drives are flushed before the next entry, because they may hold back what they acknowledged.

use super::contents::Contents;
use super::core::{Core, Storage};
use super::counts::Purpose;
use super::jobs::{Job, LogJob};
use super::member::DriveRequest;
use super::pages::Logged;
use super::stripes::Stripes;
use crate::error::Fallible;
use crate::ids::{ById, DriveId, HeadId, StripeId};
use wordline_trace::Op;

/// What a log is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
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
struct Log {
    /// Stripes of entries to come.
    waiting: Vec<Logged>,
    /// The stripes of the entry under way.
    entry: Vec<Logged>,
    phase: Phase,
    /// Where the next entry begins, in pages.
    next: u32,
}

/// The partial parity logs of an array.
#[derive(Debug)]
pub(super) struct Ppl {
    logs: ById<DriveId, Log>,
    /// Pages of each.
    pages: u32,
}

impl Ppl {
    /// Empty logs of so many pages.
    pub fn new(drives: u32, pages: u32) -> Self {
        Self { logs: ById::filled(Log::default(), drives), pages }
    }

    /// A stripe is to be written once it is logged.
    pub fn put(&mut self, logged: Logged) {
        self.logs[logged.parity].waiting.push(logged);
    }

    /// Writes the next entries of logs that are idle; true when there was any.
    pub fn write<S: Storage>(&mut self, core: &mut Core<S>) -> Fallible<bool> {
        let mut did = false;
        for drive in self.logs.ids() {
            let log = &self.logs[drive];
            if log.phase == Phase::Idle && !log.waiting.is_empty() {
                did = true;
                self.write_entry(drive, core)?;
            }
        }
        Ok(did)
    }

    /// An entry is a page that says what it holds, and the partial parity of each stripe that has one.
    fn write_entry<S: Storage>(&mut self, drive: DriveId, core: &mut Core<S>) -> Fallible {
        let area = self.pages;
        let log = &mut self.logs[drive];
        let mut pages = 1;
        let fits = |logged: &&Logged| {
            pages += u32::from(!logged.is_whole);
            pages <= area
        };
        let count = log.waiting.iter().take_while(fits).count();
        log.entry = log.waiting.drain(..count).collect();
        let partial = log.entry.iter().filter(|logged| !logged.is_whole).count();
        let pages = 1 + partial as u32;
        if log.next + pages > area {
            log.next = 0;
        }
        let first = StripeId(core.layout.stripes + log.next);
        log.next += pages;
        log.phase = Phase::Logs;
        core.contents.log(drive, first, pages, &log.entry);
        let request = DriveRequest::pages(Op::Write, first, pages, core.rules.page_bytes);
        let request = DriveRequest { parity: true, fua: true, ..request };
        core.send(drive, &request, Purpose::Log, Job::Log(LogJob::Entry(drive)))
    }

    /// The entry is durable, or its drive lost: its stripes are written.
    pub fn entry_done(&mut self, drive: DriveId, stripes: &mut Stripes) {
        let log = &mut self.logs[drive];
        log.entry.iter().for_each(|logged| stripes.write_logged(logged));
        let left = log.entry.iter().map(|logged| logged.drives.len() as u32).sum();
        log.phase = Phase::Writes(left);
    }

    /// A page of a stripe has been written; once all of an entry are, their drives are flushed.
    pub fn page_written<S: Storage>(
        &mut self,
        head: HeadId,
        parity: DriveId,
        core: &mut Core<S>,
    ) -> Fallible {
        let log = &mut self.logs[parity];
        let Phase::Writes(left) = &mut log.phase else { return Ok(()) };
        if !log.entry.iter().any(|logged| logged.head == head) {
            return Ok(());
        }
        *left -= 1;
        if *left > 0 {
            return Ok(());
        }
        let entry = std::mem::take(&mut log.entry);
        let mut drives: Vec<DriveId> = entry.into_iter().flat_map(|logged| logged.drives).collect();
        drives.sort_unstable();
        drives.dedup();
        log.phase = Phase::Flushes(drives.len() as u32);
        drives.into_iter().try_for_each(|drive| {
            let job = Job::Log(LogJob::EntryFlush(parity));
            core.send(drive, &DriveRequest::FLUSH, Purpose::Log, job)
        })
    }

    /// A drive was flushed, or lost.
    pub fn flushed(&mut self, parity: DriveId) {
        let phase = &mut self.logs[parity].phase;
        *phase = match *phase {
            Phase::Flushes(left) if left > 1 => Phase::Flushes(left - 1),
            _ => Phase::Idle,
        };
    }
}
