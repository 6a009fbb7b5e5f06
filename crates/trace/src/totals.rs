//! What a workload asks for in all.

use crate::{Error, Op, Request, Source};

/// Requests per batch when a workload is only counted.
const BATCH_REQUESTS: usize = 4096;

/// Sums over a workload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Requests of every kind.
    pub requests: u64,
    /// Read requests.
    pub reads: u64,
    /// Write requests.
    pub writes: u64,
    /// TRIM requests.
    pub trims: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// The address space that it touches: one past the highest byte.
    pub end_bytes: u64,
    /// From the first arrival to the last, in nanoseconds.
    pub duration_ns: u64,
}

impl Totals {
    /// Counts one more request.
    pub fn add(&mut self, request: &Request) {
        let size_bytes = u64::from(request.size_bytes);
        self.requests += 1;
        match request.op {
            Op::Read => {
                self.reads += 1;
                self.bytes_read += size_bytes;
            }
            Op::Write => {
                self.writes += 1;
                self.bytes_written += size_bytes;
            }
            Op::Trim => self.trims += 1,
            Op::Flush => {}
        }
        self.end_bytes = self.end_bytes.max(request.offset_bytes.saturating_add(size_bytes));
        self.duration_ns = self.duration_ns.max(request.arrival_ns);
    }
}

/// Reads `source` from where it stands to its end and sums what it asks for.
///
/// # Errors
/// A malformed record, named with file and line.
pub fn read_all_count(source: &mut dyn Source) -> Result<Totals, Error> {
    let mut totals = Totals::default();
    let mut batch = Vec::with_capacity(BATCH_REQUESTS);
    loop {
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(totals);
        }
        batch.iter().for_each(|request| totals.add(request));
    }
}
