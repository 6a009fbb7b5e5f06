//! Everything that is recorded of the host's requests.

use super::{Column, Columns, Latencies, Sample, Series, Values};
use crate::engine::Finished;
use wordline_trace::{Op, Request};

/// Figures of the host's side.
#[derive(Debug)]
pub struct Recorder {
    /// Latencies of reads.
    pub reads: Latencies,
    /// Latencies of writes.
    pub writes: Latencies,
    /// Requests by operation: reads, writes, trims, flushes.
    pub requests: [u64; 4],
    /// Bytes read and written.
    pub bytes: [u64; 2],
    /// Arrival of the first request.
    pub first_arrival_ns: Option<u64>,
    /// Arrival of the last of those that are over.
    pub last_arrival_ns: u64,
    /// End of the last one.
    pub last_done_ns: u64,
    /// The course of the run.
    pub series: Series,
    records: Option<Records>,
}

#[derive(Debug, Default)]
struct Records {
    number: Vec<u64>,
    op: Vec<u64>,
    bytes: Vec<u64>,
    arrival_ns: Vec<u64>,
    latency_ns: Vec<u64>,
}

impl Recorder {
    /// Nothing recorded yet.
    pub fn new(series_points: u64, records: bool) -> Self {
        Self {
            reads: Latencies::default(),
            writes: Latencies::default(),
            requests: [0; 4],
            bytes: [0; 2],
            first_arrival_ns: None,
            last_arrival_ns: 0,
            last_done_ns: 0,
            series: Series::new(series_points as usize),
            records: records.then(Records::default),
        }
    }

    /// Requests so far.
    pub fn total(&self) -> u64 {
        self.requests.iter().sum()
    }

    /// A request was taken.
    #[inline]
    pub fn take(&mut self, request: &Request) {
        self.requests[request.op as usize] += 1;
        match request.op {
            Op::Read => self.bytes[0] += u64::from(request.size_bytes),
            Op::Write => self.bytes[1] += u64::from(request.size_bytes),
            Op::Trim | Op::Flush => {}
        }
    }

    /// A request is over.
    #[inline]
    pub fn finish(&mut self, request: &Finished) {
        let latency_ns = request.done_ns - request.arrival_ns;
        self.last_arrival_ns = self.last_arrival_ns.max(request.arrival_ns);
        self.last_done_ns = self.last_done_ns.max(request.done_ns);
        match request.op {
            Op::Read => self.reads.record(latency_ns, request.bytes),
            Op::Write => self.writes.record(latency_ns, request.bytes),
            Op::Trim | Op::Flush => {}
        }
        if let Some(records) = &mut self.records {
            records.number.push(request.number);
            records.op.push(request.op as u64);
            records.bytes.push(u64::from(request.bytes));
            records.arrival_ns.push(request.arrival_ns);
            records.latency_ns.push(latency_ns);
        }
    }

    /// The host's part of a sample.
    pub fn complete(&self, sample: Sample) -> Sample {
        Sample {
            requests: self.total(),
            reads: (self.reads.count(), self.reads.sum_ns()),
            writes: (self.writes.count(), self.writes.sum_ns()),
            ..sample
        }
    }

    /// One row per request, in the order in which they ended; `op` is 0 for a read, 1 for a write,
    /// 2 for a trim, 3 for a flush.
    pub fn take_records(&mut self) -> Columns {
        let Some(records) = self.records.take() else { return Columns::default() };
        let column = |name, values| Column { name, values: Values::U64(values) };
        Columns(vec![
            column("request", records.number),
            column("op", records.op),
            column("size_bytes", records.bytes),
            column("arrival_ns", records.arrival_ns),
            column("latency_ns", records.latency_ns),
        ])
    }
}
