//! What a drive that carries data asks of any code.

use thiserror::Error;

/// A systematic code over bytes.
///
/// Decoders own their working memory, hence `&mut self`; a clone shares the tables and has a
/// working memory of its own, so that every thread can have one.
pub trait Ecc {
    /// Bytes of data in a codeword.
    fn data_bytes(&self) -> usize;

    /// Bytes of parity; bits of the last byte beyond the code's are zero and not protected.
    fn parity_bytes(&self) -> usize;

    /// Computes the parity of `data`.
    ///
    /// # Errors
    /// When a buffer has not the length that the code has.
    fn encode(&mut self, data: &[u8], parity: &mut [u8]) -> Result<(), LengthError>;

    /// Corrects `data` and `parity` in place. They are left as they were when that fails.
    ///
    /// # Errors
    /// When a buffer has not the length that the code has, or when no codeword was found.
    fn decode(&mut self, data: &mut [u8], parity: &mut [u8]) -> Result<Corrected, DecodeError>;
}

/// What a successful decoding did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Corrected {
    /// Bits that were inverted, in data and parity.
    pub bits: usize,
    /// Rounds of an iterative decoder; none where the word was a codeword already.
    pub iterations: usize,
}

/// A buffer that does not fit the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{got} bytes of {buffer}, but the code has {wanted}")]
pub struct LengthError {
    /// `data` or `parity`.
    pub buffer: &'static str,
    /// Length of the buffer.
    pub got: usize,
    /// Length that the code has.
    pub wanted: usize,
}

/// Why a word was not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// A buffer does not fit the code.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// No codeword is near enough, or the decoder did not find it.
    #[error("more errors than the code can correct")]
    Uncorrectable,
}

/// Checks both buffers against the code.
pub(super) fn check_lengths(
    data: (usize, usize),
    parity: (usize, usize),
) -> Result<(), LengthError> {
    for (buffer, (got, wanted)) in [("data", data), ("parity", parity)] {
        if got != wanted {
            return Err(LengthError { buffer, got, wanted });
        }
    }
    Ok(())
}
