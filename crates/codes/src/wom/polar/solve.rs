//! Successive cancellation over erasures: the codeword that agrees with what is known.
//!
//! The recursion for the block (l, r) of cells, whose left half of sub-channels yields l ⊕ r and
//! whose right half r: the sum is known where both are; once it is decided, r is known where either
//! is. All of it is bitwise on two planes, which cells are `known` and their `value` (zero where
//! unknown), so that 64 to 512 cells are treated at a time.

use super::program::{Op, Program, Shape, Step, WORD_LEVEL};
use crate::bits::WORD_BITS;
use crate::cpu::for_each_isa;

/// Room for the planes of every level of the tree: level L from word 2^(L-6) on.
#[derive(Debug, Clone)]
pub(super) struct Planes {
    pub known: Vec<u64>,
    pub value: Vec<u64>,
}

impl Planes {
    /// Room for blocks of up to `words` words.
    pub fn new(words: usize) -> Self {
        Self { known: vec![0; 2 * words], value: vec![0; 2 * words] }
    }
}

for_each_isa! {
    /// Decides the block at the top of `planes`: writes to `out` a codeword, zero on the fixed
    /// sub-channels of `program`, that agrees with what is known. False if there is none.
    pub(super) fn solve(program: &Program, planes: &mut Planes, out: &mut [u64]) -> bool
        = solve_body
}

#[inline(always)]
fn solve_body(program: &Program, planes: &mut Planes, out: &mut [u64]) -> bool {
    let mut shapes = program.shapes.iter();
    for step in &program.steps {
        if !take(step, &mut shapes, planes, out) {
            return false;
        }
    }
    true
}

/// Carries out a step; false if what is known contradicts the code.
#[inline(always)]
fn take(
    step: &Step,
    shapes: &mut std::slice::Iter<'_, Shape>,
    planes: &mut Planes,
    out: &mut [u64],
) -> bool {
    let words = 1 << (step.level - WORD_LEVEL);
    let at = step.at as usize;
    let out = &mut out[at..at + words];
    let half = words / 2;
    let (known_below, known) = planes.known[..2 * words].split_at_mut(words);
    let (value_below, value) = planes.value[..2 * words].split_at_mut(words);
    let (left_known, right_known) = known.split_at(half);
    let (left_value, right_value) = value.split_at(half);
    match step.op {
        Op::Left => {
            let (known, value) = (&mut known_below[half..], &mut value_below[half..]);
            for i in 0..half {
                known[i] = left_known[i] & right_known[i];
                value[i] = (left_value[i] ^ right_value[i]) & known[i];
            }
        }
        Op::Right => {
            let (known, value) = (&mut known_below[half..], &mut value_below[half..]);
            for i in 0..half {
                let from_left = left_known[i] & !right_known[i];
                known[i] = left_known[i] | right_known[i];
                value[i] = right_value[i] | from_left & (left_value[i] ^ out[i]);
            }
        }
        Op::RightOfZero => {
            let (known, value) = (&mut known_below[half..], &mut value_below[half..]);
            let mut conflict = 0;
            for i in 0..half {
                let both = left_known[i] & right_known[i];
                conflict |= both & (left_value[i] ^ right_value[i]);
                known[i] = left_known[i] | right_known[i];
                value[i] = left_value[i] | right_value[i];
            }
            return conflict == 0;
        }
        Op::Join => {
            let (left, right) = out.split_at_mut(half);
            for i in 0..half {
                left[i] ^= right[i];
            }
        }
        Op::JoinZero => {
            let (left, right) = out.split_at_mut(half);
            left.copy_from_slice(right);
        }
        Op::JoinFree => {
            let (left, right) = out.split_at_mut(half);
            for i in 0..half {
                let from_left = left_known[i] & !right_known[i];
                right[i] = right_value[i] | from_left & (left_value[i] ^ left[i]);
                left[i] ^= right[i];
            }
        }
        Op::Free => out.copy_from_slice(value),
        Op::Zero => {
            out.fill(0);
            return value.iter().fold(0, |any, word| any | word) == 0;
        }
        Op::Equal => return all_equal(known, value, out),
        Op::Even => return make_even(known, value, out),
        Op::Word => return decide(shapes, WORD_LEVEL, known[0], value[0], &mut out[0]),
    }
    true
}

