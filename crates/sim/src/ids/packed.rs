//! The tables of units: four bytes a line, and on drives of more units than these can number one byte more, in a
//! table beside the first.

use super::Id;
use crate::util::{large_vec, large_zeros, prefetch};
use std::marker::PhantomData;

/// The most units whose numbers, and `NONE`, four bytes tell apart.
const NARROW_UNITS: u64 = u32::MAX as u64 - 1;
/// Lines of a table, without the fifth bytes, that are one of the cache.
pub const AT_ONCE: u32 = 16;
/// The bits of five bytes.
const WIDE_BITS: u64 = (1 << 40) - 1;

/// Whether a table of the numbers of so many units takes five bytes a line.
pub fn is_wide(units: u64) -> bool {
    units > NARROW_UNITS || is_forced()
}

/// Units or logical units, by the ids of the others. All bits of a line are set for `NONE`.
///
/// What is done in a loop takes the width from the caller, who looks at [`Self::is_wide`] before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed<I, V> {
    low: Vec<u32>,
    /// The fifth bytes; without lines where there are none.
    high: Vec<u8>,
    of: PhantomData<(I, V)>,
}

impl<I: Id, V: Id<Number = u64>> Packed<I, V> {
    /// `NONE` for each of `count` ids, with room for the numbers of so many units.
    pub fn none(count: I::Number, units: u64) -> Self {
        let (lines, high) = lines(count.into(), units);
        Self { low: large_vec(u32::MAX, lines), high: large_vec(u8::MAX, high), of: PhantomData }
    }

    /// A table whose lines say nothing until they are set. With five bytes a line it takes no memory for those that
    /// never are; a smaller one gets its memory at once, because that is faster than part by part.
    pub fn blank(count: I::Number, units: u64) -> Self {
        let (lines, high) = lines(count.into(), units);
        let low = if high > 0 { large_zeros(lines) } else { large_vec(0, lines) };
        Self { low, high: large_zeros(high), of: PhantomData }
    }

    /// How many lines there are.
    #[inline]
    pub fn count(&self) -> I::Number {
        I::at(self.low.len()).number()
    }

    /// Whether a line has five bytes.
    #[inline(always)]
    pub fn is_wide(&self) -> bool {
        !self.high.is_empty()
    }

    /// The line of an id.
    #[inline(always)]
    pub fn at(&self, id: I) -> V {
        let low = self.low[id.index()];
        match self.is_wide() {
            true => V::new(((wide(low, self.high[id.index()]) + 1) & WIDE_BITS).wrapping_sub(1)),
            false => V::new(u64::from(low.wrapping_add(1)).wrapping_sub(1)),
        }
    }

    /// The line of an id, where it is not `NONE`.
    #[inline(always)]
    pub fn some<const WIDE: bool>(&self, id: I) -> V {
        debug_assert_eq!(WIDE, self.is_wide());
        let low = self.low[id.index()];
        V::new(if WIDE { wide(low, self.high[id.index()]) } else { low.into() })
    }

    /// The line of an id is another from now on.
    #[inline(always)]
    pub fn set(&mut self, id: I, value: V) {
        match self.is_wide() {
            true => self.put::<true>(id, value),
            false => self.put::<false>(id, value),
        }
    }

    /// Sets the line of an id, in a table whose width is known.
    #[inline(always)]
    pub fn put<const WIDE: bool>(&mut self, id: I, value: V) {
        debug_assert_eq!(WIDE, self.is_wide());
        self.low[id.index()] = value.number() as u32;
        if WIDE {
            self.high[id.index()] = (value.number() >> u32::BITS) as u8;
        }
        debug_assert!(self.at(id) == value, "{value:?} is too large for the table");
    }

    /// The lines from an id on are these from now on.
    #[inline]
    pub fn put_all<const WIDE: bool>(&mut self, first: I, values: &[V]) {
        debug_assert_eq!(WIDE, self.is_wide());
        let lines = first.index()..first.index() + values.len();
        for (low, value) in self.low[lines.clone()].iter_mut().zip(values) {
            *low = value.number() as u32;
        }
        if WIDE {
            for (high, value) in self.high[lines].iter_mut().zip(values) {
                *high = (value.number() >> u32::BITS) as u8;
            }
        }
    }

