//! The DRAM write buffer: units in order of last use; the oldest goes to flash when it is full. Where
//! aligned ranges of units belong together their order is that of last use of the ranges, and the units of
//! a range leave together.

use crate::ids::Lpn;
use crate::policy::hotness::{HostWrite, Part};
use crate::schema::{HostConfig, RestOfUnit};
use crate::util::Lru;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Into how many pieces a unit is divided, of each of which is known whether the host wrote it.
const PIECES: u64 = 64;

/// A unit in the buffer.
#[derive(Debug)]
struct Held {
    /// The write that it came with last: its request tells how hot it is.
    write: HostWrite,
    /// The pieces that the host wrote, by bit.
    written: u64,
}

/// A unit that leaves the buffer.
#[derive(Debug, Clone, Copy)]
pub struct Leaving {
    /// The write that it came with last.
    pub write: HostWrite,
    /// True where the buffer holds all of it.
    pub is_whole: bool,
}

/// A write buffer.
#[derive(Debug)]
pub struct WriteBuffer {
    /// Ranges, a unit each where none belong together.
    ranges: Lru,
    units: FxHashMap<Lpn, Held>,
    capacity: usize,
    range_units: u32,
    /// Bytes of a piece of a unit.
    piece_bytes: u64,
    /// All pieces of a unit; none, where the rest of a unit is read as soon as some of it is written.
    whole: u64,
    /// True where what leaves together is a part.
    has_parts: bool,
    /// Parts that have left.
    parts: u64,
    /// Units written over while in the buffer.
    pub write_hits: u64,
    /// Units read from the buffer.
    pub read_hits: u64,
}

impl WriteBuffer {
    /// The buffer of a host; `None` for less than a unit. Ranges of so many units leave together; 0: each
    /// unit by itself, and as no part of anything.
    pub fn new(config: &HostConfig, unit_bytes: u64, range_units: u32) -> Option<Self> {
        let mib = config.write_buffer_mib;
        let piece_bytes = unit_bytes.div_ceil(PIECES);
        let whole = match config.rest_of_unit {
            RestOfUnit::OnArrival => 0,
            RestOfUnit::OnLeaving => pieces(0..unit_bytes, piece_bytes),
        };
        let capacity = (mib * f64::from(1 << 20) / unit_bytes as f64) as usize;
        (capacity > 0).then(|| Self {
            ranges: Lru::new(),
            units: FxHashMap::default(),
            capacity,
            range_units: range_units.max(1),
            piece_bytes,
            whole,
            has_parts: range_units > 0,
            parts: 0,
            write_hits: 0,
            read_hits: 0,
        })
    }

    /// Takes a unit, of which the host writes these bytes.
    pub fn write(&mut self, write: HostWrite, bytes: Range<u64>) {
        let written = pieces(bytes, self.piece_bytes);
        self.ranges.touch(write.lpn.range(self.range_units));
        match self.units.get_mut(&write.lpn) {
            Some(held) => {
                *held = Held { write, written: held.written | written };
                self.write_hits += 1;
            }
            None => {
                self.units.insert(write.lpn, Held { write, written });
            }
        }
    }

    /// True when it holds more than it should, and something must leave.
    pub fn is_over_full(&self) -> bool {
        self.units.len() > self.capacity
    }

    /// True when a unit is read from the buffer, which then holds all of it.
    pub fn read(&mut self, lpn: Lpn) -> bool {
        let hit = self.units.get(&lpn).is_some_and(|held| self.is_whole(held));
        self.read_hits += u64::from(hit);
        hit
    }

    /// True when the buffer holds a unit.
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.units.contains_key(&lpn)
    }

    /// True when the rest of a unit is in the buffer, or was read to complete it.
    fn is_whole(&self, held: &Held) -> bool {
        held.written & self.whole == self.whole
    }

    /// True when the rest of a unit is read only as it leaves.
    pub fn completes_late(&self) -> bool {
        self.whole != 0
    }

    /// A unit's data is dead.
    pub fn discard(&mut self, lpn: Lpn) {
        let range = lpn.range(self.range_units);
        let is_held = self.units.remove(&lpn).is_some();
        if is_held && !self.lpns(range).any(|lpn| self.holds(lpn)) {
            self.ranges.remove(range);
        }
    }

    /// The units of the oldest range, which leave; none where nothing is in the buffer.
    pub fn take_oldest(&mut self, into: &mut Vec<Leaving>) {
        if let Some(range) = self.ranges.pop_oldest() {
            self.take_range(range, into);
        }
    }

    /// A unit and those of its range, which leave; none where it is not in the buffer.
    pub fn take_with(&mut self, lpn: Lpn, into: &mut Vec<Leaving>) {
        let range = lpn.range(self.range_units);
        if self.ranges.remove(range) {
            self.take_range(range, into);
        }
    }

    fn take_range(&mut self, range: u32, into: &mut Vec<Leaving>) {
        let mut pieces = 0;
        for lpn in self.lpns(range) {
            if let Some(held) = self.units.remove(&lpn) {
                pieces += u64::from(held.written.count_ones());
                into.push(Leaving { is_whole: self.is_whole(&held), write: held.write });
            }
        }
        if !self.has_parts {
            return;
        }
        self.parts += 1;
        let last = into.last().map_or_else(Lpn::default, |unit| unit.write.lpn);
        let part = Part { number: self.parts, bytes: pieces * self.piece_bytes, last };
        into.iter_mut().for_each(|unit| unit.write.part = Some(part));
    }

    fn lpns(&self, range: u32) -> impl Iterator<Item = Lpn> + use<> {
        let first = range * self.range_units;
        (first..first.saturating_add(self.range_units)).map(Lpn)
    }
}

/// The pieces that bytes of a unit touch.
fn pieces(bytes: Range<u64>, piece_bytes: u64) -> u64 {
    let (first, end) = (bytes.start / piece_bytes, bytes.end.div_ceil(piece_bytes));
    let count = end - first;
    if count >= PIECES { u64::MAX } else { ((1 << count) - 1) << first }
}
