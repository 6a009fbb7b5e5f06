//! How far a rebuild or scrub has come.

use std::collections::VecDeque;

/// Rows of a window (`window` of `md_do_sync`).
pub(super) const WINDOW: u32 = 32;

/// A rebuild or scrub under way.
#[derive(Debug)]
pub(super) struct Syncing {
    /// The drive that is rebuilt; `None`: a scrub.
    pub drive: Option<u32>,
    /// The next row to be begun.
    pub next: u32,
    /// The first row that is not done, and which of those behind it are.
    pub first: u32,
    pub done: VecDeque<bool>,
    pub window_end: u32,
    /// Host requests when the window began.
    pub host_requests: u64,
    /// When how many rows had been begun.
    pub marks: VecDeque<(u64, u32)>,
    pub resume_ns: u64,
}

impl Syncing {
    /// One that begins; `drive` is rebuilt.
    pub fn new(drive: Option<u32>, now_ns: u64, host_requests: u64) -> Self {
        Self {
            drive,
            next: 0,
            first: 0,
            done: VecDeque::new(),
            window_end: WINDOW,
            host_requests,
            marks: VecDeque::from([(now_ns, 0)]),
            resume_ns: 0,
        }
    }

    /// Rows are done; returns the first that is not.
    pub fn finish(&mut self, row: u32, rows: u32) -> u32 {
        for row in row..row + rows {
            // A scrub may leave rows behind that the rebuild which follows it meets again.
            if row < self.first {
                continue;
            }
            let at = (row - self.first) as usize;
            if at >= self.done.len() {
                self.done.resize(at + 1, false);
            }
            self.done[at] = true;
            while self.done.front() == Some(&true) {
                self.done.pop_front();
                self.first += 1;
            }
        }
        self.first
    }
}
