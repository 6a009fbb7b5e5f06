//! The DRAM write buffer: units in order of last use; the oldest goes to flash when it is full. Where
//! aligned ranges of units belong together their order is that of last use of the ranges, and the units of
//! a range leave together.

use crate::ids::Lpn;
use crate::policy::hotness::{HostWrite, Part};
use crate::schema::{HostConfig, RestOfUnit};
use crate::util::{Lru, prefetch_all};
use std::ops::Range;

/// Into how many pieces a unit is divided, of each of which is known whether the host wrote it.
const PIECES: u64 = 64;

/// A unit in the buffer.
#[derive(Debug, Clone, Copy)]
struct Held {
    /// The write that it came with last: its request tells how hot it is.
    write: HostWrite,
    /// The pieces that the host wrote, by bit.
    written: u64,
}

impl Held {
    /// True when the rest of it is in the buffer, or was read to complete it: when all pieces are there that the
    /// host has to write of a unit.
    fn is_whole(&self, pieces: u64) -> bool {
        self.written & pieces == pieces
    }
}

/// A unit that leaves the buffer.
#[derive(Debug, Clone, Copy)]
pub struct Leaving {
    /// The write that it came with last.
    pub write: HostWrite,
    /// Whether the buffer holds all of it.
    pub is_whole: bool,
}

/// A write buffer.
#[derive(Debug)]
pub struct WriteBuffer {
    /// Ranges, a unit each where none belong together.
    ranges: Lru,
    /// The units of each range, by its place among these.
    units: Vec<Option<Held>>,
    /// Units that it holds.
    count: usize,
    capacity: usize,
    range_units: u32,
    /// Bytes of a piece of a unit.
    piece_bytes: u64,
    /// All pieces of a unit; none, where the rest of a unit is read as soon as some of it is written.
    whole: u64,
    /// Whether what leaves together is a part.
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
            units: Vec::new(),
            count: 0,
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
        let range = write.lpn.range(self.range_units);
        self.ranges.touch(range);
        let at = self.ranges.place_of(range).expect("it was touched just now");
        let unit = self.index(at, write.lpn);
        if unit >= self.units.len() {
            self.units.resize(self.units_of(at).end, None);
        }
        match &mut self.units[unit] {
            Some(held) => {
                *held = Held { write, written: held.written | written };
                self.write_hits += 1;
            }
            none => {
                *none = Some(Held { write, written });
                self.count += 1;
            }
        }
    }

    /// True when it holds more than it should, and something must leave.
    pub fn is_over_full(&self) -> bool {
        self.count > self.capacity
    }

    /// True when a unit is read from the buffer, which then holds all of it.
    pub fn read(&mut self, lpn: Lpn) -> bool {
        let hit = self.held(lpn).is_some_and(|held| held.is_whole(self.whole));
        self.read_hits += u64::from(hit);
        hit
    }

    /// True when the buffer holds a unit.
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.held(lpn).is_some()
    }

    fn held(&self, lpn: Lpn) -> Option<&Held> {
        let at = self.ranges.place_of(lpn.range(self.range_units))?;
        self.units[self.index(at, lpn)].as_ref()
    }

    /// Where the units stand of the range at a place.
    fn units_of(&self, at: u32) -> Range<usize> {
        let first = at as usize * self.range_units as usize;
        first..first + self.range_units as usize
    }

    /// Where a unit stands, whose range is at a place.
    fn index(&self, at: u32, lpn: Lpn) -> usize {
        self.units_of(at).start + lpn.place_in_range(self.range_units) as usize
    }

    /// True when the rest of a unit is read only as it leaves.
    pub fn completes_late(&self) -> bool {
        self.whole != 0
    }

    /// A unit's data is dead.
    pub fn discard(&mut self, lpn: Lpn) {
        let range = lpn.range(self.range_units);
        let Some(at) = self.ranges.place_of(range) else { return };
        let unit = self.index(at, lpn);
        let is_held = self.units[unit].take().is_some();
        self.count -= usize::from(is_held);
        if is_held && self.units[self.units_of(at)].iter().all(Option::is_none) {
            self.ranges.remove(range);
        }
    }

    /// The units of the oldest range, which leave; none where nothing is in the buffer.
    pub fn take_oldest(&mut self, into: &mut Vec<Leaving>) {
        if let Some((_, at)) = self.ranges.pop_oldest() {
            self.take_range(at, into);
        }
    }

    /// A unit of each range, in the order in which they leave next.
    pub fn next_to_leave(&self) -> impl Iterator<Item = Lpn> + '_ {
        self.ranges.oldest_first().map(|(range, _)| Lpn(range * u64::from(self.range_units)))
    }

    /// Asks the cache for the units that leave next.
    pub fn prefetch_next(&self) {
        if let Some((_, at)) = self.ranges.oldest_first().next() {
            self.units_of(at).for_each(|unit| prefetch_all(&self.units, unit));
        }
    }

    /// A unit and those of its range, which leave; none where it is not in the buffer.
    pub fn take_with(&mut self, lpn: Lpn, into: &mut Vec<Leaving>) {
        if let Some(at) = self.ranges.remove(lpn.range(self.range_units)) {
            self.take_range(at, into);
        }
    }

    /// The units of the range at a place leave.
    fn take_range(&mut self, at: u32, into: &mut Vec<Leaving>) {
        let (mut pieces, units, whole) = (0, self.units_of(at), self.whole);
        let before = into.len();
        for held in self.units[units].iter_mut().filter_map(Option::take) {
            pieces += u64::from(held.written.count_ones());
            into.push(Leaving { is_whole: held.is_whole(whole), write: held.write });
        }
        self.count -= into.len() - before;
        if !self.has_parts {
            return;
        }
        self.parts += 1;
        let last = into.last().map_or_else(Lpn::default, |unit| unit.write.lpn);
        let bytes = pieces * self.piece_bytes;
        let part = Part { number: self.parts, bytes, last, has_waited: false };
        into.iter_mut().for_each(|unit| unit.write.part = Some(part));
    }
}

