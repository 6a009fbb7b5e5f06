//! One type for each kind of number, so that a scope where a plane is asked does not compile.

mod number;
mod packed;

pub use number::Number;
#[cfg(feature = "fuzzing")]
pub use packed::with_wide_tables;
pub use packed::{AT_ONCE, Packed, is_wide};

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Numbers of one kind, which begin at 0.
pub trait Id: Copy + Eq + fmt::Debug {
    /// What they are counted in.
    type Number: Number;

    /// The number as an id.
    fn new(number: Self::Number) -> Self;

    /// The id as a number.
    fn number(self) -> Self::Number;

    /// Its place in a table.
    #[inline(always)]
    fn index(self) -> usize {
        self.number().place()
    }

    /// The id whose place this is.
    #[inline(always)]
    fn at(index: usize) -> Self {
        Self::new(Self::Number::of(index))
    }
}

macro_rules! ids {
    ($number:ident: $($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub $number);

        impl $name {
            /// None of them.
            pub const NONE: Self = Self($number::MAX);

            /// True of [`Self::NONE`].
            #[inline(always)]
            pub const fn is_none(self) -> bool {
                self.0 == Self::NONE.0
            }

            /// True of all but [`Self::NONE`].
            #[inline(always)]
            pub const fn is_some(self) -> bool {
                !self.is_none()
            }

            /// The id so many after this one.
            #[inline(always)]
            pub const fn plus(self, count: u32) -> Self {
                Self(self.0 + count as $number)
            }

            /// The id, unless it is [`Self::NONE`].
            #[inline(always)]
            pub fn known(self) -> Option<Self> {
                self.is_some().then_some(self)
            }
        }

        impl Id for $name {
            type Number = $number;

            #[inline(always)]
            fn new(number: $number) -> Self {
                Self(number)
            }

            #[inline(always)]
            fn number(self) -> $number {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! { u32:
    /// A plane, counted over the drive.
    PlaneId
    /// A die, counted over the drive.
    DieId
    /// Planes that share write points: one plane, or those of a die.
    ScopeId
    /// Planes whose free blocks are counted together, and in which a victim is sought.
    DomainId
    /// A write point: a scope and a stream.
    PointId
    /// A block, counted over the drive.
    BlockId
    /// Data that is written together: each scope has a write point for it.
    StreamId
    /// A drive of an array, by its place; once it is lost another member may take the place.
    DriveId
    /// A member of an array: its first drives, and behind them the spare.
    MemberId
    /// The pages at one place of all drives of an array, one of each: what a stripe head of Linux md holds.
    StripeId
    /// A stripe head of an array's cache.
    HeadId
    /// A host request that an array has not wholly taken yet.
    TaskId
}

ids! { u64:
    /// A mapping unit of flash, counted over the drive.
    Unit
    /// A logical mapping unit: those of the host, and after them the pages of the map.
    Lpn
}

impl Lpn {
    /// The number of its range, where `units` logical units make one.
    #[inline]
    pub const fn range(self, units: u32) -> u64 {
        self.0 / units as u64
    }

    /// Its place in its range.
    #[inline]
    pub const fn place_in_range(self, units: u32) -> u32 {
        (self.0 % units as u64) as u32
    }
}

/// Ids that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ids<I: Id> {
    start: I::Number,
    end: I::Number,
}

impl<I: Id> Default for Ids<I> {
    fn default() -> Self {
        Self::new(I::at(0), I::Number::of(0))
    }
}

impl<I: Id> Ids<I> {
    /// `count` ids from `first` on.
    #[inline]
    pub fn new(first: I, count: I::Number) -> Self {
        let start = first.number();
        Self { start, end: start + count }
    }

    /// All ids below `count`.
    #[inline]
    pub fn all(count: I::Number) -> Self {
        Self::new(I::at(0), count)
    }

    /// From one id to another, both among them.
    pub fn between(first: I, last: I) -> Self {
        Self::new(first, last.number() + I::Number::of(1) - first.number())
    }

    /// The first of them; of none, where they would begin.
    #[inline]
    pub fn first(&self) -> I {
        I::new(self.start)
    }

    /// The last of them.
    ///
    /// # Panics
    /// There is none.
    #[inline]
    pub fn last(&self) -> I {
        assert!(self.start < self.end, "no ids");
        I::new(self.end - I::Number::of(1))
    }

    /// The one after the last.
    #[inline]
    pub fn end(&self) -> I {
        I::new(self.end)
    }

    /// How many there are.
    #[inline]
    pub fn count(&self) -> I::Number {
        self.end - self.start
    }

    /// One of them.
    #[inline]
    pub fn at(&self, place: I::Number) -> I {
        debug_assert!(place < self.count(), "{place} of {}", self.count());
        I::new(self.start + place)
    }

    /// The place of an id among them.
    #[inline]
    pub fn place_of(&self, id: I) -> I::Number {
        debug_assert!(self.contains(id), "{id:?}");
        id.number() - self.start
    }

    /// Whether an id is one of them.
    #[inline]
    pub fn contains(&self, id: I) -> bool {
        (self.start..self.end).contains(&id.number())
    }

    /// Their places in a table.
    #[inline]
    pub fn indices(&self) -> std::ops::Range<usize> {
        self.start.place()..self.end.place()
    }

    /// Each of them.
    #[inline]
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + FusedIterator + Clone + use<I>
    {
        self.into_iter()
    }
}

impl<I: Id> IntoIterator for Ids<I> {
    type Item = I;
    type IntoIter = std::iter::Map<std::ops::Range<usize>, fn(usize) -> I>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.indices().map(I::at as fn(usize) -> I)
    }
}

/// A table with a line for each id of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ById<I, T> {
    lines: Vec<T>,
    of: PhantomData<I>,
}

impl<I, T> Default for ById<I, T> {
    fn default() -> Self {
        Self { lines: Vec::new(), of: PhantomData }
    }
}

impl<I: Id, T> ById<I, T> {
    /// A table with the same line for each of `count` ids.
    pub fn filled(line: T, count: I::Number) -> Self
    where
        T: Clone,
    {
        Self { lines: vec![line; count.place()], of: PhantomData }
    }

    /// How many lines there are.
    #[inline]
    pub fn count(&self) -> I::Number {
        I::Number::of(self.lines.len())
    }

    /// The ids that have a line.
    pub fn ids(&self) -> Ids<I> {
        Ids::all(self.count())
    }

    /// One line more; returns its id.
    pub fn push(&mut self, line: T) -> I {
        self.lines.push(line);
        I::at(self.lines.len() - 1)
    }

    /// Each line.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.lines.iter()
    }

    /// Each line, to be changed.
    #[inline]
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.lines.iter_mut()
    }

    /// Each line with its id.
    pub fn iter_with_ids(&self) -> impl Iterator<Item = (I, &T)> {
        self.ids().into_iter().zip(&self.lines)
    }

    /// The lines of some ids.
    pub fn of(&self, ids: Ids<I>) -> &[T] {
        &self.lines[ids.indices()]
    }

    /// The lines of some ids, to be changed.
    pub fn of_mut(&mut self, ids: Ids<I>) -> &mut [T] {
        &mut self.lines[ids.indices()]
    }

    /// The line of an id, if it has one.
    #[inline]
    pub fn get(&self, id: I) -> Option<&T> {
        self.lines.get(id.index())
    }

    /// The line of an id, to be changed, if it has one.
    #[inline]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.lines.get_mut(id.index())
    }

    /// Memory that the lines take.
    pub fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<T>()
    }

    /// The lines, in order.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.lines
    }
}

