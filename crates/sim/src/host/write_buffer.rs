//! The DRAM write buffer: units in order of last use; the oldest goes to flash when it is full.

use crate::util::Lru;

/// A write buffer.
#[derive(Debug)]
pub struct WriteBuffer {
    units: Lru,
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
        (capacity > 0).then(|| Self { units: Lru::new(), capacity, write_hits: 0, read_hits: 0 })
    }

    /// Takes a unit; returns the one that must go to flash for it.
    pub fn write(&mut self, lpn: u32) -> Option<u32> {
        if self.units.touch(lpn) {
            self.write_hits += 1;
            return None;
        }
        if self.units.len() > self.capacity { self.units.pop_oldest() } else { None }
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
    }

    /// The oldest unit, which leaves.
    pub fn take_oldest(&mut self) -> Option<u32> {
        self.units.pop_oldest()
    }
}
