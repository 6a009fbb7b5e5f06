//! How often and how soon data and parity are written over.

use crate::ids::{Id, MemberId};
use crate::util::{large_vec, prefetch};
use rustc_hash::FxHashMap;

/// Updates of data or of parity: writes of units written before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Updates {
    /// How many updates.
    pub count: u64,
    /// Sum of the times since the write before each.
    pub sum_ns: u128,
}

impl Updates {
    /// The mean time since the write before; `None` without an update.
    pub fn mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64 / 1e9)
    }
}

/// Updates of a unit from which on they are counted apart: few units have as many.
const OFTEN: u8 = u8::MAX;

/// Units of which all that is kept stands in one line of the cache.
const TOGETHER: usize = 7;

/// What is kept of some units.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Line {
    /// A nanosecond more than when each was last written, never being zero.
    last: [u64; TOGETHER],
    /// How often each was written since its first write, up to [`OFTEN`].
    updates: [u8; TOGETHER],
}

/// Writes that are added up together, and how far ahead of each the cache is asked for its line. One by one, among all
/// that a drive does, they would wait for memory every time.
const BATCH: usize = 512;
const AHEAD: usize = 12;

/// A write of a unit, counted through all drives.
#[derive(Debug)]
struct Write {
    unit: u64,
    is_parity: bool,
    now_ns: u64,
}

/// Update intervals at the granularity of the drives' mapping units.
#[derive(Debug, Default)]
pub struct Intervals {
    lines: Vec<Line>,
    /// Units of each drive.
    units: u64,
    /// Writes that are yet to be added up, in the order in which they came.
    pending: Vec<Write>,
    /// Updates beyond [`OFTEN`], by unit.
    further: FxHashMap<u64, u64>,
    written: u64,
    data: Updates,
    parity: Updates,
}

impl Intervals {
    /// Those of so many drives of so many units, to which nothing was written.
    pub(super) fn new(drives: u32, units: u64) -> Self {
        let lines = (u64::from(drives) * units).div_ceil(TOGETHER as u64) as usize;
        // The system gives memory that is written to now, and not in the midst of the run.
        Self { lines: large_vec(Line::default(), lines), units, ..Self::default() }
    }

    /// Intervals of the same drives, to which nothing was written.
    pub(super) fn anew(mut self) -> Self {
        self.lines.fill(Line::default());
        Self { lines: self.lines, units: self.units, ..Self::default() }
    }

    /// Bytes of what is kept of so many units.
    pub fn bytes(units: u64) -> u64 {
        units.div_ceil(TOGETHER as u64) * size_of::<Line>() as u64
    }

    /// A unit of a drive is written.
    #[inline(always)]
    pub(super) fn write(&mut self, member: MemberId, unit: u64, is_parity: bool, now_ns: u64) {
        debug_assert!(unit < self.units);
        let unit = u64::from(member.number()) * self.units + unit;
        self.pending.push(Write { unit, is_parity, now_ns });
        if self.pending.len() == BATCH {
            self.add_up();
        }
    }

    /// Adds up all writes until now: due before anything is asked.
    #[inline(never)]
    pub fn add_up(&mut self) {
        for (index, &Write { unit, is_parity, now_ns }) in self.pending.iter().enumerate() {
            if let Some(ahead) = self.pending.get(index + AHEAD) {
                prefetch(&self.lines, place_of(ahead.unit).0);
            }
            let of = if is_parity { &mut self.parity } else { &mut self.data };
            let (line, at) = place_of(unit);
            let Line { last, updates } = &mut self.lines[line];
            let (last, updates) = (&mut last[at], &mut updates[at]);
            let now = now_ns + 1;
            if *last == 0 {
                self.written += 1;
            } else {
                of.count += 1;
                of.sum_ns += u128::from(now - *last);
                match *updates < OFTEN {
                    true => *updates += 1,
                    false => *self.further.entry(unit).or_default() += 1,
                }
            }
            *last = now;
        }
        self.pending.clear();
    }

    /// Updates of data, and of parity.
    pub fn updates(&self) -> (Updates, Updates) {
        assert!(self.pending.is_empty(), "writes are yet to be added up");
        (self.data, self.parity)
    }

    /// Units that were written.
    pub fn units(&self) -> u64 {
        assert!(self.pending.is_empty(), "writes are yet to be added up");
        self.written
    }

    /// The share of all updates that falls on the given share of the units written, those most
    /// often updated; `None` without an update.
    pub fn concentration(&self, share_of_units: f64) -> Option<f64> {
        assert!(self.pending.is_empty(), "writes are yet to be added up");
        // Most units are updated a few times, and are only counted by how often.
        let mut units_by_updates = [0u64; 1 << u8::BITS];
        for Line { last, updates } in &self.lines {
            for (_, &updates) in last.iter().zip(updates).filter(|&(&last, _)| last != 0) {
                units_by_updates[usize::from(updates)] += 1;
            }
        }
        units_by_updates[usize::from(OFTEN)] -= self.further.len() as u64;
        let often = self.further.values().map(|further| (u64::from(OFTEN) + further, 1));
        let mut often: Vec<(u64, u64)> = often.collect();
        often.sort_unstable_by(|a, b| b.cmp(a));
        let seldom = units_by_updates.into_iter().enumerate().rev();
        let by_updates =
            often.into_iter().chain(seldom.map(|(updates, units)| (updates as u64, units)));
        let mut left = (share_of_units * self.written as f64).round() as u64;
        let (mut all, mut theirs) = (0, 0);
        for (updates, units) in by_updates {
            let most = units.min(left);
            left -= most;
            theirs += most * updates;
            all += units * updates;
        }
        (all > 0).then(|| theirs as f64 / all as f64)
    }
}

/// Where a unit stands: in which line, and which of its units it is.
#[inline(always)]
fn place_of(unit: u64) -> (usize, usize) {
    let together = TOGETHER as u64;
    ((unit / together) as usize, (unit % together) as usize)
}

#[cfg(test)]
mod tests {
    use super::{Intervals, OFTEN};
    use crate::ids::MemberId;

    /// A hundred units, each updated once more often than the one before: below and above what a byte counts.
    #[test]
    fn the_hottest_are_those_with_the_most_updates() {
        let mut intervals = Intervals::new(1, 100);
        let least = u64::from(OFTEN) - 50;
        for unit in 0..100 {
            (0..=least + unit).for_each(|at| intervals.write(MemberId(0), unit, false, at));
        }
        intervals.add_up();
        let sum = |units: std::ops::Range<u64>| units.map(|unit| least + unit).sum::<u64>() as f64;
        for (share, units) in [(0.0, 100..100), (0.2, 80..100), (0.8, 20..100), (1.0, 0..100)] {
            assert_eq!(intervals.concentration(share), Some(sum(units) / sum(0..100)), "{share}");
        }
    }
}
