//! The remainder of data(x) · x^degree by the generator: what an encoder computes, and a decoder
//! first.
//!
//! Byte 0's highest bit is the coefficient of the highest power. The remainder comes in words whose
//! highest bit comes first as well, so that its bytes in big-endian order are the parity.

use super::folds::Folds;
use super::generator::residues;
use super::kernel::Kernel;
use crate::bits;

/// Tables of one generator and one length of data.
#[derive(Debug)]
pub struct Remainder {
    degree: usize,
    /// Row b: b(x) · x^degree modulo the generator, highest bit first; 256 rows.
    bytes: Vec<u64>,
    folds: Folds,
}

impl Remainder {
    /// The tables for `data_bytes` of data.
    pub fn new(generator: &[bool], data_bytes: usize) -> Self {
        let degree = generator.len() - 1;
        let powers: Vec<Vec<u64>> = residues(generator).take(8).collect();
        let words = bits::words(degree);
        let mut bytes = Vec::with_capacity(256 * words);
        for byte in 0..256 {
            let mut row = vec![0; words];
            for power in (0..8).filter(|bit| byte >> bit & 1 == 1).map(|bit| &powers[bit]) {
                row.iter_mut().zip(power).for_each(|(word, power)| *word ^= power);
            }
            bytes.extend(highest_first(&row, degree));
        }
        Self { degree, bytes, folds: Folds::new(generator, data_bytes.div_ceil(8)) }
    }

    /// Words of a remainder.
    pub fn words(&self) -> usize {
        bits::words(self.degree)
    }

    /// Computes the remainder of `data`, which is as long as was said to [`Self::new`].
    pub fn compute(&self, kernel: Kernel, data: &[u8], remainder: &mut [u64]) {
        match kernel {
            Kernel::Plain => self.by_bytes(data, remainder),
            #[cfg(target_arch = "x86_64")]
            Kernel::Clmul | Kernel::Wide => {
                let mut sum = vec![0; self.folds.stride + 1];
                // SAFETY: a kernel other than `Plain` is only chosen where it is available.
                unsafe {
                    match kernel {
                        Kernel::Wide => super::clmul::fold_wide(&self.folds, data, &mut sum),
                        _ => super::clmul::fold(&self.folds, data, &mut sum),
                    }
                    super::clmul::reduce(&self.folds, self.degree, &mut sum);
                }
                remainder.copy_from_slice(&highest_first(&sum[..self.words()], self.degree));
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => self.by_bytes(data, remainder),
        }
    }

    fn by_bytes(&self, data: &[u8], remainder: &mut [u64]) {
        let words = self.words();
        remainder.fill(0);
        for &byte in data {
            let row = usize::from((remainder[0] >> 56) as u8 ^ byte) * words;
            let row = &self.bytes[row..row + words];
            for k in 0..words - 1 {
                remainder[k] = (remainder[k] << 8 | remainder[k + 1] >> 56) ^ row[k];
            }
            remainder[words - 1] = remainder[words - 1] << 8 ^ row[words - 1];
        }
    }
}

/// Turns a vector whose bit k is the coefficient of x^k, of `degree` bits, into one whose highest
/// bit comes first.
fn highest_first(vector: &[u64], degree: usize) -> Vec<u64> {
    let spare = (bits::WORD_BITS - degree % bits::WORD_BITS) % bits::WORD_BITS;
    let word = |k: usize| {
        let below = if k == 0 || spare == 0 { 0 } else { vector[k - 1] >> (64 - spare) };
        vector[k] << spare | below
    };
    (0..vector.len()).rev().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::super::generator::generator;
    use super::*;
    use crate::ecc::field::Field;

    /// Long division of polynomials, bit by bit.
    fn naive(generator: &[bool], data: &[u8]) -> Vec<bool> {
        let degree = generator.len() - 1;
        let mut word: Vec<bool> = data
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1))
            .collect();
        let data_bits = word.len();
        word.resize(data_bits + degree, false);
        for at in 0..data_bits {
            if word[at] {
                for (k, &set) in generator.iter().rev().enumerate() {
                    word[at + k] ^= set;
                }
            }
        }
        word.split_off(data_bits)
    }

    #[test]
    fn every_kernel_divides_like_the_definition() {
        for (degree, t) in [(5, 1), (6, 2), (8, 3), (10, 7), (13, 20), (14, 72), (14, 80)] {
            let generator = generator(&Field::new(degree), t);
            for bytes in [1, 3, 7, 8, 9, 64, 129] {
                let tables = Remainder::new(&generator, bytes);
                let mut data = vec![0; bytes];
                let mut random = vec![0; bits::words(bytes * 8)];
                bits::fill_random(&mut random, bytes as u64);
                bits::to_bytes(&random, &mut data);
                let wanted = naive(&generator, &data);
                for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
                    let mut remainder = vec![0; tables.words()];
                    tables.compute(kernel, &data, &mut remainder);
                    let got: Vec<bool> = remainder
                        .iter()
                        .flat_map(|word| (0..64).rev().map(move |bit| word >> bit & 1 == 1))
                        .collect();
                    assert_eq!(got[..wanted.len()], wanted, "m {degree}, t {t}, {kernel:?}");
                    assert!(!got[wanted.len()..].contains(&true), "bits below the remainder");
                }
            }
        }
    }
}