/// All cells of the block are equal: to what is known, or else zero.
#[inline(always)]
fn all_equal(known: &[u64], value: &[u64], out: &mut [u64]) -> bool {
    let (mut any_one, mut any_zero) = (0, 0);
    for (known, value) in known.iter().zip(value) {
        any_one |= value;
        any_zero |= known & !value;
    }
    out.fill(if any_one != 0 { u64::MAX } else { 0 });
    any_one == 0 || any_zero == 0
}

/// Makes the number of ones even by the first cell that is unknown.
#[inline(always)]
fn make_even(known: &[u64], value: &[u64], out: &mut [u64]) -> bool {
    out.copy_from_slice(value);
    let parity = value.iter().fold(0, |sum, word| sum ^ word).count_ones() % 2;
    if parity == 0 {
        return true;
    }
    let Some(index) = known.iter().position(|&word| word != u64::MAX) else { return false };
    out[index] |= !known[index] & (known[index] + 1);
    true
}

/// Decides a block of 2^`level` cells in the lowest bits of a word; false on a contradiction.
fn decide(
    shapes: &mut std::slice::Iter<'_, Shape>,
    level: u32,
    known: u64,
    value: u64,
    out: &mut u64,
) -> bool {
    let Some(shape) = shapes.next() else { unreachable!("a program has a shape for every block") };
    let half = (1_u32 << level) / 2;
    let low = (1_u64 << half) - 1;
    let (left_known, right_known) = (known & low, known >> half);
    let (left_value, right_value) = (value & low, value >> half);
    let mut right = 0;
    match shape {
        Shape::Free => *out = value,
        Shape::Zero => {
            *out = 0;
            return value == 0;
        }
        Shape::Equal => {
            let all = u64::MAX >> (WORD_BITS as u32 - (1 << level));
            *out = if value == 0 { 0 } else { all };
            return value == 0 || value == known;
        }
        Shape::Even => {
            let all = u64::MAX >> (WORD_BITS as u32 - (1 << level));
            let first_unknown = !known & known.wrapping_add(1) & all;
            let odd = value.count_ones() % 2 == 1;
            *out = value | if odd { first_unknown } else { 0 };
            return !odd || first_unknown != 0;
        }
        Shape::Twice | Shape::SameHalves => {
            if left_known & right_known & (left_value ^ right_value) != 0 {
                return false;
            }
            let (known, value) = (left_known | right_known, left_value | right_value);
            if *shape == Shape::Twice {
                right = value;
            } else if !decide(shapes, level - 1, known, value, &mut right) {
                return false;
            }
            *out = right << half | right;
        }
        Shape::FreeRight | Shape::Split => {
            let both = left_known & right_known;
            let mut left = 0;
            if !decide(shapes, level - 1, both, (left_value ^ right_value) & both, &mut left) {
                return false;
            }
            let from_left = left_known & !right_known;
            let value = right_value | from_left & (left_value ^ left);
            if *shape == Shape::FreeRight {
                right = value;
            } else if !decide(shapes, level - 1, left_known | right_known, value, &mut right) {
                return false;
            }
            *out = right << half | (left ^ right);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::transform::transform;
    use super::*;
    use crate::bits::{fill_random, get, random_word};
    use crate::cpu::Isa;
    use proptest::prelude::*;

    /// Successive cancellation bit by bit, by the definition: `Some` of the codeword. Where bits
    /// may be chosen the rule is that unknown cells become zero, but for the first of them where
    /// the parity is fixed.
    fn naive(known: &[Option<bool>], fixed: &[bool]) -> Option<Vec<bool>> {
        if !fixed[1..].contains(&true) && fixed.len() > 1 {
            let mut cells: Vec<bool> = known.iter().map(|cell| cell.unwrap_or(false)).collect();
            let odd = cells.iter().filter(|&&cell| cell).count() % 2 == 1;
            if fixed[0] && odd {
                cells[known.iter().position(Option::is_none)?] = true;
            }
            return Some(cells);
        }
        if let [cell] = known {
            return match (cell, fixed[0]) {
                (Some(true), true) => None,
                (cell, _) => Some(vec![cell.unwrap_or(false)]),
            };
        }
        let half = known.len() / 2;
        let (l, r) = known.split_at(half);
        let sums: Vec<Option<bool>> = l.iter().zip(r).map(|(l, r)| Some((*l)? ^ (*r)?)).collect();
        let left = naive(&sums, &fixed[..half])?;
        let seen: Vec<Option<bool>> =
            (0..half).map(|i| r[i].or_else(|| Some(l[i]? ^ left[i]))).collect();
        let right = naive(&seen, &fixed[half..])?;
        let sum = left.iter().zip(&right).map(|(l, r)| l ^ r);
        Some(sum.chain(right.iter().copied()).collect())
    }

    fn solved(isa: Isa, fixed: &[u64], known: &[u64], value: &[u64]) -> Option<Vec<u64>> {
        let words = fixed.len();
        let mut planes = Planes::new(words);
        planes.known[words..].copy_from_slice(known);
        planes.value[words..].copy_from_slice(value);
        let mut out = vec![u64::MAX; words];
        solve(isa, &Program::new(fixed), &mut planes, &mut out).then_some(out)
    }

    /// A plane with about `density`/8 ones.
    fn plane(words: usize, seed: u64, density: u32) -> Vec<u64> {
        let bit = |i: u64| u64::from(random_word(seed, i) >> 61 < u64::from(density));
        (0..words as u64).map(|w| (0..64).fold(0, |word, b| word | bit(64 * w + b) << b)).collect()
    }

    proptest! {
        /// Shapes decide free bits in their own way, but whether there is a contradiction, and that
        /// the outcome is a codeword that agrees with what is known, they cannot change.
        #[test]
        fn agrees_with_successive_cancellation_bit_by_bit(
            log_words in 0_u32..5,
            seed in any::<u64>(),
            fixed_eighths in 0_u32..9,
            known_eighths in 0_u32..9,
            ordered in any::<bool>(),
            consistent in any::<bool>(),
        ) {
            let words = 1 << log_words;
            let bits = 64 * words;
            let mut fixed = plane(words, seed, fixed_eighths);
            if ordered {
                let cells = vec![super::super::reliability::Erasure::of_cell(0.5); bits];
                let channels = super::super::reliability::sub_channels(cells);
                let order = super::super::reliability::worst_first(&channels);
                fixed.fill(0);
                for &index in &order[..bits * fixed_eighths as usize / 8] {
                    crate::bits::set(&mut fixed, index as usize, true);
                }
            }
            let known = plane(words, seed ^ 1, known_eighths);
            let mut value = vec![0; words];
            fill_random(&mut value, seed ^ 2);
            if consistent {
                value.iter_mut().zip(&fixed).for_each(|(v, f)| *v &= !f);
                transform(Isa::Plain, &mut value);
            }
            value.iter_mut().zip(&known).for_each(|(v, k)| *v &= k);

            let cells: Vec<Option<bool>> =
                (0..bits).map(|i| get(&known, i).then(|| get(&value, i))).collect();
            let is_fixed: Vec<bool> = (0..bits).map(|i| get(&fixed, i)).collect();
            let expected = naive(&cells, &is_fixed);
            let found = solved(Isa::Plain, &fixed, &known, &value);
            prop_assert_eq!(found.is_some(), expected.is_some());
            for isa in Isa::ALL {
                prop_assert_eq!(&solved(isa, &fixed, &known, &value), &found);
            }
            if let Some(mut out) = found {
                for i in 0..words {
                    prop_assert_eq!(out[i] & known[i], value[i]);
                }
                transform(Isa::Plain, &mut out);
                for i in 0..words {
                    prop_assert_eq!(out[i] & fixed[i], 0);
                }
            }
        }
    }
}
