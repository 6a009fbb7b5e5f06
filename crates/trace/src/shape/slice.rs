//! A part of a workload.

use super::as_inside;
use crate::{Error, Position, Request, Source};

/// The requests of a span of time, or the first ones of it; the first arrives at 0.
pub(super) struct Slice {
    inside: Box<dyn Source>,
    from_ns: u64,
    until_ns: u64,
    most: u64,
    taken: u64,
    /// The arrival of the first request of the part.
    first_ns: Option<u64>,
    begun: bool,
}

impl Slice {
    /// Requests that arrive from `from_ns` on and before `until_ns`, at most `first` of them.
    pub fn new(
        inside: Box<dyn Source>,
        from_ns: u64,
        until_ns: Option<u64>,
        first: Option<u64>,
    ) -> Self {
        Self {
            inside,
            from_ns,
            until_ns: until_ns.unwrap_or(u64::MAX),
            most: first.unwrap_or(u64::MAX),
            taken: 0,
            first_ns: None,
            begun: false,
        }
    }

    /// Goes to the beginning of the part; leaves its first requests in `batch`.
    fn begin(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        self.begun = true;
        if self.from_ns > 0 {
            self.inside.seek(Position::Time(self.from_ns))?;
        }
        loop {
            self.inside.next_batch(batch)?;
            let ahead = batch.partition_point(|request| request.arrival_ns < self.from_ns);
            if batch.is_empty() || ahead < batch.len() {
                batch.drain(..ahead);
                return Ok(());
            }
        }
    }
}

impl Slice {
    #[cold]
    fn nothing(&self) -> Error {
        let help = "`wordline trace info` shows which volumes there are, and how long it takes";
        Error::new("no request is left of it", self.name(), help)
    }
}

impl Source for Slice {
    as_inside!();

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let left = self.most - self.taken;
        if left == 0 {
            return Ok(());
        }
        if self.begun {
            self.inside.next_batch(batch)?;
        } else {
            self.begin(batch)?;
        }
        let end = batch.partition_point(|request| request.arrival_ns < self.until_ns);
        if end < batch.len() {
            self.most = self.taken + left.min(end as u64);
        }
        batch.truncate(left.min(end as u64) as usize);
        self.taken += batch.len() as u64;
        if self.taken == 0 {
            return Err(self.nothing());
        }
        if let Some(first) = batch.first() {
            let first_ns = *self.first_ns.get_or_insert(first.arrival_ns);
            batch.iter_mut().for_each(|request| request.arrival_ns -= first_ns);
        }
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.taken = 0;
        self.begun = false;
        self.inside.rewind()
    }

    fn start_unix_ns(&self) -> Option<u64> {
        self.inside.start_unix_ns()?.checked_add(self.first_ns?)
    }

    fn len_hint(&self) -> Option<u64> {
        let is_whole = self.from_ns == 0 && self.until_ns == u64::MAX;
        self.inside.len_hint().filter(|_| is_whole).map(|length| length.min(self.most))
    }
}
