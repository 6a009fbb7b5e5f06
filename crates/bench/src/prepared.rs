//! A workload that was generated beforehand, so that the simulator alone is timed.

use wordline_trace::{Error, Request, Source};

const BATCH_REQUESTS: usize = 4096;

/// Requests in memory. Each batch of them is lent, not copied, so that none of that is counted.
pub struct Prepared {
    name: String,
    batches: Vec<Vec<Request>>,
    next: usize,
    /// The batch that is lent, in whose place stands what was given for it.
    lent: Option<usize>,
}

impl Prepared {
    /// Takes all requests of `source`.
    pub fn new(mut source: Box<dyn Source>) -> Result<Self, Error> {
        let mut batches = Vec::new();
        loop {
            let mut batch = Vec::with_capacity(BATCH_REQUESTS);
            source.next_batch(&mut batch)?;
            if batch.is_empty() {
                let name = source.name().to_owned();
                return Ok(Self { name, batches, next: 0, lent: None });
            }
            batches.push(batch);
        }
    }
}

impl Source for Prepared {
    fn name(&self) -> &str {
        &self.name
    }

    /// Whoever asks has left what it was given last as it was.
    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        if let Some(lent) = self.lent.take() {
            std::mem::swap(batch, &mut self.batches[lent]);
        }
        let Some(next) = self.batches.get_mut(self.next) else {
            batch.clear();
            return Ok(());
        };
        std::mem::swap(batch, next);
        self.lent = Some(self.next);
        self.next += 1;
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.next = 0;
        Ok(())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.batches.iter().map(|batch| batch.len() as u64).sum())
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}
