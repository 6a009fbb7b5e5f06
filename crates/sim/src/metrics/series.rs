//! The course of a run: cumulative figures at regular numbers of requests. When there are too many
//! points every second one is dropped, so that a run of unknown length keeps a bounded number.

use super::interval::{Interval, Recent};
use super::{Column, Columns, Counters, Values};
use std::borrow::Cow;
use std::ops::Range;

/// Cumulative figures after some number of requests.
#[derive(Debug, Clone, Default)]
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
    /// Time that each die was busy; empty where that is not known.
    pub dies_busy_ns: Vec<u64>,
    /// Figures of the techniques now.
    pub gauges: Vec<Gauge>,
}

/// A figure that rises and falls in a run, and its name, which ends in the unit.
pub type Gauge = (&'static str, f64);

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

/// The end of a part of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Round {
    /// Requests so far.
    pub requests: u64,
    /// Logical units written by the host so far.
    pub host_units: u64,
    /// Units programmed so far.
    pub programmed_units: u64,
    /// Victims so far.
    pub gc_count: u64,
}

/// Samples of a run.
#[derive(Debug)]
pub struct Series {
    samples: Vec<Sample>,
    /// Latencies of reads and of writes between two samples each.
    intervals: Vec<[Interval; 2]>,
    /// Latencies of reads since the last sample.
    pub reads: Recent,
    /// Latencies of writes since the last sample.
    pub writes: Recent,
    most: usize,
    stride: u64,
    /// Requests at which the next sample is due.
    pub due: u64,
}

/// Requests between the first samples.
const FIRST_STRIDE: u64 = 64;
/// Dies that have a column each, at most.
const SINGLE_DIES: usize = 64;
/// The percentile of the latencies of an interval.
const PERCENTILE: f64 = 0.99;

impl Series {
    /// Keeps at most twice `points` samples, and at least `points` of a long run.
    pub fn new(points: usize) -> Self {
        let most = (2 * points).max(50);
        Self {
            samples: vec![Sample::default()],
            intervals: Vec::new(),
            reads: Recent::default(),
            writes: Recent::default(),
            most,
            stride: FIRST_STRIDE,
            due: FIRST_STRIDE,
        }
    }

    /// Forgets what came before; `from` is where the run stands: its time and its states.
    pub fn restart(&mut self, from: Sample) {
        let Sample { time_ns, free_blocks, dies_busy_ns, .. } = from;
        let begin = Sample { time_ns, free_blocks, dies_busy_ns, ..Sample::default() };
        (self.samples, self.stride, self.due) = (vec![begin], FIRST_STRIDE, FIRST_STRIDE);
        self.end_interval();
        self.intervals.clear();
    }

