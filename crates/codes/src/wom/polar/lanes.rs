//! A few words that are treated at a time, and what is known of the halves of a block there.

use std::array::from_fn;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// So many words, in registers where the processor has such.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lanes<const N: usize>(pub [u64; N]);

/// The halves of a vector of words.
#[inline(always)]
pub(super) fn halves<const N: usize>(vector: &[u64], half: usize) -> (&[[u64; N]], &[[u64; N]]) {
    let (left, right) = vector[..2 * half].split_at(half);
    (left.as_chunks().0, right.as_chunks().0)
}

/// The halves of a vector of words, to be changed.
#[inline(always)]
pub(super) fn halves_mut<const N: usize>(
    vector: &mut [u64],
    half: usize,
) -> (&mut [[u64; N]], &mut [[u64; N]]) {
    let (left, right) = vector[..2 * half].split_at_mut(half);
    (left.as_chunks_mut().0, right.as_chunks_mut().0)
}

/// What is known of words of the left half of a block and of the same words of its right half.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<const N: usize> {
    pub left_known: Lanes<N>,
    pub right_known: Lanes<N>,
    pub left_value: Lanes<N>,
    pub right_value: Lanes<N>,
}

impl<const N: usize> Seen<N> {
    /// Where both halves are known.
    #[inline(always)]
    pub fn both(self) -> Lanes<N> {
        self.left_known & self.right_known
    }

    /// Where either is.
    #[inline(always)]
    pub fn either(self) -> Lanes<N> {
        self.left_known | self.right_known
    }

    /// The value of the right half, the left half of sub-channels being decided.
    #[inline(always)]
    pub fn right(self, left: [u64; N]) -> Lanes<N> {
        let from_left = self.left_known & !self.right_known;
        self.right_value | from_left & (self.left_value ^ Lanes(left))
    }
}

/// An operator, word by word.
macro_rules! word_by_word {
    ($name:ident, $method:ident) => {
        impl<const N: usize> $name for Lanes<N> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(from_fn(|i| self.0[i].$method(other.0[i])))
            }
        }
    };
}

word_by_word!(BitAnd, bitand);
word_by_word!(BitOr, bitor);
word_by_word!(BitXor, bitxor);

impl<const N: usize> Not for Lanes<N> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}
