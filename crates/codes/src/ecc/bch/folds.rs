//! Tables from which carry-less multiplication computes a remainder.

use super::generator::residues;
use crate::bits;

/// Words of the wide tables are filled up to a multiple of this: a vector of 512 bits.
const GROUP: usize = 8;

/// What carry-less multiplication needs: the remainder of a word that stands 64·i bits up is the
/// word times row i, which has `degree` bits. The sum over all words has up to 63 bits too many;
/// they go by one more division, whose quotient Barrett's constant gives exactly.
#[derive(Debug)]
pub struct Folds {
    /// Row i: x^(degree + 64 i) modulo the generator, bit k being the coefficient of x^k.
    pub rows: Vec<u64>,
    /// Words of a row, a multiple of [`GROUP`].
    pub stride: usize,
    /// ⌊x^(degree + 63) / generator⌋.
    pub barrett: u64,
}

impl Folds {
    /// The tables for `data_words` words of data.
    pub fn new(generator: &[bool], data_words: usize) -> Self {
        let degree = generator.len() - 1;
        let stride = bits::words(degree).next_multiple_of(GROUP);
        let mut rows = Vec::with_capacity(data_words * stride);
        for mut row in residues(generator).step_by(64).take(data_words) {
            row.resize(stride, 0);
            rows.extend(row);
        }
        Self { rows, stride, barrett: barrett(generator) }
    }
}

/// ⌊x^(degree + 63) / generator⌋, by long division: only the 64 highest coefficients matter.
fn barrett(generator: &[bool]) -> u64 {
    let top = (0..64).fold(0u64, |top, k| {
        let bit = generator.len().checked_sub(k + 1).is_some_and(|at| generator[at]);
        top << 1 | u64::from(bit)
    });
    let mut remainder = 1u64 << 63;
    let mut quotient = 0;
    for _ in 0..64 {
        quotient = quotient << 1 | remainder >> 63;
        if remainder >> 63 == 1 {
            remainder ^= top;
        }
        remainder <<= 1;
    }
    quotient
}