/// The pieces that bytes of a unit touch.
fn pieces(bytes: Range<u64>, piece_bytes: u64) -> u64 {
    let (first, end) = (bytes.start / piece_bytes, bytes.end.div_ceil(piece_bytes));
    let count = end - first;
    if count >= PIECES { u64::MAX } else { ((1 << count) - 1) << first }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units of 64 bytes, of which a piece is one; four of them are a range.
    fn buffer(units: u64, rest_of_unit: RestOfUnit) -> WriteBuffer {
        let write_buffer_mib = units as f64 * 64.0 / f64::from(1 << 20);
        let config = HostConfig { write_buffer_mib, rest_of_unit, ..HostConfig::default() };
        WriteBuffer::new(&config, 64, 4).expect("room for a unit")
    }

    fn write(buffer: &mut WriteBuffer, lpn: u64, bytes: Range<u64>) {
        let write = HostWrite {
            lpn: Lpn(lpn),
            request: lpn,
            request_offset_bytes: 0,
            request_bytes: 64,
            now_ns: 0,
            handle: 0,
            parity: false,
            part: None,
        };
        buffer.write(write, bytes);
    }

    #[test]
    fn a_part_has_the_bytes_that_the_host_wrote_each_counted_once() {
        let mut buffer = buffer(8, RestOfUnit::OnArrival);
        write(&mut buffer, 4, 0..64);
        write(&mut buffer, 6, 10..20);
        write(&mut buffer, 6, 15..30);
        write(&mut buffer, 1, 60..64);
        let mut left = Vec::new();
        buffer.take_oldest(&mut left);
        buffer.take_oldest(&mut left);
        let of = |unit: &Leaving| (unit.write.lpn.0, unit.write.part.expect("a part"));
        let parts: Vec<(u64, Part)> = left.iter().map(of).collect();
        let lpns: Vec<u64> = parts.iter().map(|(lpn, _)| *lpn).collect();
        assert_eq!(lpns, [4, 6, 1]);
        let last = parts[2].1;
        assert_eq!((last.bytes, last.last), (4, Lpn(1)));
        left.clear();
        write(&mut buffer, 4, 0..64);
        write(&mut buffer, 6, 10..20);
        write(&mut buffer, 6, 15..30);
        buffer.take_with(Lpn(5), &mut left);
        for unit in &left {
            let part = of(unit).1;
            assert_eq!((part.bytes, part.last, part.has_waited), (64 + 20, Lpn(6), false));
            assert_ne!(part.number, last.number);
        }
        assert_eq!(left.len(), 2);
    }

    #[test]
    fn a_trim_makes_room_for_another_unit() {
        let mut buffer = buffer(2, RestOfUnit::OnArrival);
        write(&mut buffer, 0, 0..64);
        write(&mut buffer, 1, 0..64);
        for lpn in 2..20 {
            // What is not held makes none.
            buffer.discard(Lpn(lpn));
            buffer.discard(Lpn(lpn - 2));
            assert!(!buffer.holds(Lpn(lpn - 2)));
            write(&mut buffer, lpn, 0..64);
            assert!(!buffer.is_over_full(), "{lpn}");
        }
        write(&mut buffer, 40, 0..64);
        assert!(buffer.is_over_full());
        // Both units of a range leave, beside one that has left before.
        let mut left = Vec::new();
        buffer.take_with(Lpn(40), &mut left);
        buffer.take_oldest(&mut left);
        assert_eq!((left.len(), buffer.is_over_full()), (3, false));
        write(&mut buffer, 50, 0..64);
        write(&mut buffer, 60, 0..64);
        assert!(!buffer.is_over_full());
        write(&mut buffer, 70, 0..64);
        assert!(buffer.is_over_full());
    }

    #[test]
    fn a_unit_that_was_written_in_parts_is_whole() {
        let mut buffer = buffer(2, RestOfUnit::OnLeaving);
        write(&mut buffer, 3, 0..40);
        assert!(!buffer.read(Lpn(3)));
        write(&mut buffer, 3, 40..64);
        assert!(buffer.read(Lpn(3)));
        assert_eq!((buffer.write_hits, buffer.read_hits), (1, 1));
    }
}
