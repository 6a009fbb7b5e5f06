//! How often and how soon data and parity are written over.

use crate::ids::{ById, MemberId};

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

/// A nanosecond more than when a unit was last written, and how often since its first write; never: zero, which is
/// how memory comes.
type Written = (u64, u64);

/// Units that follow one another, kept once one of them was written: enough for the system to give memory for them that
/// it clears itself, and only where it is used.
const CHUNK: usize = 1 << 14;

type Chunks = Vec<Box<[Written]>>;

/// Update intervals at the granularity of the drives' mapping units.
#[derive(Debug)]
pub struct Intervals {
    units: ById<MemberId, Chunks>,
    written: u64,
    /// Updates of data.
    pub data: Updates,
    /// Updates of parity.
    pub parity: Updates,
}

impl Intervals {
    /// Those of so many drives, to which nothing was written.
    pub(super) fn new(drives: u32) -> Self {
        let (data, parity) = (Updates::default(), Updates::default());
        Self { units: ById::filled(Vec::new(), drives), written: 0, data, parity }
    }

    /// A unit of a drive is written, at a time that is that of no unit never written.
    #[inline(always)]
    pub(super) fn write(&mut self, member: MemberId, unit: u64, is_parity: bool, now_ns: u64) {
        let of = if is_parity { &mut self.parity } else { &mut self.data };
        of.writes += 1;
        let chunks = &mut self.units[member];
        let (chunk, at) = ((unit / CHUNK as u64) as usize, (unit % CHUNK as u64) as usize);
        let (last, updates) = match chunks.get_mut(chunk).and_then(|units| units.get_mut(at)) {
            Some(written) => written,
            None => &mut add_chunk(chunks, chunk)[at],
        };
        let now = now_ns + 1;
        if *last == 0 {
            self.written += 1;
        } else {
            of.count += 1;
            of.sum_ns += u128::from(now - *last);
            *updates += 1;
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
        let units = self.units.iter().flatten().flat_map(|chunk| chunk.iter());
        // Most units are updated a few times, and are only counted by how often.
        let (mut seldom, mut often) = ([0; SELDOM], Vec::new());
        for &(_, updates) in units.filter(|&&(last, _)| last != 0) {
            match seldom.get_mut(updates as usize) {
                Some(units) => *units += 1,
                None => often.push((updates, 1)),
            }
        }
        often.sort_unstable_by(|a, b| b.cmp(a));
        let seldom = seldom.into_iter().enumerate().rev();
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

/// Updates from which on units are looked at one by one, to find those with the most.
const SELDOM: usize = 256;

#[cold]
fn add_chunk(chunks: &mut Chunks, chunk: usize) -> &mut [Written] {
    if chunk >= chunks.len() {
        chunks.resize_with(chunk + 1, Box::default);
    }
    chunks[chunk] = vec![(0, 0); CHUNK].into();
    &mut chunks[chunk]
}

#[cfg(test)]
mod tests {
    use super::{Intervals, SELDOM};
    use crate::ids::MemberId;

    /// A hundred units, each updated once more often than the one before: below and above what is looked at one by one.
    #[test]
    fn the_hottest_are_those_with_the_most_updates() {
        let mut intervals = Intervals::new(1);
        let least = SELDOM as u64 - 50;
        for unit in 0..100 {
            (0..=least + unit).for_each(|at| intervals.write(MemberId(0), unit, false, at));
        }
        let sum = |units: std::ops::Range<u64>| units.map(|unit| least + unit).sum::<u64>() as f64;
        for (share, units) in [(0.0, 100..100), (0.2, 80..100), (0.8, 20..100), (1.0, 0..100)] {
            assert_eq!(intervals.concentration(share), Some(sum(units) / sum(0..100)), "{share}");
        }
    }
}
