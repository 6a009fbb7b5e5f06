//! Encoding in linear time, along the staircase of the parity columns.

use super::block::{self, Block};
use super::matrix::BaseMatrix;
use crate::cpu::Isa;

/// Computes `parity`, a block for each row, from `data`, a block for each data column.
pub fn parity(isa: Isa, matrix: &BaseMatrix, data: &[Block], parity: &mut [Block]) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2")]
        fn avx512(matrix: &BaseMatrix, data: &[Block], parity: &mut [Block]) {
            compute(matrix, data, parity);
        }
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn avx2(matrix: &BaseMatrix, data: &[Block], parity: &mut [Block]) {
            compute(matrix, data, parity);
        }
        match isa {
            // SAFETY: a set of instructions is only chosen where it is available.
            Isa::Avx512 => return unsafe { avx512(matrix, data, parity) },
            // SAFETY: a set of instructions is only chosen where it is available.
            Isa::Avx2 => return unsafe { avx2(matrix, data, parity) },
            Isa::Plain => {}
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = isa;
    compute(matrix, data, parity);
}

#[inline(always)]
fn compute(matrix: &BaseMatrix, data: &[Block], parity: &mut [Block]) {
    // First the rows' sums over the data; the sum of all rows leaves nothing but the first parity
    // block, for its outer circulants cancel, and those of the others do.
    parity.fill([0; 4]);
    for (column, block) in matrix.columns().iter().zip(data) {
        for circulant in column {
            block::add(&mut parity[circulant.row], &block::rotated(block, circulant.shift));
        }
    }
    let mut first = [0; 4];
    for sum in parity.iter() {
        block::add(&mut first, sum);
    }
    // Then down the rows: each has one more parity block that is not known yet.
    let outer = block::rotated(&first, matrix.outer_shift());
    let mut carried = outer;
    for (row, sum) in parity.iter_mut().enumerate() {
        if row == matrix.middle_row() {
            block::add(&mut carried, &first);
        }
        block::add(&mut carried, sum);
        *sum = carried;
    }
    // Row i gave block i + 1; what is left of the last row is no parity, but equal to `outer`.
    parity.rotate_right(1);
    parity[0] = first;
}
