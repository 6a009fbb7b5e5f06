//! Which cell stands where in a code, anew for each attempt.
//!
//! A new dither gives unknown bits new values, but the sub-channels that turned out known stay
//! known. A new arrangement redraws those as well: attempts are then independent of one another.

use crate::bits::{last_mask, random_word};

/// How cells are laid out for one attempt.
#[derive(Debug, Clone, Copy)]
pub(super) enum Arrangement {
    /// In their order.
    InOrder,
    /// Whole words in steps through the page, each rotated by its own amount.
    Shuffled { first: usize, step: usize, seed: u64 },
}

impl Arrangement {
    /// The arrangement that `seed` names for `cells` cells.
    pub fn shuffled(cells: usize, seed: u64) -> Self {
        let words = (cells / 64).max(1);
        let below = |index| ((u128::from(random_word(seed, index)) * words as u128) >> 64) as usize;
        let coprime = |&step: &usize| greatest_common_divisor(step, words) == 1;
        let step = (2..).map(below).find(coprime).unwrap_or(1); // 1 is coprime: one is found
        Self::Shuffled { first: below(1), step, seed: random_word(seed, 0) }
    }

    /// Lays `cells` out into `places`, of which those beyond the last cell become zero.
    #[inline(always)]
    pub fn apply(self, bits: usize, cells: &[u64], places: &mut [u64]) {
        let whole = bits / 64;
        match self {
            Self::InOrder => places[..whole].copy_from_slice(&cells[..whole]),
            Self::Shuffled { first, step, seed } => {
                let mut from = first;
                for (index, place) in places[..whole].iter_mut().enumerate() {
                    *place = cells[from].rotate_left(rotation(seed, index));
                    from = if from + step >= whole { from + step - whole } else { from + step };
                }
            }
        }
        places[whole..].fill(0);
        if !bits.is_multiple_of(64) {
            places[whole] = cells[whole] & last_mask(bits);
        }
    }

    /// The inverse of [`Self::apply`].
    #[inline(always)]
    pub fn undo(self, bits: usize, places: &[u64], cells: &mut [u64]) {
        let whole = bits / 64;
        match self {
            Self::InOrder => cells[..whole].copy_from_slice(&places[..whole]),
            Self::Shuffled { first, step, seed } => {
                let mut from = first;
                for (index, place) in places[..whole].iter().enumerate() {
                    cells[from] = place.rotate_right(rotation(seed, index));
                    from = if from + step >= whole { from + step - whole } else { from + step };
                }
            }
        }
        if !bits.is_multiple_of(64) {
            cells[whole] = places[whole] & last_mask(bits);
        }
    }
}

#[inline(always)]
fn rotation(seed: u64, index: usize) -> u32 {
    (random_word(seed, index as u64) >> 58) as u32
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{fill_random, words};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_cell_has_a_place_of_its_own(bits in 64_usize..2000, seed in any::<u64>()) {
            let mut cells = vec![0; words(bits)];
            fill_random(&mut cells, seed);
            let last = cells.len() - 1;
            cells[last] &= last_mask(bits);
            for arrangement in [Arrangement::InOrder, Arrangement::shuffled(bits, seed)] {
                let mut places = vec![u64::MAX; bits.next_power_of_two() / 64];
                places.resize(places.len().max(1), 0);
                arrangement.apply(bits, &cells, &mut places);
                prop_assert_eq!(crate::bits::ones(&places), crate::bits::ones(&cells));
                let mut back = vec![0; cells.len()];
                arrangement.undo(bits, &places, &mut back);
                prop_assert_eq!(&back, &cells);
            }
        }
    }
}
