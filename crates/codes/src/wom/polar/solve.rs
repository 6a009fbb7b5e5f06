//! Successive cancellation over erasures: the codeword that agrees with what is known.
//!
//! The recursion for the block (l, r) of cells, whose left half of sub-channels yields l ⊕ r and
//! whose right half r: the sum is known where both are; once it is decided, r is known where either
//! is. All of it is bitwise on two planes, which cells are `known` and their `value` (zero where
//! unknown), so that 64 to 512 cells are treated at a time.

use super::lanes::{Lanes, Seen, halves, halves_mut};
use super::program::{Op, Program, Step, WORD_LEVEL};
use super::small::Small;
use crate::cpu::{Isa, for_each_isa};

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

/// Decides the block at the top of `planes`: writes to `out` a codeword, zero on the fixed sub-channels of `program`,
/// that agrees with what is known. False if there is none.
pub(super) fn solve(isa: Isa, program: &Program, planes: &mut Planes, out: &mut [u64]) -> bool {
    take_all(isa, &program.steps, Small::new(isa, &program.shapes), planes, out)
}

for_each_isa! {
    /// Carries out steps; false if what is known contradicts the code.
    fn take_all(steps: &[Step], small: Small<'_>, planes: &mut Planes, out: &mut [u64]) -> bool
        = take_all_body
}

#[inline(always)]
fn take_all_body(
    steps: &[Step],
    mut small: Small<'_>,
    planes: &mut Planes,
    out: &mut [u64],
) -> bool {
    // A loop and no closure, which would be compiled for itself, without the instructions of this one.
    for step in steps {
        if !take(step, &mut small, planes, out) {
            return false;
        }
    }
    true
}

/// Carries out a step; false if what is known contradicts the code.
#[inline(always)]
fn take(step: &Step, small: &mut Small<'_>, planes: &mut Planes, out: &mut [u64]) -> bool {
    let words = 1 << (step.level - WORD_LEVEL);
    let out = &mut out[step.at as usize..][..words];
    match words {
        1 => {
            out[0] = small.word(planes.known[1], planes.value[1]);
            !small.contradicts()
        }
        2 => take_by::<1>(step.op, 1, planes, out),
        4 => take_by::<2>(step.op, 2, planes, out),
        8 => take_by::<4>(step.op, 4, planes, out),
        _ => take_by::<8>(step.op, words / 2, planes, out),
    }
}

/// Carries out a step on a block of two halves, `N` words of each at a time: most blocks are small, and loops over a
/// few words take longer than the work in them where their number is known only as they run.
#[inline(always)]
fn take_by<const N: usize>(op: Op, half: usize, planes: &mut Planes, out: &mut [u64]) -> bool {
    let (known_below, known) = planes.known[..4 * half].split_at_mut(2 * half);
    let (value_below, value) = planes.value[..4 * half].split_at_mut(2 * half);
    let (known, value) = (&*known, &*value);
    let (left_known, right_known) = halves::<N>(known, half);
    let (left_value, right_value) = halves::<N>(value, half);
    let seen = |at| Seen {
        left_known: Lanes(left_known[at]),
        right_known: Lanes(right_known[at]),
        left_value: Lanes(left_value[at]),
        right_value: Lanes(right_value[at]),
    };
    let known_below = halves_mut::<N>(known_below, half).1;
    let value_below = halves_mut::<N>(value_below, half).1;
    match op {
        Op::Left => {
            for at in 0..half / N {
                let seen = seen(at);
                known_below[at] = seen.both().0;
                value_below[at] = ((seen.left_value ^ seen.right_value) & seen.both()).0;
            }
        }
        Op::Right => {
            let left = halves::<N>(out, half).0;
            for at in 0..half / N {
                let seen = seen(at);
                known_below[at] = seen.either().0;
                value_below[at] = seen.right(left[at]).0;
            }
        }
        Op::RightOfZero => {
            let mut conflict = Lanes([0; N]);
            for at in 0..half / N {
                let seen = seen(at);
                conflict = conflict | seen.both() & (seen.left_value ^ seen.right_value);
                known_below[at] = seen.either().0;
                value_below[at] = (seen.left_value | seen.right_value).0;
            }
            return conflict.0 == [0; N];
        }
        Op::Join => {
            let (left, right) = halves_mut::<N>(out, half);
            for at in 0..half / N {
                left[at] = (Lanes(left[at]) ^ Lanes(right[at])).0;
            }
        }
        Op::JoinZero => {
            let (left, right) = halves_mut::<N>(out, half);
            left.copy_from_slice(right);
        }
        Op::JoinFree => {
            let (left, right) = halves_mut::<N>(out, half);
            for at in 0..half / N {
                let of_right = seen(at).right(left[at]);
                right[at] = of_right.0;
                left[at] = (Lanes(left[at]) ^ of_right).0;
            }
        }
        Op::Free => out.copy_from_slice(value),
        Op::Zero => {
            out.fill(0);
            return value.iter().fold(0, |any, word| any | word) == 0;
        }
        Op::Equal => return all_equal(known, value, out),
        Op::Even => return make_even(known, value, out),
        Op::Word => unreachable!("a word has no halves of whole words"),
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

#[cfg(test)]
mod tests {
    use super::super::transform::transform;
    use super::*;
    use crate::bits::{fill_random, get, random_word};
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