    /// Each line.
    pub fn iter(&self) -> impl Iterator<Item = V> {
        self.iter_with_ids().map(|(_, value)| value)
    }

    /// Each line with its id.
    pub fn iter_with_ids(&self) -> impl Iterator<Item = (I, V)> {
        (0..self.low.len()).map(|place| (I::at(place), self.at(I::at(place))))
    }

    /// Asks the cache for the line of an id, if it has one.
    #[inline(always)]
    pub fn prefetch(&self, id: I) {
        prefetch(&self.low, id.index());
        prefetch(&self.high, id.index());
    }

    /// Asks the cache for the line of an id, in a table whose width is known.
    #[inline(always)]
    pub fn ask<const WIDE: bool>(&self, id: I) {
        prefetch(&self.low, id.index());
        if WIDE {
            prefetch(&self.high, id.index());
        }
    }

    /// Memory that the lines take.
    pub fn bytes(&self) -> usize {
        self.low.capacity() * size_of::<u32>() + self.high.capacity()
    }
}

/// Lines of a table, and those of its fifth bytes.
fn lines(count: u64, units: u64) -> (usize, usize) {
    (count as usize, if is_wide(units) { count as usize } else { 0 })
}

#[inline(always)]
fn wide(low: u32, high: u8) -> u64 {
    u64::from(high) << u32::BITS | u64::from(low)
}

#[cfg(feature = "fuzzing")]
thread_local! {
    static FORCED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Does some work with drives that have the tables of large ones: small drives then try what only those use.
#[cfg(feature = "fuzzing")]
pub fn with_wide_tables<R>(work: impl FnOnce() -> R) -> R {
    let before = FORCED.replace(true);
    let done = work();
    FORCED.set(before);
    done
}

fn is_forced() -> bool {
    #[cfg(feature = "fuzzing")]
    return FORCED.get();
    #[cfg(not(feature = "fuzzing"))]
    false
}

#[cfg(test)]
mod tests {
    use super::{NARROW_UNITS, Packed, is_wide};
    use crate::ids::{Lpn, Unit};

    /// Sets lines, each of which must then be what it was set to, and its neighbours as before.
    fn keeps<const WIDE: bool>(units: u64, numbers: &[u64]) {
        let mut table: Packed<Lpn, Unit> = Packed::none(3, units);
        assert!(table.iter().all(Unit::is_none));
        for unit in numbers.iter().map(|&number| Unit(number)).chain([Unit::NONE]) {
            table.set(Lpn(1), unit);
            let found: Vec<_> = table.iter_with_ids().map(|(lpn, unit)| (lpn.0, unit)).collect();
            let mut other: Packed<Lpn, Unit> = Packed::none(3, units);
            other.put_all::<WIDE>(Lpn(0), &[Unit::NONE, unit]);
            assert_eq!(other, table);
            assert_eq!(found, [(0, Unit::NONE), (1, unit), (2, Unit::NONE)]);
            assert!(unit.is_none() || table.some::<WIDE>(Lpn(1)) == unit);
        }
        assert_eq!(table.count(), 3);
    }

    #[test]
    fn lines_of_either_width_keep_numbers_up_to_their_end() {
        let narrow = NARROW_UNITS;
        keeps::<false>(narrow, &[0, 1, 1 << 31, narrow - 1, narrow]);
        let edges = [narrow - 1, narrow, narrow + 1, narrow + 2, narrow + 3];
        keeps::<true>(1 << 36, &[&[0, 1, 1 << 31], &edges[..], &[(1 << 36) - 1, 1 << 36]].concat());
    }

    #[test]
    fn only_tables_of_more_units_than_four_bytes_number_take_a_fifth() {
        assert_eq!(NARROW_UNITS, 4_294_967_294);
        assert!(!is_wide(NARROW_UNITS) && is_wide(NARROW_UNITS + 1));
        let bytes = |units| Packed::<Lpn, Unit>::none(1000, units).bytes();
        assert_eq!((bytes(NARROW_UNITS), bytes(NARROW_UNITS + 1)), (4000, 5000));
    }
}
