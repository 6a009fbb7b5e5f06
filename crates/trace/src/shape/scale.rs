//! A workload in another time.

use super::as_inside;
use crate::{Error, Request, Source};

/// Arrivals times a factor.
pub(super) struct Scale {
    inside: Box<dyn Source>,
    factor: f64,
}

impl Scale {
    pub fn new(inside: Box<dyn Source>, factor: f64) -> Self {
        Self { inside, factor }
    }
}

impl Source for Scale {
    as_inside!();

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        self.inside.next_batch(batch)?;
        for request in batch {
            request.arrival_ns = (request.arrival_ns as f64 * self.factor) as u64;
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.inside.rewind()
    }

    fn start_unix_ns(&self) -> Option<u64> {
        self.inside.start_unix_ns()
    }

    fn len_hint(&self) -> Option<u64> {
        self.inside.len_hint()
    }

    fn placed(&self) -> &[super::Placed] {
        self.inside.placed()
    }
}
