//! A workload that was generated beforehand, so that the simulator alone is timed.

use wordline_trace::{Error, Request, Source};

/// Requests in memory.
pub struct Prepared {
    name: String,
    requests: Vec<Request>,
    next: usize,
}

impl Prepared {
    /// Takes all requests of `source`.
    pub fn new(mut source: Box<dyn Source>) -> Result<Self, Error> {
        let mut requests = Vec::new();
        let mut batch = Vec::with_capacity(4096);
        loop {
            source.next_batch(&mut batch)?;
            if batch.is_empty() {
                return Ok(Self { name: source.name().to_owned(), requests, next: 0 });
            }
            requests.extend_from_slice(&batch);
        }
    }
}

impl Source for Prepared {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let end = (self.next + batch.capacity().max(1)).min(self.requests.len());
        batch.clear();
        batch.extend_from_slice(&self.requests[self.next..end]);
        self.next = end;
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.next = 0;
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.requests.len() as u64)
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}
