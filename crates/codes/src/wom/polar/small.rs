//! Successive cancellation within a word.

use super::program::{Shape, WORD_LEVEL};
use crate::bits::WORD_BITS;
use crate::cpu::Isa;
use std::slice;

/// Decides words one after the other, by the shapes of their blocks.
pub(super) struct Small<'a> {
    shapes: slice::Iter<'a, Shape>,
    /// Not zero once what is known contradicts the code. What is decided then is void, and ends all the same: branches
    /// that ask block by block take longer.
    conflict: u64,
    /// Whether the processor counts, shifts and finds bits by the instructions of [`fast`].
    is_fast: bool,
}

/// What is known of a block in the lowest bits of a word.
#[derive(Clone, Copy)]
struct Block {
    /// It has 2^`level` cells.
    level: u32,
    known: u64,
    value: u64,
}

impl Block {
    #[inline(always)]
    fn half(self) -> u32 {
        (1 << self.level) / 2
    }

    /// All of its cells.
    #[inline(always)]
    fn all(self) -> u64 {
        u64::MAX >> (WORD_BITS as u32 - (1 << self.level))
    }

    /// What is known of the left and of the right half of the cells.
    #[inline(always)]
    fn halves(self) -> (Self, Self) {
        let (half, level) = (self.half(), self.level - 1);
        let low = (1 << half) - 1;
        let left = Self { level, known: self.known & low, value: self.value & low };
        (left, Self { level, known: self.known >> half, value: self.value >> half })
    }

    /// The left half of sub-channels: the sum of both halves of the cells.
    #[inline(always)]
    fn sum(self) -> Self {
        let (left, right) = self.halves();
        let known = left.known & right.known;
        Self { known, value: (left.value ^ right.value) & known, ..left }
    }

    /// The right half of sub-channels, the left half being decided.
    #[inline(always)]
    fn right_after(self, decided: u64) -> Self {
        let (left, right) = self.halves();
        let from_left = left.known & !right.known;
        let value = right.value | from_left & (left.value ^ decided);
        Self { known: left.known | right.known, value, ..left }
    }

    /// The cells, both halves of sub-channels being decided.
    #[inline(always)]
    fn join(self, left: u64, right: u64) -> u64 {
        right << self.half() | (left ^ right)
    }
}

impl<'a> Small<'a> {
    /// Decides the words of these shapes, parents before children, left before right.
    pub fn new(isa: Isa, shapes: &'a [Shape]) -> Self {
        let is_fast = isa != Isa::Plain && Isa::Avx2.is_available();
        Self { shapes: shapes.iter(), conflict: 0, is_fast }
    }

    /// True if what is known contradicts the code.
    #[inline(always)]
    pub fn contradicts(&self) -> bool {
        self.conflict != 0
    }

    /// Decides the next word.
    #[inline(always)]
    pub fn word(&mut self, known: u64, value: u64) -> u64 {
        let block = Block { level: WORD_LEVEL, known, value };
        #[cfg(target_arch = "x86_64")]
        if self.is_fast {
            // SAFETY: the processor has these instructions.
            return unsafe { fast(self, block) };
        }
        plain(self, block)
    }

    /// Decides a block, and those within it by `decide`, which is this.
    #[inline(always)]
    fn decide_by(&mut self, block: Block, decide: impl Fn(&mut Self, Block) -> u64) -> u64 {
        let Some(shape) = self.shapes.next() else {
            unreachable!("a program has a shape for every block")
        };
        match shape {
            Shape::Free => block.value,
            Shape::Zero => {
                self.conflict |= block.value;
                0
            }
            Shape::Equal => self.equal(block),
            Shape::Even => self.even(block),
            Shape::Twice => {
                let right = self.same(block).value;
                block.join(0, right)
            }
            Shape::SameHalves => {
                let both = self.same(block);
                let right = decide(self, both);
                block.join(0, right)
            }
            Shape::ZeroEven => {
                let both = self.same(block);
                let right = self.even(both);
                block.join(0, right)
            }
            Shape::FreeRight => {
                let left = decide(self, block.sum());
                block.join(left, block.right_after(left).value)
            }
            Shape::EqualFree => {
                let left = self.equal(block.sum());
                block.join(left, block.right_after(left).value)
            }
            Shape::Split => {
                let left = decide(self, block.sum());
                let right = decide(self, block.right_after(left));
                block.join(left, right)
            }
            Shape::EqualEven => {
                let left = self.equal(block.sum());
                let right = self.even(block.right_after(left));
                block.join(left, right)
            }
        }
    }

    /// All cells are equal: to what is known, or else zero.
    #[inline(always)]
    fn equal(&mut self, block: Block) -> u64 {
        // Neither none of what is known nor all of it is one.
        let differs = block.value != 0 && block.value != block.known;
        self.conflict |= u64::from(differs);
        if block.value == 0 { 0 } else { block.all() }
    }

    /// The number of ones is made even by the first cell that is unknown.
    #[inline(always)]
    fn even(&mut self, block: Block) -> u64 {
        let unknown = !block.known & block.all();
        let odd = u64::from(block.value.count_ones() % 2);
        self.conflict |= odd & u64::from(unknown == 0);
        block.value | unknown & unknown.wrapping_neg() & odd.wrapping_neg()
    }

    /// Both halves of the cells are equal: what is known of either.
    #[inline(always)]
    fn same(&mut self, block: Block) -> Block {
        let (left, right) = block.halves();
        self.conflict |= left.known & right.known & (left.value ^ right.value);
        Block { known: left.known | right.known, value: left.value | right.value, ..left }
    }
}

/// Decides a block.
fn plain(small: &mut Small<'_>, block: Block) -> u64 {
    small.decide_by(block, plain)
}

/// Decides a block by the instructions of [`Isa::Avx2`] for single words.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
fn fast(small: &mut Small<'_>, block: Block) -> u64 {
    small.decide_by(block, |small, block| fast(small, block))
}
