//! Syndromes: the remainder's values at α, α^3, …, from which those at even powers are squares.

use super::kernel::Kernel;
use crate::ecc::field::Field;

/// Syndromes that are summed up side by side.
const LANES: usize = 32;

type Row = [u16; LANES];

/// For every bit of the remainder the powers of α that it adds.
#[derive(Debug)]
pub struct Syndromes {
    t: usize,
    degree: usize,
    /// Block b holds, for every bit e of the remainder, α^(e (2 j + 1)) for the j-th syndrome of
    /// the block, j from 32 b.
    blocks: Vec<Vec<Row>>,
}

impl Syndromes {
    /// The tables for a remainder of `degree` bits and `t` errors.
    pub fn new(field: &Field, degree: usize, t: usize) -> Self {
        let row = |block: usize, bit: usize| {
            std::array::from_fn(|lane| {
                let j = block * LANES + lane;
                if j < t { field.power(bit * (2 * j + 1)) } else { 0 }
            })
        };
        let block = |block: usize| (0..degree).map(|bit| row(block, bit)).collect();
        Self { t, degree, blocks: (0..t.div_ceil(LANES)).map(block).collect() }
    }

    /// Computes S_1 to S_2t from a remainder whose highest bit comes first.
    pub fn compute(&self, kernel: Kernel, field: &Field, remainder: &[u64], out: &mut Vec<u16>) {
        let places: Vec<u32> = self.places(remainder);
        out.clear();
        out.resize(2 * self.t, 0);
        for (index, rows) in self.blocks.iter().enumerate() {
            let sums = sum_rows(kernel, rows, &places);
            for (lane, &sum) in sums.iter().enumerate().take(self.t - index * LANES) {
                out[2 * (index * LANES + lane)] = sum; // S_1 is first
            }
        }
        for i in 1..=self.t {
            out[2 * i - 1] = field.mul(out[i - 1], out[i - 1]);
        }
    }

    /// The powers of x that the remainder has.
    fn places(&self, remainder: &[u64]) -> Vec<u32> {
        let mut places = Vec::with_capacity(self.degree);
        for (index, &word) in remainder.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                let from_the_top = index * 64 + left.leading_zeros() as usize;
                places.push((self.degree - 1 - from_the_top) as u32);
                left &= !(1 << 63 >> left.leading_zeros());
            }
        }
        places
    }
}

fn sum_rows(kernel: Kernel, rows: &[Row], places: &[u32]) -> Row {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn wide(rows: &[Row], places: &[u32]) -> Row {
            sum_plain(rows, places)
        }
        #[target_feature(enable = "avx2")]
        fn avx2(rows: &[Row], places: &[u32]) -> Row {
            sum_plain(rows, places)
        }
        match kernel {
            // SAFETY: a kernel other than `Plain` is only chosen where it is available.
            Kernel::Wide => return unsafe { wide(rows, places) },
            // SAFETY: a kernel other than `Plain` is only chosen where it is available.
            Kernel::Clmul => return unsafe { avx2(rows, places) },
            Kernel::Plain => {}
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = kernel;
    sum_plain(rows, places)
}

#[inline(always)]
fn sum_plain(rows: &[Row], places: &[u32]) -> Row {
    let mut sums = [0; LANES];
    for &place in places {
        let row = &rows[place as usize];
        for lane in 0..LANES {
            sums[lane] ^= row[lane];
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;

    #[test]
    fn syndromes_are_values_of_the_remainder() {
        for (m, degree, t) in [(5, 15, 3), (10, 70, 7), (14, 1008, 72)] {
            let field = Field::new(m);
            let tables = Syndromes::new(&field, degree, t);
            let mut remainder = vec![0; bits::words(degree)];
            bits::fill_random(&mut remainder, 3);
            *remainder.last_mut().unwrap() &= u64::MAX << (64 * remainder.len() - degree);
            for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
                let mut out = Vec::new();
                tables.compute(kernel, &field, &remainder, &mut out);
                assert_eq!(out.len(), 2 * t);
                for (i, &got) in out.iter().enumerate() {
                    let value = (0..degree)
                        .filter(|bit| remainder[bit / 64] >> (63 - bit % 64) & 1 == 1)
                        .fold(0, |sum, bit| sum ^ field.power((degree - 1 - bit) * (i + 1)));
                    assert_eq!(got, value, "m {m}, S_{}, {kernel:?}", i + 1);
                }
            }
        }
    }
}
