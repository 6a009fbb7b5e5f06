//! The entries of an array's journal, one behind the other in a ring of pages, and how far each of them is.

use super::pages::Logged;
use crate::ids::HeadId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// How far an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It is being written.
    Logs,
    /// It is written, and may be lost with the power.
    Logged,
    /// The drive of the journal is being flushed.
    Flushes,
    /// It is durable, and so many pages of its stripes are left to be written.
    Writes(u32),
    /// Its stripes are written, and may be lost with the power.
    Written,
}

#[derive(Debug)]
struct Entry {
    stage: Stage,
    stripes: Vec<Logged>,
    /// The page behind it, all pages since the start being counted.
    end: u64,
}

/// What is done so that the oldest entries are not needed any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reclaim {
    Idle,
    /// Drives are being flushed: how many, and for how many entries.
    Flushes {
        drives: u32,
        entries: usize,
    },
    /// It is being written down that the journal begins behind them.
    Begins {
        entries: usize,
    },
}

/// An entry that is about to be written.
#[derive(Debug)]
pub(super) struct Next {
    /// Its number, from 1 on.
    pub number: u32,
    /// Its first page in the ring.
    pub place: u32,
    pub pages: u32,
}

/// The entries of a journal.
#[derive(Debug)]
pub(super) struct JournalRing {
    /// Pages of the ring.
    pages: u64,
    /// Pages of stripes that the first page of an entry can tell of.
    told: usize,
    /// Pages that are reclaimed together, at least.
    batch: u64,
    waiting: VecDeque<Logged>,
    /// There was no room for the first of them.
    is_full: bool,
    /// Those that are needed, oldest first.
    entries: VecDeque<Entry>,
    /// The number of the oldest.
    oldest: u32,
    /// By stripe head, the entry under way that it is in, and its pages that are not written.
    heads: FxHashMap<HeadId, (u32, u32)>,
    /// Pages since the start: up to the first that is needed, and up to the next.
    begin: u64,
    end: u64,
    is_flushing: bool,
    reclaim: Reclaim,
}

/// Bytes of the first page of an entry before what it tells of pages, and for each of these (`struct r5l_meta_block`,
/// `struct r5l_payload_data_parity` with a checksum).
const META_BYTES: (u64, u64) = (32, 20);
/// As much as is needed at most before it is reclaimed (`RECLAIM_MAX_FREE_SPACE`).
const MOST_BATCH_BYTES: u64 = 10 << 30;

impl JournalRing {
    /// An empty one of so many pages.
    pub fn new(pages: u32, page_bytes: u64) -> Self {
        let pages = u64::from(pages);
        Self {
            pages,
            told: (page_bytes.saturating_sub(META_BYTES.0) / META_BYTES.1) as usize,
            batch: (pages / 4).min(MOST_BATCH_BYTES / page_bytes),
            waiting: VecDeque::new(),
            is_full: false,
            entries: VecDeque::new(),
            oldest: 1,
            heads: FxHashMap::default(),
            begin: 0,
            end: 0,
            is_flushing: false,
            reclaim: Reclaim::Idle,
        }
    }

    /// A stripe, whose pages are locked, is to be written once it is in the journal.
    pub fn put(&mut self, logged: Logged) {
        if !logged.drives.is_empty() {
            self.waiting.push_back(logged);
        }
    }

    /// Where so many pages fit that follow one another, all pages since the start being counted.
    fn room(&self, pages: u64) -> Option<u64> {
        let is_beyond = self.end % self.pages + pages > self.pages;
        let first = if is_beyond { self.end.next_multiple_of(self.pages) } else { self.end };
        (first + pages - self.begin <= self.pages).then_some(first)
    }

    /// The next entry, of as many stripes as wait and fit.
    pub fn next(&mut self) -> Option<Next> {
        let (mut told, mut count, mut found) = (0, 0, None);
        for logged in &self.waiting {
            told += logged.drives.len();
            let room = self.room(1 + told as u64).filter(|_| count == 0 || told <= self.told);
            let Some(first) = room else { break };
            count += 1;
            found = Some((first, 1 + told as u32));
        }
        self.is_full = found.is_none() && !self.waiting.is_empty();
        let (first, pages) = found?;
        let stripes: Vec<Logged> = self.waiting.drain(..count).collect();
        let number = self.oldest + self.entries.len() as u32;
        for logged in &stripes {
            let before = self.heads.insert(logged.head, (number, logged.drives.len() as u32));
            debug_assert!(before.is_none(), "a stripe is in one entry at a time");
        }
        self.end = first + u64::from(pages);
        self.entries.push_back(Entry { stage: Stage::Logs, stripes, end: self.end });
        Some(Next { number, place: (first % self.pages) as u32, pages })
    }