    /// Adds the sample that is due.
    pub fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
        self.end_interval();
        if self.samples.len() > self.most {
            self.halve();
        }
        let last = self.samples.last().map_or(0, |sample| sample.requests);
        self.due = last + self.stride;
    }

    fn end_interval(&mut self) {
        self.intervals.push([self.reads.take(), self.writes.take()]);
    }

    /// Drops every second sample.
    fn halve(&mut self) {
        let mut index = 0;
        self.samples.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        let both = |pair: &[[Interval; 2]]| match pair {
            [one, other] => [one[0].merged(&other[0]), one[1].merged(&other[1])],
            alone => alone[0].clone(),
        };
        self.intervals = self.intervals.chunks(2).map(both).collect();
        self.stride *= 2;
    }

    /// Adds the end of the run.
    pub fn close(&mut self, sample: Sample) {
        if self.samples.last().is_none_or(|last| last.requests < sample.requests) {
            self.samples.push(sample);
            self.end_interval();
        }
    }

    /// The ends of `rounds` consecutive parts with equal numbers of host writes.
    pub fn rounds(&self, rounds: usize) -> Vec<Round> {
        let last = self.samples.last().expect("the first sample is always there");
        let mut found = Vec::new();
        let mut from = &self.samples[0];
        for sample in &self.samples[1..] {
            let target = last.host_units * (found.len() as u64 + 1) / rounds as u64;
            if sample.host_units >= target && sample.host_units > from.host_units {
                found.push(Round {
                    requests: sample.requests,
                    host_units: sample.host_units,
                    programmed_units: sample.programmed_units,
                    gc_count: sample.gc_count,
                });
                from = sample;
            }
        }
        found
    }

    /// The series as a table: rates, means and percentiles of each interval, states at its end.
    pub fn columns(&self) -> Columns {
        let count = |name: &'static str, value: fn(&Sample) -> u64| Column {
            name: name.into(),
            values: Values::U64(self.samples[1..].iter().map(value).collect()),
        };
        let rate = |name: &'static str, value: fn(&Sample, &Sample) -> f64| Column {
            name: name.into(),
            values: Values::F64(self.pairs().map(|(from, to)| value(from, to)).collect()),
        };
        let percentile = |name: &'static str, kind: usize| Column {
            name: name.into(),
            values: Values::F64(
                self.intervals.iter().map(|of| of[kind].quantile_us(PERCENTILE)).collect(),
            ),
        };
        let mut columns = vec![
            count("requests", |s| s.requests),
            rate("time_s", |_, to| to.time_ns as f64 / 1e9),
            rate("iops", |a, b| ratio((b.requests - a.requests) as f64 * 1e9, span_ns(a, b))),
            rate("write_amplification", |a, b| {
                ratio(
                    (b.programmed_units - a.programmed_units) as f64,
                    (b.host_units - a.host_units) as f64,
                )
            }),
            rate("read_mean_us", |a, b| mean_us(a.reads, b.reads)),
            rate("write_mean_us", |a, b| mean_us(a.writes, b.writes)),
            percentile("read_p99_us", 0),
            percentile("write_p99_us", 1),
            count("free_blocks", |s| s.free_blocks),
            count("gc_count", |s| s.gc_count),
            count("erases", |s| s.erases),
        ];
        columns.extend(self.utilisation_columns());
        columns.extend(self.gauge_columns());
        Columns(columns)
    }

    /// Every two samples that follow one another.
    fn pairs(&self) -> impl Iterator<Item = (&Sample, &Sample)> {
        self.samples.windows(2).map(|pair| (&pair[0], &pair[1]))
    }

    fn gauge_columns(&self) -> impl Iterator<Item = Column> {
        let names = self.samples.last().map_or(&[][..], |last| &last.gauges);
        names.iter().enumerate().map(|(at, &(name, _))| {
            let values = self.samples[1..].iter().map(|sample| sample.gauges[at].1).collect();
            Column { name: name.into(), values: Values::F64(values) }
        })
    }

    /// Busy shares of each interval: the mean of all dies, and where these are few, each.
    fn utilisation_columns(&self) -> Vec<Column> {
        let dies = self.samples.last().map_or(0, |last| last.dies_busy_ns.len());
        let column = |name: Cow<'static, str>, of: Range<usize>| {
            let share = |(from, to): (&Sample, &Sample)| busy_share(from, to, of.clone());
            Column { name, values: Values::F64(self.pairs().map(share).collect()) }
        };
        let mean = (dies > 0).then(|| column("die_utilisation".into(), 0..dies));
        let singles = if dies > SINGLE_DIES { 0 } else { dies };
        let each =
            (0..singles).map(|die| column(format!("die_{die}_utilisation").into(), die..die + 1));
        mean.into_iter().chain(each).collect()
    }
}

/// The busy share of some dies in an interval. Work counts when a die is given it, which may be before its time.
fn busy_share(from: &Sample, to: &Sample, of: Range<usize>) -> f64 {
    let sum =
        |sample: &Sample| sample.dies_busy_ns.get(of.clone()).unwrap_or(&[]).iter().sum::<u64>();
    ratio(sum(to).saturating_sub(sum(from)) as f64, span_ns(from, to) * of.len() as f64)
        .clamp(0.0, 1.0)
}

