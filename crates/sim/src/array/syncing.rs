//! How far a rebuild or scrub has come.

use crate::ids::{DriveId, Id, Ids, StripeId};
use std::collections::VecDeque;

/// Stripes of a window (`window` of `md_do_sync`).
pub(super) const WINDOW: u32 = 32;

/// A rebuild or scrub under way.
#[derive(Debug)]
pub(super) struct Syncing {
    /// The drive that is rebuilt; `None`: a scrub.
    pub drive: Option<DriveId>,
    /// The next stripe to be begun.
    pub next: StripeId,
    /// The first stripe that is not done, and which of those behind it are.
    pub first: StripeId,
    pub done: VecDeque<bool>,
    pub window_end: StripeId,
    /// Host requests when the window began.
    pub host_requests: u64,
    /// When which stripe was the next.
    pub marks: VecDeque<(u64, StripeId)>,
    pub resume_ns: u64,
}

impl Syncing {
    /// One that begins; `drive` is rebuilt.
    pub fn new(drive: Option<DriveId>, now_ns: u64, host_requests: u64) -> Self {
        Self {
            drive,
            next: StripeId(0),
            first: StripeId(0),
            done: VecDeque::new(),
            window_end: StripeId(WINDOW),
            host_requests,
            marks: VecDeque::from([(now_ns, StripeId(0))]),
            resume_ns: 0,
        }
    }

    /// Stripes are done; returns the first that is not.
    pub fn finish(&mut self, stripes: Ids<StripeId>) -> StripeId {
        for stripe in stripes {
            // A scrub may leave stripes behind that the rebuild which follows it meets again.
            if stripe < self.first {
                continue;
            }
            let at = stripe.index() - self.first.index();
            if at >= self.done.len() {
                self.done.resize(at + 1, false);
            }
            self.done[at] = true;
            while self.done.front() == Some(&true) {
                self.done.pop_front();
                self.first = self.first.plus(1);
            }
        }
        self.first
    }
}
