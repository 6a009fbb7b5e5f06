//! Matrices and words in the form of `ldpc-toolbox`.

use ldpc_toolbox::sparse::SparseMatrix;
use wordline_codes::ecc::ldpc::{BaseMatrix, Circulant};

/// Rows and columns of a circulant.
pub const CIRCULANT: usize = 256;

/// The whole parity-check matrix.
pub fn matrix(matrix: &BaseMatrix) -> SparseMatrix {
    of_columns(matrix.rows(), matrix.columns())
}

/// The parity-check matrix of block columns.
pub fn of_columns(rows: usize, columns: &[Vec<Circulant>]) -> SparseMatrix {
    let mut expanded = SparseMatrix::new(rows * CIRCULANT, columns.len() * CIRCULANT);
    for (index, column) in columns.iter().enumerate() {
        for circulant in column {
            for z in 0..CIRCULANT {
                let bit = index * CIRCULANT + (z + usize::from(circulant.shift)) % CIRCULANT;
                expanded.insert(circulant.row * CIRCULANT + z, bit);
            }
        }
    }
    expanded
}

/// Bit `index`, the lowest of a byte first.
pub fn bit(word: &[u8], index: usize) -> u8 {
    word[index / 8] >> (index % 8) & 1
}

/// The bits as log-likelihood ratios of size `strength`, positive for 0.
pub fn ratios(word: &[u8], strength: f64) -> Vec<f64> {
    let believed = |index| if bit(word, index) == 1 { -strength } else { strength };
    (0..word.len() * 8).map(believed).collect()
}

/// Whether `bits` are those of `word`.
pub fn same(bits: &[u8], word: &[u8]) -> bool {
    bits.len() == 8 * word.len() && bits.iter().enumerate().all(|(at, &b)| b == bit(word, at))
}
