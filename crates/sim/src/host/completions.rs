//! Requests that have ended, for whoever asks: an array, a drive that is served.

use crate::engine::Finished;

/// The ends of requests that nobody has been told of yet: number, and when.
#[derive(Debug, Default)]
pub struct Completions {
    are_kept: bool,
    ended: Vec<(u64, u64)>,
}

impl Completions {
    /// Keeps them from now on.
    pub fn keep(&mut self) {
        self.are_kept = true;
    }

    /// A request has ended.
    #[inline]
    pub fn add(&mut self, request: &Finished) {
        if !request.is_unit {
            self.add_known(request.number, request.done_ns);
        }
    }

    /// The end of a request is known.
    #[inline]
    pub fn add_known(&mut self, number: u64, done_ns: u64) {
        if self.are_kept {
            self.ended.push((number, done_ns));
        }
    }

    /// Whether everybody has been told.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ended.is_empty()
    }

    /// Tells of all.
    pub fn drain(&mut self) -> std::vec::Drain<'_, (u64, u64)> {
        self.ended.drain(..)
    }

    /// Nobody asks for what has ended by now.
    pub fn clear(&mut self) {
        self.ended.clear();
    }

    /// Tells of all by adding them to `ends`.
    #[inline(always)]
    pub fn move_to(&mut self, ends: &mut Vec<(u64, u64)>) {
        if !self.ended.is_empty() {
            ends.append(&mut self.ended);
        }
    }
}
