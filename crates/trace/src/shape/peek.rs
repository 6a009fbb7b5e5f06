//! A source whose next request can be looked at.

use super::BATCH_REQUESTS;
use crate::{Error, Request, Source};

/// A source, and the requests that were taken from it but not handed out.
pub(super) struct Peek {
    pub source: Box<dyn Source>,
    batch: Vec<Request>,
    next: usize,
}

impl Peek {
    pub fn new(source: Box<dyn Source>) -> Self {
        Self { source, batch: Vec::with_capacity(BATCH_REQUESTS), next: 0 }
    }

    /// The next request; `None` at the end.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<&Request>, Error> {
        if self.next == self.batch.len() {
            self.source.next_batch(&mut self.batch)?;
            self.next = 0;
        }
        Ok(self.batch.get(self.next))
    }

    /// Passes over the request that was looked at.
    #[inline]
    pub fn skip(&mut self) {
        self.next += 1;
    }

    pub fn rewind(&mut self) -> Result<(), Error> {
        self.batch.clear();
        self.next = 0;
        self.source.rewind()
    }
}
