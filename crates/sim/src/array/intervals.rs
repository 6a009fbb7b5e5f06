//! How often and how soon data and parity are written over.

use crate::ids::{ById, MemberId};
use crate::util::{large_zeros, prefetch};
use rustc_hash::FxHashMap;

/// Writes of units of data or of parity, and of these the updates: those of units written before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Updates {
    /// Writes of units, whether they are updates or not.
    pub writes: u64,
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

/// Units of which all that is kept stands together, in 64 bytes.
const TOGETHER: usize = 7;

/// What is kept of some units: a nanosecond more than when each was last written, never being zero; and how often it was
/// written since its first write, up to [`OFTEN`]. A tuple of numbers, for memory comes as zeros of these, and only where
/// it is used.
type Units = ([u64; TOGETHER], [u8; TOGETHER]);

/// Update intervals at the granularity of the drives' mapping units.
#[derive(Debug)]
pub struct Intervals {
    units: ById<MemberId, Vec<Units>>,
    /// Updates beyond [`OFTEN`], by drive and unit.
    further: FxHashMap<(MemberId, u64), u64>,
    written: u64,
    /// Updates of data.
    pub data: Updates,
    /// Updates of parity.
    pub parity: Updates,
}

impl Intervals {
    /// Those of so many drives of so many units, to which nothing was written.
    pub(super) fn new(drives: u32, units: u64) -> Self {
        let (data, parity) = (Updates::default(), Updates::default());
        let together = units.div_ceil(TOGETHER as u64) as usize;
        let units = (0..drives).map(|_| large_zeros(together)).collect();
        let further = FxHashMap::default();
        Self { units, further, written: 0, data, parity }
    }

    /// Bytes of what is kept of so many units of a drive.
    pub fn bytes(units: u64) -> u64 {
        units.div_ceil(TOGETHER as u64) * size_of::<Units>() as u64
    }

    /// Asks the cache for what is kept of a unit.
    #[inline]
    pub(super) fn prefetch(&self, member: MemberId, unit: u64) {
        let (together, at) = place_of(unit);
        if let Some((last, updates)) = self.units[member].get(together) {
            prefetch(last, at);
            prefetch(updates, at);
        }
    }

    /// A unit of a drive is written, at a time that is that of no unit never written.
    #[inline(always)]
    pub(super) fn write(&mut self, member: MemberId, unit: u64, is_parity: bool, now_ns: u64) {
        let of = if is_parity { &mut self.parity } else { &mut self.data };
        of.writes += 1;
        let (together, at) = place_of(unit);
        let (last, updates) = &mut self.units[member][together];
        let (last, updates) = (&mut last[at], &mut updates[at]);
        let now = now_ns + 1;
        if *last == 0 {
            self.written += 1;
        } else {
            of.count += 1;
            of.sum_ns += u128::from(now - *last);
            match *updates < OFTEN {
                true => *updates += 1,
                false => *self.further.entry((member, unit)).or_default() += 1,
            }
        }
        *last = now;
    }

    /// Units that were written.
    pub fn units(&self) -> u64 {
        self.written
    }

    /// The share of all updates that falls on the given share of the units written, those most
    /// often updated; `None` without an update.
    pub fn concentration(&self, share_of_units: f64) -> Option<f64> {
        // Most units are updated a few times, and are only counted by how often.
        let mut units_by_updates = [0u64; 1 << u8::BITS];
        for (last, updates) in self.units.iter().flatten() {
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

/// Where a unit stands: together with which, and which of these it is.
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
        let sum = |units: std::ops::Range<u64>| units.map(|unit| least + unit).sum::<u64>() as f64;
        for (share, units) in [(0.0, 100..100), (0.2, 80..100), (0.8, 20..100), (1.0, 0..100)] {
            assert_eq!(intervals.concentration(share), Some(sum(units) / sum(0..100)), "{share}");
        }
    }
}