impl<I: Id, T> Index<I> for ById<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.lines[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for ById<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.lines[id.index()]
    }
}

impl<I, T> From<Vec<T>> for ById<I, T> {
    fn from(lines: Vec<T>) -> Self {
        Self { lines, of: PhantomData }
    }
}

impl<I, T> FromIterator<T> for ById<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(lines: A) -> Self {
        Self { lines: lines.into_iter().collect(), of: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::{ById, Id, Ids, PlaneId};

    #[test]
    fn ids_in_a_row_know_their_places() {
        let planes = Ids::new(PlaneId(3), 2);
        assert_eq!(planes.iter().collect::<Vec<_>>(), [PlaneId(3), PlaneId(4)]);
        assert_eq!(
            (planes.first(), planes.last(), planes.end()),
            (PlaneId(3), PlaneId(4), PlaneId(5))
        );
        assert_eq!((planes.at(1), planes.place_of(PlaneId(4))), (PlaneId(4), 1));
        assert!(planes.contains(PlaneId(4)) && !planes.contains(PlaneId(5)));
        assert_eq!(Ids::between(PlaneId(3), PlaneId(4)), planes);
        let table: ById<PlaneId, u32> = (10..16).collect();
        assert_eq!(table.of(planes), [13, 14]);
        assert_eq!(table[PlaneId::new(5)], 15);
    }
}