fn span_ns(from: &Sample, to: &Sample) -> f64 {
    to.time_ns.saturating_sub(from.time_ns) as f64
}

fn ratio(over: f64, under: f64) -> f64 {
    if under > 0.0 { over / under } else { f64::NAN }
}

fn mean_us(from: (u64, u128), to: (u64, u128)) -> f64 {
    ratio((to.1 - from.1) as f64 / 1000.0, (to.0 - from.0) as f64)
}

#[cfg(test)]
mod tests {
    use super::{FIRST_STRIDE, Round, Sample, Series};
    use crate::metrics::Values;

    /// A run whose figures after `n` requests are known: half of them wrote a unit.
    fn at(n: u64) -> Sample {
        Sample {
            requests: n,
            time_ns: n * 1_000_000,
            host_units: n / 2,
            programmed_units: n * 3 / 2,
            gc_count: n / 8,
            erases: n / 4,
            free_blocks: 1_000_000 - n,
            reads: (n / 2, u128::from(n) * 10_000),
            writes: (n / 2, u128::from(n) * 40_000),
            dies_busy_ns: vec![n * 250_000, n * 750_000],
            gauges: vec![("waiting", n as f64 / 2.0)],
        }
    }

    /// A series that was told of `requests` requests one by one.
    fn after(requests: u64, points: usize) -> Series {
        let mut series = Series::new(points);
        for n in 1..=requests {
            match n % 2 {
                0 => series.reads.record(n * 1000),
                _ => series.writes.record(1_000_000_000),
            }
            if n >= series.due {
                series.push(at(n));
            }
        }
        series.close(at(requests));
        series
    }

    fn numbers(series: &Series) -> Vec<u64> {
        series.samples.iter().map(|sample| sample.requests).collect()
    }

    #[test]
    fn a_short_run_has_a_sample_every_so_often() {
        let stride = FIRST_STRIDE;
        let expected = [0, stride, 2 * stride, 3 * stride, 3 * stride + 5];
        assert_eq!(numbers(&after(3 * stride + 5, 100)), expected);
        // The end is not told twice.
        assert_eq!(numbers(&after(2 * stride, 100)), [0, stride, 2 * stride]);
    }

    #[test]
    fn thinning_keeps_the_first_sample_and_equal_distances() {
        let series = after(1_000_000, 50);
        let (first, last) = (&series.samples[0], series.samples.last().expect("it has samples"));
        assert_eq!((first.requests, last.requests), (0, 1_000_000));
        let kept = numbers(&series);
        assert!((50..=102).contains(&kept.len()), "{}", kept.len());
        let stride = kept[1];
        assert!(stride.is_power_of_two() && stride > FIRST_STRIDE, "{stride}");
        let even = kept[..kept.len() - 1].windows(2).all(|pair| pair[1] - pair[0] == stride);
        assert!(even, "{kept:?}");
    }

    #[test]
    fn a_table_has_the_rates_of_each_interval_and_the_states_at_its_end() {
        let series = after(2 * FIRST_STRIDE, 100);
        let columns = series.columns().0;
        let names: Vec<_> = columns.iter().map(|column| column.name.as_ref()).collect();
        let values = |name: &str| {
            let column = columns.iter().find(|column| column.name == name).expect(name);
            match &column.values {
                Values::U64(values) => values.iter().map(|&value| value as f64).collect(),
                Values::F64(values) => values.clone(),
            }
        };
        assert_eq!(
            names[11..],
            ["die_utilisation", "die_0_utilisation", "die_1_utilisation", "waiting"]
        );
        assert_eq!(values("requests"), [64.0, 128.0]);
        assert_eq!(values("time_s"), [0.064, 0.128]);
        assert_eq!(values("iops"), [1000.0, 1000.0]);
        assert_eq!(values("write_amplification"), [3.0, 3.0]);
        // 64 requests, 32 of each kind: 64 · 10 µs over 32, and 64 · 40 µs over 32.
        assert_eq!(values("read_mean_us"), [20.0, 20.0]);
        assert_eq!(values("write_mean_us"), [80.0, 80.0]);
        // Reads of 2, 4, … 64 µs, then up to 128 µs: the longest of 32. Writes of a second.
        let assert_near = |name: &str, expected: [f64; 2]| {
            let is_near = |(found, expected): (f64, f64)| (found / expected - 1.0).abs() < 0.02;
            assert!(
                values(name).into_iter().zip(expected).all(is_near),
                "{name}: {:?}",
                values(name)
            );
        };
        assert_near("read_p99_us", [64.0, 128.0]);
        assert_near("write_p99_us", [1e6; 2]);
        assert_eq!(values("die_utilisation"), [0.5, 0.5]);
        assert_eq!(values("die_0_utilisation"), [0.25, 0.25]);
        assert_eq!(values("die_1_utilisation"), [0.75, 0.75]);
        assert_eq!(values("waiting"), [32.0, 64.0]);
        assert_eq!(values("free_blocks"), [999_936.0, 999_872.0]);
        assert_eq!(values("gc_count"), [8.0, 16.0]);
        assert_eq!(values("erases"), [16.0, 32.0]);
    }

