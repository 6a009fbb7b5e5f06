//! Layered, normalised min-sum decoding (Chen & Fossorier, IEEE Trans. Commun. 50, 2002; Hocevar,
//! SiPS 2004) in fixed point: every message is a signed byte, and checks send three quarters of
//! what min-sum would.

use super::block::{self, Block, SIZE};
use super::lanes::Lanes;
use super::matrix::BaseMatrix;
use crate::cpu::Isa;

/// The largest vector. As many bytes behind a column's messages repeat its first ones, so that a
/// rotated load need not wrap around; as many again take what a rotated store has too much.
const WRAP: usize = 64;
/// From one column's messages to the next's.
const STRIDE: usize = SIZE + 2 * WRAP;

/// No bit is believed more at first.
pub(super) const LARGEST_BELIEF: usize = 24;
/// Answers are bounded so that what a bit is believed never saturates, 24 and all its answers: a
/// belief that did would forget part of what it is made of, and could turn its sign when an old
/// answer is taken back. The bound depends on the column, for parity bits have two checks only: had
/// these no louder voice than the four of a data bit, three wrong bits in a row of the staircase
/// would outweigh the one right check at either end, in every round alike.
const LARGEST_SUM: usize = 127 - LARGEST_BELIEF;
/// So many failing checks are few: more are of words with far too many errors.
const FEW_CHECKS: u32 = 8;

/// A circulant as the decoder meets it: row after row.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// Where the column's messages begin.
    column: usize,
    shift: usize,
    /// The largest answer of a check to a bit of the column.
    most: i8,
}

/// The circulants of a code by row.
#[derive(Debug)]
pub struct Schedule {
    rows: Vec<Vec<Edge>>,
    columns: usize,
}

/// What is known before decoding.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// Bits by column, and what each of them is believed.
    Bits(&'a [Block], i8),
    /// A belief for each bit, to be divided by a number.
    Beliefs(&'a [i8], i8),
}

impl Input<'_> {
    fn halved(self) -> Self {
        match self {
            Self::Bits(bits, belief) => Self::Bits(bits, belief / 2),
            Self::Beliefs(beliefs, divisor) => Self::Beliefs(beliefs, 2 * divisor),
        }
    }
}

/// What a decoder remembers.
#[derive(Debug, Clone)]
pub struct Messages {
    /// By column: what is believed of each bit, positive for 0.
    beliefs: Vec<i8>,
    /// By row and edge: what each check said last.
    answers: Vec<i8>,
    /// What each bit says to the checks of the current row.
    questions: Vec<i8>,
    /// The signs of the beliefs.
    bits: Vec<Block>,
}

impl Schedule {
    /// The schedule of `matrix`.
    pub fn new(matrix: &BaseMatrix) -> Self {
        let mut rows = vec![Vec::new(); matrix.rows()];
        for (index, column) in matrix.columns().iter().enumerate() {
            let most = (LARGEST_SUM / column.len().max(1)) as i8;
            for circulant in column {
                let (column, shift) = (WRAP + index * STRIDE, usize::from(circulant.shift));
                rows[circulant.row].push(Edge { column, shift, most });
            }
        }
        Self { rows, columns: matrix.columns().len() }
    }

    /// Memory for a decoder.
    pub fn messages(&self) -> Messages {
        let edges: usize = self.rows.iter().map(Vec::len).sum();
        let most = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        Messages {
            beliefs: vec![0; WRAP + self.columns * STRIDE],
            answers: vec![0; edges * SIZE],
            questions: vec![0; most * SIZE],
            bits: vec![[0; 4]; self.columns],
        }
    }

    /// Whether all checks are satisfied by `bits`.
    pub fn is_codeword(&self, bits: &[Block]) -> bool {
        self.sums(bits).all(|sum| sum == [0; 4])
    }

    /// How many checks are not satisfied by `bits`.
    fn failing(&self, bits: &[Block]) -> u32 {
        self.sums(bits).flatten().map(u64::count_ones).sum()
    }

    /// Row by row, what the bits of each check add up to.
    fn sums(&self, bits: &[Block]) -> impl Iterator<Item = Block> {
        self.rows.iter().map(|row| {
            let mut sum = [0; 4];
            for edge in row {
                let column = &bits[(edge.column - WRAP) / STRIDE];
                block::add(&mut sum, &block::rotated(column, edge.shift as u8));
            }
            sum
        })
    }

    /// Up to `most` rounds over all rows, until the beliefs make a codeword, and where few checks fail
    /// in the end up to as many again with half the beliefs; the number of rounds, or `None` where
    /// they do not. Then wrong neighbours of the staircase, who vouch for each other, are outvoted by
    /// the checks at the ends, up to four or five of them.
    pub fn search(
        &self,
        isa: Isa,
        messages: &mut Messages,
        from: Input<'_>,
        most: usize,
    ) -> Option<usize> {
        self.decode(isa, messages, from, most).or_else(|| {
            let few = self.failing(&messages.bits) <= FEW_CHECKS;
            let rounds = few.then(|| self.decode(isa, messages, from.halved(), most))?;
            Some(most + rounds?)
        })
    }

