//! Everything that is recorded of the host's requests.

use super::{Column, Columns, Counters, Latencies, Measured, Sample, Series, Values};
use crate::engine::{Finished, Status};
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
    /// Requests that a read-only drive refused, and their bytes: no latency, no part of a rate.
    pub refused: Refused,
    /// Arrival of the first request.
    pub first_arrival_ns: Option<u64>,
    /// Arrival of the last of those that are over.
    pub last_arrival_ns: u64,
    /// End of the last one that was not refused.
    pub last_done_ns: u64,
    /// Time that the host let pass between bursts.
    pub paused_ns: u64,
    /// What the drive had left to do when earlier replays of the workload had arrived.
    pub backlog: Backlog,
    /// Latencies and times of each stream, where streams are told apart.
    pub streams: Option<Vec<OfStream>>,
    /// The course of the run.
    pub series: Series,
    /// The part of the run that counts; `None`: all of it, so far.
    pub measured: Option<Measured>,
    /// Requests so far, whether they count or not: every request asks for it several times.
    taken: u64,
    /// Requests before that part.
    before: u64,
    /// It begins once so many requests were taken, with the next one that arrives at that time or later.
    begins: Begins,
    records: Option<Records>,
}

/// What the drive had left to do when replays of the workload had arrived, but for the last replay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Replays so far that count, with the one under way.
    pub replays: u64,
    /// Time from their last arrivals to the beginnings of the next ones.
    pub ns: u64,
}

/// What is recorded of the requests of one stream.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)]
pub struct OfStream {
    pub reads: Latencies,
    pub writes: Latencies,
    /// Arrival of the first of them.
    pub first_arrival_ns: Option<u64>,
    /// End of the last one.
    pub last_done_ns: u64,
}

impl OfStream {
    fn finish(&mut self, request: &Finished) {
        let latencies = match request.op {
            Op::Read => &mut self.reads,
            Op::Write => &mut self.writes,
            Op::Trim | Op::Flush => return,
        };
        latencies.record(request.done_ns - request.arrival_ns, request.bytes);
        let first_ns = self.first_arrival_ns.unwrap_or(u64::MAX);
        self.first_arrival_ns = Some(first_ns.min(request.arrival_ns));
        self.last_done_ns = self.last_done_ns.max(request.done_ns);
    }
}

/// Requests that a read-only drive refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Refused {
    pub requests: u64,
    pub bytes: u64,
}

/// When the part of a run that counts begins.
#[derive(Debug, Clone, Copy)]
struct Begins {
    requests: u64,
    from_ns: u64,
}

impl Begins {
    const NEVER: Self = Self { requests: u64::MAX, from_ns: 0 };
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
    /// Nothing recorded yet; `by_stream`: of each stream, too.
    pub fn new(series_points: u64, records: bool, by_stream: bool) -> Self {
        Self {
            reads: Latencies::default(),
            writes: Latencies::default(),
            requests: [0; 4],
            bytes: [0; 2],
            refused: Refused::default(),
            first_arrival_ns: None,
            last_arrival_ns: 0,
            last_done_ns: 0,
            paused_ns: 0,
            backlog: Backlog::default(),
            streams: by_stream.then(Vec::new),
            series: Series::new(series_points as usize),
            measured: None,
            taken: 0,
            before: 0,
            begins: Begins::NEVER,
            records: records.then(Records::default),
        }
    }

    /// Requests that count, so far.
    #[inline]
    pub fn total(&self) -> u64 {
        self.taken - self.before
    }

    /// Requests so far, whether they count or not.
    #[inline]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The number of the request that was taken last.
    #[inline]
    pub fn number(&self) -> u64 {
        self.taken - 1
    }

    /// The part of the run that counts begins once `requests` were taken, with the next one that arrives
    /// at `from_ns` or later.
    pub fn measure_from(&mut self, requests: u64, from_ns: u64) {
        self.begins = Begins { requests, from_ns };
    }

    /// Whether the part of the run that counts begins with the request that arrives now.
    #[inline]
    pub fn begins_with(&self, arrival_ns: u64) -> bool {
        self.taken >= self.begins.requests && arrival_ns >= self.begins.from_ns
    }

    /// True for a request of the part of the run that counts.
    #[inline]
    pub fn counts(&self, request: &Finished) -> bool {
        request.number >= self.before
    }

    /// From here on everything is recorded anew; `counters` are those of what came before.
    pub fn measure(&mut self, counters: &Counters, sample: Sample) {
        self.before = self.taken;
        self.begins = Begins::NEVER;
        self.measured = Some(Measured {
            from_s: sample.time_ns as f64 / 1e9,
            from_request: self.before,
            host_units_before: counters.host_units,
            erases_before: counters.erases,
        });
        self.reads = Latencies::default();
        self.writes = Latencies::default();
        self.requests = [0; 4];
        self.bytes = [0; 2];
        self.refused = Refused::default();
        self.backlog = Backlog { replays: 1, ns: 0 };
        self.first_arrival_ns = None;
        self.streams = self.streams.as_ref().map(|_| Vec::new());
        self.paused_ns = 0;
        self.series.restart(sample);
    }

    /// The workload is replayed once more, after the time that the drive took for the rest of the last replay.
    pub fn replay_again(&mut self, rest_ns: u64) {
        self.backlog.replays += 1;
        self.backlog.ns += rest_ns;
    }

    /// A request was taken.
    #[inline]
    pub fn take(&mut self, request: &Request) {
        self.taken += 1;
        self.requests[request.op as usize] += 1;
        match request.op {
            Op::Read => self.bytes[0] += u64::from(request.size_bytes),
            Op::Write => self.bytes[1] += u64::from(request.size_bytes),
            Op::Trim | Op::Flush => {}
        }
    }

    /// A request is over.
    #[inline(always)]
    pub fn finish(&mut self, request: &Finished) {
        let latency_ns = request.done_ns - request.arrival_ns;
        self.last_arrival_ns = self.last_arrival_ns.max(request.arrival_ns);
        if request.status == Status::Refused {
            if self.counts(request) {
                self.refused.requests += 1;
                self.refused.bytes += u64::from(request.bytes);
            }
            return;
        }
        self.last_done_ns = self.last_done_ns.max(request.done_ns);
        if !self.counts(request) {
            return;
        }
        let kind = match request.op {
            Op::Read => Some((&mut self.reads, &mut self.series.reads)),
            Op::Write => Some((&mut self.writes, &mut self.series.writes)),
            Op::Trim | Op::Flush => None,
        };
        if let Some((latencies, recent)) = kind {
            latencies.record(latency_ns, request.bytes);
            recent.record(latency_ns);
        }
        if self.streams.is_some() {
            self.finish_of_stream(request);
        }
        if let Some(records) = &mut self.records {
            records.number.push(request.number);
            records.op.push(request.op as u64);
            records.bytes.push(u64::from(request.bytes));
            records.arrival_ns.push(request.arrival_ns);
            records.latency_ns.push(latency_ns);
        }
    }

    #[inline(never)]
    fn finish_of_stream(&mut self, request: &Finished) {
        let Some(streams) = &mut self.streams else { return };
        let at = request.stream as usize;
        if at >= streams.len() {
            streams.resize_with(at + 1, OfStream::default);
        }
        streams[at].finish(request);
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
        let column =
            |name: &'static str, values| Column { name: name.into(), values: Values::U64(values) };
        Columns(vec![
            column("request", records.number),
            column("op", records.op),
            column("size_bytes", records.bytes),
            column("arrival_ns", records.arrival_ns),
            column("latency_ns", records.latency_ns),
        ])
    }
}
