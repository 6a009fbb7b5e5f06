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

/// When a unit was last written, and how often since its first write.
#[derive(Debug, Clone, Copy)]
struct Written {
    last_ns: u64,
    updates: u32,
}

impl Written {
    const NEVER: Self = Self { last_ns: u64::MAX, updates: 0 };
}

/// Units that follow one another, kept once one of them was written.
const CHUNK: usize = 512;

type Chunks = Vec<Option<Box<[Written; CHUNK]>>>;

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
    pub(super) fn write(&mut self, member: MemberId, unit: u64, is_parity: bool, now_ns: u64) {
        let of = if is_parity { &mut self.parity } else { &mut self.data };
        of.writes += 1;
        let chunks = &mut self.units[member];
        let (chunk, at) = ((unit / CHUNK as u64) as usize, (unit % CHUNK as u64) as usize);
        if chunk >= chunks.len() {
            chunks.resize_with(chunk + 1, || None);
        }
        let chunk = chunks[chunk].get_or_insert_with(|| Box::new([Written::NEVER; CHUNK]));
        let unit = &mut chunk[at];
        if unit.last_ns == Written::NEVER.last_ns {
            self.written += 1;
        } else {
            of.count += 1;
            of.sum_ns += u128::from(now_ns - unit.last_ns);
            unit.updates = unit.updates.saturating_add(1);
        }
        unit.last_ns = now_ns;
    }

    /// Units that were written.
    pub fn units(&self) -> u64 {
        self.written
    }

    /// The share of all updates that falls on the given share of the units written, those most
    /// often updated; `None` without an update.
    pub fn concentration(&self, share_of_units: f64) -> Option<f64> {
        let chunks = self.units.iter().flatten().flatten();
        let written = chunks.flat_map(|chunk| chunk.iter().filter(|unit| unit.last_ns != u64::MAX));
        let mut updates: Vec<u32> = written.map(|unit| unit.updates).collect();
        updates.sort_unstable_by(|a, b| b.cmp(a));
        let all: u64 = updates.iter().map(|&count| u64::from(count)).sum();
        let most = (share_of_units * updates.len() as f64).round() as usize;
        let theirs: u64 = updates.iter().take(most).map(|&count| u64::from(count)).sum();
        (all > 0).then(|| theirs as f64 / all as f64)
    }
}
