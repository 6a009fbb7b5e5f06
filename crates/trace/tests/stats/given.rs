//! Workloads that are given request by request.

use wordline_trace::stats::{Options, Stats};
use wordline_trace::{Error, Op, Request, Source};

/// A list of requests as a source.
pub struct Given {
    pub requests: Vec<Request>,
    pub next: usize,
}

impl Source for Given {
    fn name(&self) -> &str {
        "given"
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let end = (self.next + 7).min(self.requests.len());
        batch.extend_from_slice(&self.requests[self.next..end]);
        self.next = end;
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.next = 0;
        Ok(())
    }

    fn is_synthetic(&self) -> bool {
        true
    }
}

/// The exact statistics of `requests`.
pub fn stats_of(requests: &[Request]) -> Stats {
    measure(requests, &Options::default()).expect("little memory is needed")
}

/// The statistics of `requests`.
pub fn measure(requests: &[Request], options: &Options) -> Result<Stats, Error> {
    Stats::measure(&mut Given { requests: requests.to_vec(), next: 0 }, options)
}

/// A request to volume 0.
pub fn request(op: Op, arrival_ns: u64, offset_bytes: u64, size_bytes: u32) -> Request {
    Request::new(op, offset_bytes, size_bytes).at(arrival_ns)
}
