//! The polar transform x = u G with G = [1 0; 1 1]^⊗m, which is its own inverse.

use crate::bits::WORD_BITS;
use crate::cpu::for_each_isa;

/// Bits of a word whose place has the bit `distance` clear.
const fn lower(distance: usize) -> u64 {
    u64::MAX / ((1 << distance) + 1)
}

for_each_isa! {
    /// Transforms `vector`, whose number of words is a power of two, in place.
    pub(super) fn transform(vector: &mut [u64]) = transform_body
}

/// [`transform`], to be compiled into functions that have chosen their instructions.
#[inline(always)]
pub(super) fn transform_body(vector: &mut [u64]) {
    const { assert!(WORD_BITS == 64) };
    for word in vector.iter_mut() {
        let mut x = *word;
        x ^= x >> 1 & lower(1);
        x ^= x >> 2 & lower(2);
        x ^= x >> 4 & lower(4);
        x ^= x >> 8 & lower(8);
        x ^= x >> 16 & lower(16);
        *word = x ^ x >> 32;
    }
    let mut half = 1;
    while half < vector.len() {
        for block in vector.chunks_exact_mut(2 * half) {
            let (left, right) = block.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                *a ^= *b;
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{fill_random, get, set};
    use crate::cpu::Isa;

    /// By the definition: entry (i, j) of G is one where every bit of j is one of i.
    fn by_matrix(u: &[u64]) -> Vec<u64> {
        let mut x = vec![0; u.len()];
        for j in 0..64 * u.len() {
            let ones = (0..64 * u.len()).filter(|&i| j & !i == 0 && get(u, i)).count();
            set(&mut x, j, ones % 2 == 1);
        }
        x
    }

    #[test]
    fn equals_the_product_with_the_matrix_on_every_path_and_is_its_own_inverse() {
        for words in [1, 2, 4, 16] {
            let mut u = vec![0; words];
            fill_random(&mut u, words as u64);
            for isa in Isa::ALL {
                let mut x = u.clone();
                transform(isa, &mut x);
                assert_eq!(x, by_matrix(&u));
                transform(isa, &mut x);
                assert_eq!(x, u);
            }
        }
    }
}
