//! The DRAM write buffer: units in order of last use; the oldest goes to flash when it is full.

use crate::policy::hotness::HostWrite;
use crate::util::Lru;
use rustc_hash::FxHashMap;

/// A write buffer.
#[derive(Debug)]
pub struct WriteBuffer {
    units: Lru,
    /// The write that each unit came with: its request tells how hot it is.
    writes: FxHashMap<u32, HostWrite>,
    capacity: usize,
    /// Units written over while in the buffer.
    pub write_hits: u64,
    /// Units read from the buffer.
    pub read_hits: u64,
}

impl WriteBuffer {
    /// A buffer of `mib`; `None` for less than a unit.
    pub fn new(mib: f64, unit_bytes: u64) -> Option<Self> {
        let capacity = (mib * f64::from(1 << 20) / unit_bytes as f64) as usize;
        (capacity > 0).then(|| Self {
            units: Lru::new(),
            writes: FxHashMap::default(),
            capacity,
            write_hits: 0,
            read_hits: 0,
        })
    }

    /// Takes a unit; returns the one that must go to flash for it.
    pub fn write(&mut self, write: HostWrite) -> Option<HostWrite> {
        self.writes.insert(write.lpn, write);
        if self.units.touch(write.lpn) {
            self.write_hits += 1;
            return None;
        }
        if self.units.len() > self.capacity { self.take_oldest() } else { None }
    }

    /// True when a unit is read from the buffer.
    pub fn read(&mut self, lpn: u32) -> bool {
        let hit = self.units.contains(lpn);
        self.read_hits += u64::from(hit);
        hit
    }

    /// True when the buffer holds a unit.
    pub fn holds(&self, lpn: u32) -> bool {
        self.units.contains(lpn)
    }

    /// A unit's data is dead.
    pub fn discard(&mut self, lpn: u32) {
        self.units.remove(lpn);
        self.writes.remove(&lpn);
    }

    /// The oldest unit, which leaves.
    pub fn take_oldest(&mut self) -> Option<HostWrite> {
        let lpn = self.units.pop_oldest()?;
        self.writes.remove(&lpn)
    }
}
