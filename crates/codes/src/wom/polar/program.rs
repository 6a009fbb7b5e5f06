//! The tree of successive cancellation, flattened into steps that need no recursion.
//!
//! A node of the tree stands for a block of sub-channels. Where all of a block, none of it, all but
//! the last or only the first are fixed, its outcome is known in closed form, and the tree ends
//! there; on the worst sub-channels, where the message stands, that leaves about one node for 20
//! cells. (The same shapes end the tree in decoders of polar codes: Sarkis et al., IEEE JSAC 32(5),
//! 2014.)

use crate::bits::{WORD_BITS, ones};

/// The level of a block that fills one word.
pub(super) const WORD_LEVEL: u32 = WORD_BITS.trailing_zeros();

/// The shape of a block, from the set of sub-channels in it that are fixed to zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// None fixed: any vector is a codeword.
    Free,
    /// All fixed: zero is the only codeword.
    Zero,
    /// All but the last fixed: all cells are equal.
    Equal,
    /// Only the first fixed: the number of ones is even.
    Even,
    /// The left half fixed, the right free: both halves are equal.
    Twice,
    /// The left half fixed: both halves are equal, and of the shape that follows.
    SameHalves,
    /// The right half free; the left half's shape follows.
    FreeRight,
    /// The shapes of the left and of the right half follow.
    Split,
    /// The left half is [`Shape::Equal`], the right free.
    EqualFree,
    /// The left half is [`Shape::Equal`], the right [`Shape::Even`].
    EqualEven,
    /// The left half fixed, the right [`Shape::Even`].
    ZeroEven,
}

impl Shape {
    fn of(fixed: &dyn Fixed) -> Self {
        let (bits, count) = (fixed.bits(), fixed.count());
        if count == 0 {
            Self::Free
        } else if count == bits {
            Self::Zero
        } else if count == bits - 1 && !fixed.has(bits - 1) {
            Self::Equal
        } else if count == 1 && fixed.has(0) {
            Self::Even
        } else {
            let left = fixed.count_left();
            match (left == bits / 2, count == left) {
                (true, true) => Self::Twice,
                (true, false) => Self::SameHalves,
                (false, true) => Self::FreeRight,
                (false, false) => Self::Split,
            }
        }
    }

    /// The shape of a block within a word, in which the halves of the most frequent shapes need not be told apart.
    fn within_word(fixed: &Small) -> Self {
        let (left, right) = fixed.halves();
        match Self::of(fixed) {
            Self::FreeRight if Self::of(&left) == Self::Equal => Self::EqualFree,
            Self::SameHalves if Self::of(&right) == Self::Even => Self::ZeroEven,
            Self::Split if (Self::of(&left), Self::of(&right)) == (Self::Equal, Self::Even) => {
                Self::EqualEven
            }
            shape => shape,
        }
    }
}

/// A block of sub-channels, of which some are fixed.
trait Fixed {
    fn bits(&self) -> usize;
    fn count(&self) -> usize;
    fn count_left(&self) -> usize;
    fn has(&self, index: usize) -> bool;
}

/// A block of whole words.
struct Large<'a>(&'a [u64]);

impl Fixed for Large<'_> {
    fn bits(&self) -> usize {
        WORD_BITS * self.0.len()
    }

    fn count(&self) -> usize {
        ones(self.0)
    }

    fn count_left(&self) -> usize {
        ones(&self.0[..self.0.len() / 2])
    }

    fn has(&self, index: usize) -> bool {
        crate::bits::get(self.0, index)
    }
}

/// A block of `bits` in one word, in its lowest bits.
struct Small {
    word: u64,
    bits: usize,
}

impl Small {
    fn halves(&self) -> (Self, Self) {
        let bits = self.bits / 2;
        let left = Self { word: self.word & ((1 << bits) - 1), bits };
        (left, Self { word: self.word >> bits, bits })
    }
}

impl Fixed for Small {
    fn bits(&self) -> usize {
        self.bits
    }

    fn count(&self) -> usize {
        self.word.count_ones() as usize
    }

    fn count_left(&self) -> usize {
        self.halves().0.count()
    }

    fn has(&self, index: usize) -> bool {
        self.word >> index & 1 == 1
    }
}

/// One step for the block that begins at word `at` and holds 2^`level` cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub op: Op,
    pub level: u32,
    pub at: u32,
}

/// What to do with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    /// Go down to the left half: the sums of both.
    Left,
    /// Go down to the right half, the left being decided.
    Right,
    /// Go down to the right half, the left being zero.
    RightOfZero,
    /// The right half is decided: add it to the left.
    Join,
    /// The right half is decided and the left was zero: copy it.
    JoinZero,
    /// The right half is free and the left decided: take what is known and add it to the left.
    JoinFree,
    /// Decide a block of that shape, larger than a word.
    Free,
    /// See [`Shape::Zero`].
    Zero,
    /// See [`Shape::Equal`].
    Equal,
    /// See [`Shape::Even`].
    Even,
    /// Decide a block of one word.
    Word,
}

/// What to do for a set of fixed sub-channels.
#[derive(Debug, Clone)]
pub(super) struct Program {
    /// Steps in their order.
    pub steps: Vec<Step>,
    /// Shapes of the blocks within words, parents before children, left before right.
    pub shapes: Vec<Shape>,
}

impl Program {
    /// The program for the sub-channels `fixed`, whose number of words is a power of two.
    pub fn new(fixed: &[u64]) -> Self {
        let mut program = Self { steps: Vec::new(), shapes: Vec::new() };
        program.add_large(fixed, 0);
        program
    }

    fn add_large(&mut self, fixed: &[u64], at: usize) {
        let level = (WORD_BITS * fixed.len()).trailing_zeros();
        if level == WORD_LEVEL {
            self.push(Op::Word, level, at);
            return self.add_small(&Small { word: fixed[0], bits: WORD_BITS });
        }
        let half = fixed.len() / 2;
        let (left, right) = fixed.split_at(half);
        match Shape::of(&Large(fixed)) {
            Shape::Free => self.push(Op::Free, level, at),
            Shape::Zero => self.push(Op::Zero, level, at),
            Shape::Equal => self.push(Op::Equal, level, at),
            Shape::Even => self.push(Op::Even, level, at),
            Shape::Twice | Shape::SameHalves | Shape::ZeroEven => {
                self.push(Op::RightOfZero, level, at);
                self.add_large(right, at + half);
                self.push(Op::JoinZero, level, at);
            }
            Shape::FreeRight | Shape::EqualFree => {
                self.push(Op::Left, level, at);
                self.add_large(left, at);
                self.push(Op::JoinFree, level, at);
            }
            Shape::Split | Shape::EqualEven => {
                self.push(Op::Left, level, at);
                self.add_large(left, at);
                self.push(Op::Right, level, at);
                self.add_large(right, at + half);
                self.push(Op::Join, level, at);
            }
        }
    }

    fn push(&mut self, op: Op, level: u32, at: usize) {
        self.steps.push(Step { op, level, at: at as u32 });
    }

    fn add_small(&mut self, fixed: &Small) {
        let shape = Shape::within_word(fixed);
        self.shapes.push(shape);
        let (left, right) = fixed.halves();
        match shape {
            Shape::SameHalves => self.add_small(&right),
            Shape::FreeRight => self.add_small(&left),
            Shape::Split => {
                self.add_small(&left);
                self.add_small(&right);
            }
            Shape::Free | Shape::Zero | Shape::Equal | Shape::Even | Shape::Twice => {}
            Shape::EqualFree | Shape::EqualEven | Shape::ZeroEven => {}
        }
    }
}