    /// Up to `most` rounds over all rows.
    fn decode(
        &self,
        isa: Isa,
        messages: &mut Messages,
        from: Input<'_>,
        most: usize,
    ) -> Option<usize> {
        #[cfg(target_arch = "x86_64")]
        {
            use super::lanes::{Lanes32, Lanes64};
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
            fn avx512(
                this: &Schedule,
                messages: &mut Messages,
                from: Input<'_>,
                most: usize,
            ) -> Option<usize> {
                this.decode_by::<Lanes64>(messages, from, most)
            }
            #[target_feature(enable = "avx2,bmi1,bmi2")]
            fn avx2(
                this: &Schedule,
                messages: &mut Messages,
                from: Input<'_>,
                most: usize,
            ) -> Option<usize> {
                this.decode_by::<Lanes32>(messages, from, most)
            }
            match isa {
                // SAFETY: a set of instructions is only chosen where it is available.
                Isa::Avx512 => return unsafe { avx512(self, messages, from, most) },
                // SAFETY: a set of instructions is only chosen where it is available.
                Isa::Avx2 => return unsafe { avx2(self, messages, from, most) },
                Isa::Plain => {}
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = isa;
        self.decode_by::<[i8; 16]>(messages, from, most)
    }

    #[inline(always)]
    fn decode_by<V: Lanes>(
        &self,
        messages: &mut Messages,
        from: Input<'_>,
        most: usize,
    ) -> Option<usize> {
        messages.believe::<V>(from);
        messages.answers.fill(0);
        for round in 1..=most {
            let mut first = 0;
            for row in &self.rows {
                let answers = &mut messages.answers[first * SIZE..][..row.len() * SIZE];
                for z in (0..SIZE).step_by(V::COUNT) {
                    let questions = &mut messages.questions;
                    check::<V>(row, z, &mut messages.beliefs, answers, questions);
                }
                first += row.len();
            }
            for (index, bits) in messages.bits.iter_mut().enumerate() {
                let column = &messages.beliefs[WRAP + index * STRIDE..][..SIZE];
                for (word, beliefs) in bits.iter_mut().zip(column.chunks_exact(64)) {
                    *word = (0..64 / V::COUNT).fold(0, |word, part| {
                        word | V::load(beliefs, part * V::COUNT).signs() << (part * V::COUNT)
                    });
                }
            }
            if self.is_codeword(&messages.bits) {
                return Some(round);
            }
        }
        None
    }
}

/// Computes checks `z` and following of a row.
#[inline(always)]
fn check<V: Lanes>(
    row: &[Edge],
    z: usize,
    beliefs: &mut [i8],
    answers: &mut [i8],
    questions: &mut [i8],
) {
    // The two smallest magnitudes, and the product of all signs.
    let (mut least, mut second, mut sign) = (V::splat(-1), V::splat(-1), V::splat(0));
    for (index, edge) in row.iter().enumerate() {
        let belief = V::load(beliefs, edge.column + (z + edge.shift) % SIZE);
        let question = belief.sub(V::load(answers, index * SIZE + z));
        question.store(questions, index * SIZE + z);
        let magnitude = question.magnitude();
        second = second.min(least.max(magnitude));
        least = least.min(magnitude);
        sign = sign.xor(question);
    }
    let (to_all, to_least) = (least.three_quarters(), second.three_quarters());
    for (index, edge) in row.iter().enumerate() {
        let question = V::load(questions, index * SIZE + z);
        let answer = question.magnitude().if_equal(least, to_least, to_all);
        let answer = answer.min(V::splat(edge.most)).with_sign(sign.xor(question));
        answer.store(answers, index * SIZE + z);
        let belief = question.add(answer);
        let place = (z + edge.shift) % SIZE;
        belief.store(beliefs, edge.column + place);
        if place < WRAP {
            belief.store(beliefs, edge.column + place + SIZE);
        } else if place > SIZE - WRAP {
            belief.store(beliefs, edge.column + place - SIZE);
        }
    }
}

impl Messages {
    #[inline(always)]
    fn believe<V: Lanes>(&mut self, from: Input<'_>) {
        for index in 0..self.bits.len() {
            let column = &mut self.beliefs[WRAP + index * STRIDE..][..SIZE + WRAP];
            match from {
                Input::Bits(blocks, strength) => {
                    let (one, zero) = (V::splat(-strength), V::splat(strength));
                    for z in (0..SIZE).step_by(V::COUNT) {
                        let bits = blocks[index][z / 64] >> (z % 64);
                        V::select(bits, one, zero).store(column, z);
                    }
                }
                Input::Beliefs(beliefs, divisor) => {
                    let beliefs = &beliefs[index * SIZE..][..SIZE];
                    column.iter_mut().zip(beliefs).for_each(|(to, belief)| *to = belief / divisor);
                }
            }
            column.copy_within(..WRAP, SIZE);
        }
    }

    /// The bits of the codeword after [`Schedule::decode`] found one.
    pub fn bits(&self) -> &[Block] {
        &self.bits
    }
}
