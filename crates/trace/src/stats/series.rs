//! The course of a workload: intervals of time whose width doubles until they cover it.

use super::pages::NEVER;
use super::report::{Interval, Series};
use crate::{Op, Request};

/// Intervals at most.
const BINS: usize = 256;
/// Nanoseconds of a tick, the narrowest interval.
const TICK_NS: u64 = 1_000_000;
/// Ways in which two ticks can differ: their highest differing bit, none, or no earlier tick.
const LEVELS: usize = 66;
/// The level of what was never touched before.
const FIRST: usize = LEVELS - 1;

/// The course of a workload.
#[derive(Debug)]
pub(super) struct Course {
    /// An interval covers 2^`width_log2` ticks.
    width_log2: u32,
    bins: Vec<Bin>,
}

#[derive(Debug, Clone)]
struct Bin {
    reads: u64,
    writes: u64,
    bytes_read: u64,
    bytes_written: u64,
    /// Pages read, and written, for the first time.
    first: [u64; 2],
    /// Touched pages by the highest bit in which this tick differs from that of the last touch:
    /// those whose bit lies above the width are the distinct pages of the interval. Thus
    /// intervals can be joined, though their distinct pages cannot be added.
    touched: [u64; LEVELS],
}

const EMPTY: Bin = Bin {
    reads: 0,
    writes: 0,
    bytes_read: 0,
    bytes_written: 0,
    first: [0; 2],
    touched: [0; LEVELS],
};

/// The tick of a time.
#[inline]
pub(super) fn tick(now_ns: u64) -> u64 {
    now_ns / TICK_NS
}

impl Default for Course {
    fn default() -> Self {
        Self { width_log2: 0, bins: vec![EMPTY; BINS] }
    }
}

impl Course {
    /// Counts a request; returns its interval for [`Course::touch`].
    #[inline]
    pub fn add(&mut self, request: &Request, tick: u64) -> usize {
        while tick >> self.width_log2 >= BINS as u64 {
            self.join();
        }
        let index = (tick >> self.width_log2) as usize;
        let bin = &mut self.bins[index];
        match request.op {
            Op::Read => {
                bin.reads += 1;
                bin.bytes_read += u64::from(request.size_bytes);
            }
            Op::Write => {
                bin.writes += 1;
                bin.bytes_written += u64::from(request.size_bytes);
            }
            Op::Trim | Op::Flush => {}
        }
        index
    }

    /// A page is touched in interval `bin` at `tick`, last at `touched_tick`.
    #[inline]
    pub fn touch(&mut self, bin: usize, tick: u64, touched_tick: u64) {
        let level = match touched_tick {
            NEVER => FIRST,
            before => (64 - (before ^ tick).leading_zeros()) as usize,
        };
        self.bins[bin].touched[level] += 1;
    }

    /// A page is read or written in interval `bin` for the first time.
    #[inline]
    pub fn first(&mut self, bin: usize, op: Op) {
        self.bins[bin].first[usize::from(op == Op::Write)] += 1;
    }

    /// Joins intervals two by two.
    fn join(&mut self) {
        for index in 0..BINS {
            let second = if index % 2 == 1 { self.bins[index].clone() } else { continue };
            let mut joined = self.bins[index - 1].clone();
            joined.add(&second);
            self.bins[index / 2] = joined;
        }
        self.bins[BINS / 2..].fill(EMPTY);
        self.width_log2 += 1;
    }

    /// The intervals up to `last_ns`; `scale` is what a sampled page stands for.
    pub fn finish(&self, last_ns: u64, scale: f64) -> Series {
        let used = (tick(last_ns) >> self.width_log2) as usize + 1;
        let above = self.width_log2 as usize + 1;
        let scaled = |pages: u64| (pages as f64 * scale).round() as u64;
        let (mut footprint, mut first) = (0, [0; 2]);
        let intervals = self.bins.iter().take(used).map(|bin| {
            footprint += bin.touched[FIRST];
            first.iter_mut().zip(bin.first).for_each(|(sum, pages)| *sum += pages);
            Interval {
                reads: bin.reads,
                writes: bin.writes,
                bytes_read: bin.bytes_read,
                bytes_written: bin.bytes_written,
                working_set_pages: scaled(bin.touched[above..].iter().sum()),
                footprint_pages: scaled(footprint),
                read_footprint_pages: scaled(first[0]),
                written_footprint_pages: scaled(first[1]),
            }
        });
        let width_s = ((TICK_NS as u128) << self.width_log2) as f64 / 1e9;
        Series { interval_s: width_s, intervals: intervals.collect() }
    }
}

impl Bin {
    fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.bytes_read += other.bytes_read;
        self.bytes_written += other.bytes_written;
        self.first.iter_mut().zip(other.first).for_each(|(ours, theirs)| *ours += theirs);
        self.touched.iter_mut().zip(&other.touched).for_each(|(ours, theirs)| *ours += theirs);
    }
}
