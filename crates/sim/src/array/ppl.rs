//! The partial parity log of RAID 5, as Linux md keeps it (drivers/md/raid5-ppl.c): before a stripe is written, the drive of
//! its parity gets the XOR of the data that stays as it is. From that and from whatever the other drives then hold the parity
//! can be made again after a power cut, so that what nobody was writing is not lost if a drive fails.
//!
//! Each drive has a log of its own, with one entry under way at a time: its stripes are written once the entry is durable,
//! and the drives are flushed before the next entry, because they may hold back what they acknowledged.

use super::contents::Contents;
use super::counts::Purpose;
use super::drive_set::DriveSet;
use super::jobs::{Job, LogJob};
use super::logs::Phase;
use super::machine::Array;
use super::member::{DriveRequest, Member};
use super::pages::Logged;
use crate::error::Fallible;
use crate::ids::{DriveId, HeadId, Id, StripeId};
use wordline_trace::Op;

impl<M: Member, C: Contents<M>> Array<M, C> {
    /// A stripe, whose pages are locked, is to be written once it is logged.
    pub(super) fn log(&mut self, parity: DriveId, logged: Logged) {
        self.logs.logs[parity].waiting.push(logged);
    }

    /// True where stripes are logged before they are written.
    #[inline(always)]
    pub(super) fn is_logged(&self) -> bool {
        self.logs.are_kept() || self.journal.is_some()
    }

    /// Writes what waits for logs that are idle, or for the journal; true when there was any.
    #[inline(never)]
    pub(super) fn write_logs(&mut self) -> Fallible<bool> {
        Ok(self.write_entries()? | self.write_journal()?)
    }

    /// Writes the next entries of logs that are idle; true when there was any.
    fn write_entries(&mut self) -> Fallible<bool> {
        let mut did = false;
        for drive in self.logs.logs.ids() {
            let log = &mut self.logs.logs[drive];
            if log.phase == Phase::Idle && !log.waiting.is_empty() {
                did = true;
                self.write_entry(drive)?;
            }
        }
        Ok(did)
    }

    /// An entry is a page that says what it holds, and the partial parity of each stripe that has one.
    fn write_entry(&mut self, drive: DriveId) -> Fallible {
        let area = self.logs.pages;
        let log = &mut self.logs.logs[drive];
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
        let first = StripeId(self.core.layout.stripes + log.next);
        log.next += pages;
        log.phase = Phase::Logs;
        self.core.contents.log(drive, first, pages, &log.entry);
        let page_bytes = self.core.rules.page_bytes;
        let request = DriveRequest {
            op: Op::Write,
            offset_bytes: u64::from(first.number()) * page_bytes,
            size_bytes: (u64::from(pages) * page_bytes) as u32,
            parity: true,
            fua: true,
        };
        self.core.send(drive, &request, Purpose::Log, Job::Log(LogJob::Entry(drive)))
    }

    /// The entry is durable, or its drive lost: its stripes are written.
    pub(super) fn entry_done(&mut self, drive: DriveId) {
        let entry = self.logs.logs[drive].entry.clone();
        let mut left = 0;
        for Logged { head, drives, .. } in &entry {
            for &drive in drives {
                left += 1;
                self.issue(*head, DriveSet::of(drive), true, false);
            }
        }
        self.logs.logs[drive].phase = Phase::Writes(left);
    }

    /// A page of a stripe has been written, or its drive is lost.
    #[inline(always)]
    pub(super) fn page_written(&mut self, head: HeadId) -> Fallible {
        if self.is_logged() { self.logged_page_written(head) } else { Ok(()) }
    }

    #[inline(never)]
    fn logged_page_written(&mut self, head: HeadId) -> Fallible {
        self.journaled_page_written(head)?;
        self.entry_page_written(head)?;
        self.fail_lost()
    }

    /// A page of a stripe has been written; once all of an entry are, their drives are flushed.
    fn entry_page_written(&mut self, head: HeadId) -> Fallible {
        let stripe = self.cache.head(head).stripe;
        let parity = self.core.layout.parity_of(stripe);
        let Some(log) = self.logs.logs.get_mut(parity) else { return Ok(()) };
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
            self.core.send(
                drive,
                &DriveRequest::FLUSH,
                Purpose::Log,
                Job::Log(LogJob::EntryFlush(parity)),
            )
        })
    }

    /// A drive was flushed.
    pub(super) fn log_flushed(&mut self, parity: DriveId) {
        let phase = &mut self.logs.logs[parity].phase;
        *phase = match *phase {
            Phase::Flushes(left) if left > 1 => Phase::Flushes(left - 1),
            _ => Phase::Idle,
        };
    }
}
