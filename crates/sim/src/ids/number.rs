//! What ids are counted in.

use std::fmt;
use std::ops::{Add, Sub};

/// What ids of a kind are counted in: `u32`, but `u64` for units, of which a drive may have more.
pub trait Number:
    Copy + Ord + fmt::Debug + fmt::Display + Into<u64> + Add<Output = Self> + Sub<Output = Self>
{
    /// The number of a place in a table.
    fn of(place: usize) -> Self;

    /// The place in a table that has the number.
    fn place(self) -> usize;
}

macro_rules! numbers {
    ($($name:ident)*) => {$(
        impl Number for $name {
            #[inline(always)]
            fn of(place: usize) -> Self {
                place as Self
            }

            #[inline(always)]
            fn place(self) -> usize {
                self as usize
            }
        }
    )*};
}

numbers! { u32 u64 }