    fn entry(&mut self, number: u32) -> Option<&mut Entry> {
        self.entries.get_mut(number.checked_sub(self.oldest)? as usize)
    }

    /// The stripes of an entry.
    pub fn stripes(&self, number: u32) -> &[Logged] {
        let at = number.checked_sub(self.oldest).map(|at| at as usize);
        at.and_then(|at| self.entries.get(at)).map_or(&[], |entry| &entry.stripes)
    }

    /// An entry is written.
    pub fn logged(&mut self, number: u32) {
        if let Some(entry) = self.entry(number) {
            debug_assert_eq!(entry.stage, Stage::Logs);
            entry.stage = Stage::Logged;
        }
    }

    /// Whether a flush has to begin, for the sake of those entries that are written with all before them: a restart
    /// would find none behind one that is missing.
    pub fn begin_flush(&mut self) -> bool {
        if self.is_flushing {
            return false;
        }
        for entry in self.entries.iter_mut().take_while(|entry| entry.stage != Stage::Logs) {
            if entry.stage == Stage::Logged {
                entry.stage = Stage::Flushes;
                self.is_flushing = true;
            }
        }
        self.is_flushing
    }

    /// The flush is over; returns the stripes that may be written.
    pub fn flushed(&mut self) -> Vec<Logged> {
        self.is_flushing = false;
        let mut all = Vec::new();
        for entry in self.entries.iter_mut().filter(|entry| entry.stage == Stage::Flushes) {
            let pages = entry.stripes.iter().map(|logged| logged.drives.len() as u32).sum();
            entry.stage = Stage::Writes(pages);
            all.append(&mut entry.stripes);
        }
        all
    }

    /// A page of a stripe is written.
    pub fn page_written(&mut self, head: HeadId) {
        let Some((number, left)) = self.heads.get_mut(&head) else { return };
        let number = *number;
        *left -= 1;
        if *left == 0 {
            self.heads.remove(&head);
        }
        let Some(entry) = self.entry(number) else { return };
        debug_assert!(
            matches!(entry.stage, Stage::Writes(_)),
            "it is durable before its stripes are written"
        );
        entry.stage = match entry.stage {
            Stage::Writes(left) if left > 1 => Stage::Writes(left - 1),
            _ => Stage::Written,
        };
    }

    /// Whether drives have to be flushed so that entries are not needed any more: as many as it is now worth.
    pub fn begin_reclaim(&mut self, drives: u32) -> bool {
        let written = self.entries.iter().take_while(|entry| entry.stage == Stage::Written);
        let (entries, end) = written.fold((0, self.begin), |(n, _), entry| (n + 1, entry.end));
        let is_due = entries > 0 && (self.is_full || end - self.begin > self.batch);
        let begins = is_due && self.reclaim == Reclaim::Idle;
        if begins {
            self.reclaim = Reclaim::Flushes { drives, entries };
        }
        begins
    }

    /// A drive is flushed, or lost; returns the number of the entry with which the journal begins once that is known of
    /// all.
    pub fn drive_flushed(&mut self) -> Option<u32> {
        match self.reclaim {
            Reclaim::Flushes { drives, entries } if drives > 1 => {
                self.reclaim = Reclaim::Flushes { drives: drives - 1, entries };
                None
            }
            Reclaim::Flushes { entries, .. } => {
                self.reclaim = Reclaim::Begins { entries };
                Some(self.oldest + entries as u32)
            }
            Reclaim::Idle | Reclaim::Begins { .. } => None,
        }
    }

    /// It is durable where the journal begins: the pages before that are free.
    pub fn reclaimed(&mut self) {
        if let Reclaim::Begins { entries } = std::mem::replace(&mut self.reclaim, Reclaim::Idle) {
            self.oldest += entries as u32;
            let gone = self.entries.drain(..entries).next_back();
            self.begin = gone.map_or(self.begin, |entry| entry.end);
            if self.entries.is_empty() {
                self.begin = self.end;
            }
            debug_assert!(self.end - self.begin <= self.pages);
        }
    }
}