    #[test]
    fn what_did_not_happen_is_no_number() {
        let mut series = Series::new(100);
        series.push(Sample { requests: 64, ..Sample::default() });
        let columns = series.columns().0;
        let nothing = [
            "iops",
            "write_amplification",
            "read_mean_us",
            "write_mean_us",
            "read_p99_us",
            "write_p99_us",
        ];
        for name in nothing {
            let column = columns.iter().find(|column| column.name == name).expect(name);
            assert!(matches!(&column.values, Values::F64(values) if values[0].is_nan()), "{name}");
        }
    }

    /// An interval of a long run is many of its first ones, and its percentile that of all their requests.
    #[test]
    fn thinning_keeps_every_latency() {
        let series = after(1_000_000, 50);
        assert_eq!(series.intervals.len() + 1, series.samples.len());
        for (interval, (from, to)) in series.intervals.iter().zip(series.pairs()) {
            let exact = (from.requests as f64).mul_add(0.01, to.requests as f64 * 0.99);
            let off = interval[0].quantile_us(0.99) / exact - 1.0;
            assert!(off.abs() < 0.02, "{} to {}: {off}", from.requests, to.requests);
        }
    }

    #[test]
    fn many_dies_are_told_together() {
        let mut series = Series::new(100);
        let dies_busy_ns = vec![500; 65];
        series.push(Sample { requests: 64, time_ns: 1000, dies_busy_ns, ..Sample::default() });
        let columns = series.utilisation_columns();
        assert_eq!(columns.len(), 1);
        assert_eq!(columns[0].values, Values::F64(vec![0.5]));
    }

    #[test]
    fn rounds_have_equal_numbers_of_host_writes() {
        let mut series = Series::new(1000);
        for n in 1..=100 {
            // Write amplification of 1 in the first half, of 3 in the second.
            let programmed_units = if n <= 50 { n } else { 50 + (n - 50) * 3 };
            let (requests, host_units) = (2 * n, n);
            series.push(Sample { requests, host_units, programmed_units, ..Sample::default() });
        }
        let told = |round: Round| (round.requests, round.host_units, round.programmed_units);
        let rounds: Vec<_> = series.rounds(4).into_iter().map(told).collect();
        assert_eq!(rounds, [(50, 25, 25), (100, 50, 50), (150, 75, 125), (200, 100, 200)]);
    }

    #[test]
    fn a_series_that_begins_anew_is_as_fine_as_at_first() {
        let mut series = after(1_000_000, 50);
        assert!(series.stride > FIRST_STRIDE);
        series.restart(at(1_000_000));
        for expected in [1, 2, 3].map(|step| step * FIRST_STRIDE) {
            assert_eq!(series.due, expected);
            series.push(at(expected));
        }
        assert_eq!(numbers(&series), [0, 1, 2, 3].map(|step| step * FIRST_STRIDE));
    }
}
