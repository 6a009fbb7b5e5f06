//! The course of a run: cumulative figures at regular numbers of requests. When there are too many
//! points every second one is dropped, so that a run of unknown length keeps a bounded number.

use super::{Column, Columns, Counters, Values};

/// Cumulative figures after some number of requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sample {
    /// Requests so far.
    pub requests: u64,
    /// Simulated time.
    pub time_ns: u64,
    /// Logical units written by the host.
    pub host_units: u64,
    /// Units programmed.
    pub programmed_units: u64,
    /// Victims so far.
    pub gc_count: u64,
    /// Erases so far.
    pub erases: u64,
    /// Erased blocks now.
    pub free_blocks: u64,
    /// Reads finished, and the sum of their latencies.
    pub reads: (u64, u128),
    /// Writes finished, and the sum of their latencies.
    pub writes: (u64, u128),
}

impl Sample {
    /// The part of a sample that the counters hold.
    pub fn of(counters: &Counters) -> Self {
        Self {
            host_units: counters.host_units,
            programmed_units: counters.units_programmed(),
            gc_count: counters.gc_count,
            erases: counters.erases,
            ..Self::default()
        }
    }
}

/// Samples of a run.
#[derive(Debug)]
pub struct Series {
    samples: Vec<Sample>,
    most: usize,
    stride: u64,
    /// Requests at which the next sample is due.
    pub due: u64,
}

/// Requests between the first samples.
const FIRST_STRIDE: u64 = 64;

impl Series {
    /// Keeps at most twice `points` samples, and at least `points` of a long run.
    pub fn new(points: usize) -> Self {
        let most = (2 * points).max(50);
        let samples = vec![Sample::default()];
        Self { samples, most, stride: FIRST_STRIDE, due: FIRST_STRIDE }
    }

    /// Adds the sample that is due.
    pub fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
        if self.samples.len() > self.most {
            let mut index = 0;
            self.samples.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
        }
        let last = self.samples.last().map_or(0, |sample| sample.requests);
        self.due = last + self.stride;
    }

    /// Adds the end of the run.
    pub fn close(&mut self, sample: Sample) {
        if self.samples.last().is_none_or(|last| last.requests < sample.requests) {
            self.samples.push(sample);
        }
    }

    /// Write amplification of `rounds` consecutive parts with equal numbers of host writes.
    pub fn rounds(&self, rounds: usize) -> Vec<(f64, u64)> {
        let last = *self.samples.last().expect("the first sample is always there");
        let mut found = Vec::new();
        let mut from = self.samples[0];
        for sample in &self.samples[1..] {
            let target = last.host_units * (found.len() as u64 + 1) / rounds as u64;
            if sample.host_units >= target && sample.host_units > from.host_units {
                let host = (sample.host_units - from.host_units) as f64;
                let programmed = (sample.programmed_units - from.programmed_units) as f64;
                found.push((programmed / host, sample.requests));
                from = *sample;
            }
        }
        found
    }

    /// The series as a table: rates and means of each interval, states at its end.
    pub fn columns(&self) -> Columns {
        let pairs = || self.samples.windows(2).map(|pair| (pair[0], pair[1]));
        let count = |name, value: fn(&Sample) -> u64| Column {
            name,
            values: Values::U64(pairs().map(|(_, to)| value(&to)).collect()),
        };
        let rate = |name, value: fn(&Sample, &Sample) -> f64| Column {
            name,
            values: Values::F64(pairs().map(|(from, to)| value(&from, &to)).collect()),
        };
        Columns(vec![
            count("requests", |s| s.requests),
            rate("time_s", |_, to| to.time_ns as f64 / 1e9),
            rate("iops", |a, b| {
                ratio(
                    (b.requests - a.requests) as f64 * 1e9,
                    b.time_ns.saturating_sub(a.time_ns) as f64,
                )
            }),
            rate("write_amplification", |a, b| {
                ratio(
                    (b.programmed_units - a.programmed_units) as f64,
                    (b.host_units - a.host_units) as f64,
                )
            }),
            rate("read_mean_us", |a, b| mean_us(a.reads, b.reads)),
            rate("write_mean_us", |a, b| mean_us(a.writes, b.writes)),
            count("free_blocks", |s| s.free_blocks),
            count("gc_count", |s| s.gc_count),
            count("erases", |s| s.erases),
        ])
    }
}

fn ratio(over: f64, under: f64) -> f64 {
    if under > 0.0 { over / under } else { f64::NAN }
}

fn mean_us(from: (u64, u128), to: (u64, u128)) -> f64 {
    ratio((to.1 - from.1) as f64 / 1000.0, (to.0 - from.0) as f64)
}
