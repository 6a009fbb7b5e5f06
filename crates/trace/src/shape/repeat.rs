//! A workload several times.

use super::as_inside;
use crate::{Error, Request, Source};

/// A workload's requests again and again, each time one mean gap after the last arrival.
pub(super) struct Repeat {
    inside: Box<dyn Source>,
    times: u64,
    round: u64,
    /// When the round began, and when its last request so far arrived.
    base_ns: u64,
    last_ns: u64,
    requests: u64,
}

impl Repeat {
    pub fn new(inside: Box<dyn Source>, times: u64) -> Self {
        Self { inside, times, round: 1, base_ns: 0, last_ns: 0, requests: 0 }
    }

    /// Begins the next round.
    fn again(&mut self) -> Result<(), Error> {
        let span_ns = self.last_ns - self.base_ns;
        let gap_ns = span_ns / self.requests.saturating_sub(1).max(1);
        self.base_ns = self.last_ns.checked_add(gap_ns).ok_or_else(|| self.too_long())?;
        self.last_ns = self.base_ns;
        self.round += 1;
        self.requests = 0;
        self.inside.rewind()
    }

    fn too_long(&self) -> Error {
        let what = format!("time runs over in round {} of {}", self.round, self.times);
        Error::new(what, self.name(), "repeat it less often")
    }
}

impl Source for Repeat {
    as_inside!();

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        self.inside.next_batch(batch)?;
        // A round without requests would be repeated for ever.
        if batch.is_empty() && self.round < self.times && self.requests > 0 {
            self.again()?;
            self.inside.next_batch(batch)?;
        }
        for request in batch.iter_mut() {
            let arrival_ns = request.arrival_ns.checked_add(self.base_ns);
            request.arrival_ns = arrival_ns.ok_or_else(|| self.too_long())?;
            self.last_ns = request.arrival_ns;
        }
        self.requests += batch.len() as u64;
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        (self.round, self.base_ns, self.last_ns, self.requests) = (1, 0, 0, 0);
        self.inside.rewind()
    }

    fn start_unix_ns(&self) -> Option<u64> {
        self.inside.start_unix_ns()
    }

    fn len_hint(&self) -> Option<u64> {
        self.inside.len_hint()?.checked_mul(self.times)
    }

    fn placed(&self) -> &[super::Placed] {
        self.inside.placed()
    }
}
