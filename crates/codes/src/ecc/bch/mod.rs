//! Binary BCH codes (Bose & Ray-Chaudhuri 1960, Hocquenghem 1959), shortened to whole bytes.
//!
//! The codeword is data, then parity, byte 0's highest bit first. A word with at most t errors is
//! always corrected. One with more is either refused or, with the probability that
//! [`Bch::miscorrection_bound`] states, turned into another codeword.

mod failure;
mod folds;
mod generator;
mod kernel;
mod locator;
mod remainder;
mod roots;
mod syndromes;

#[cfg(target_arch = "x86_64")]
mod clmul;

pub use kernel::Kernel;

use super::codec::{Corrected, DecodeError, Ecc, LengthError, check_lengths};
use super::field::{self, Field};
use locator::Locator;
use remainder::Remainder;
use roots::{Roots, Scratch};
use std::sync::Arc;
use syndromes::Syndromes;
use thiserror::Error;

/// A BCH code with its decoder.
#[derive(Debug, Clone)]
pub struct Bch {
    code: Arc<Code>,
    kernel: Kernel,
    remainder: Vec<u64>,
    syndromes: Vec<u16>,
    locator: Locator,
    scratch: Scratch,
    places: Vec<usize>,
}

/// What all decoders of a code share.
#[derive(Debug)]
struct Code {
    field: Field,
    t: usize,
    data_bytes: usize,
    parity_bits: usize,
    remainder: Remainder,
    syndromes: Syndromes,
    roots: Roots,
}

/// A code that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BchError {
    /// Nothing to protect, or to correct.
    #[error("a code needs at least one byte of data and one error to correct")]
    Empty,
    /// Even the largest field is too small.
    #[error(
        "{data_bytes} bytes with {t} errors do not fit into a codeword of {} bits",
        (1 << field::DEGREES.end()) - 1
    )]
    TooLong {
        /// Bytes of data asked for.
        data_bytes: usize,
        /// Errors asked for.
        t: usize,
    },
}

impl Bch {
    /// The code over the smallest field in which `data_bytes` and the parity for `t` errors fit.
    ///
    /// # Errors
    /// When there is none with up to 2^16 elements.
    pub fn new(data_bytes: usize, t: usize) -> Result<Self, BchError> {
        if data_bytes == 0 || t == 0 {
            return Err(BchError::Empty);
        }
        let too_long = BchError::TooLong { data_bytes, t };
        let fits = |degree: &usize| {
            let parity_bits = t.checked_mul(*degree)?;
            let bits = data_bytes.checked_mul(8)?.checked_add(parity_bits)?;
            (bits < 1 << degree).then_some(())
        };
        let degree = field::DEGREES.clone().find(|degree| fits(degree).is_some());
        let field = Field::new(degree.ok_or(too_long)?);
        let generator = generator::generator(&field, t);
        let parity_bits = generator.len() - 1;
        let code = Code {
            remainder: Remainder::new(&generator, data_bytes),
            syndromes: Syndromes::new(&field, parity_bits, t),
            roots: Roots::new(&field, t),
            field,
            t,
            data_bytes,
            parity_bits,
        };
        Ok(Self::with_code(Arc::new(code)))
    }

    fn with_code(code: Arc<Code>) -> Self {
        Self {
            kernel: Kernel::best(),
            remainder: vec![0; code.remainder.words()],
            syndromes: Vec::new(),
            locator: Locator::default(),
            scratch: Scratch::default(),
            places: Vec::new(),
            code,
        }
    }

    /// Computes the code with `kernel`; `None` where the processor cannot run it.
    pub fn with_kernel(mut self, kernel: Kernel) -> Option<Self> {
        self.kernel = kernel;
        kernel.is_available().then_some(self)
    }

    /// Errors that are always corrected.
    pub fn t(&self) -> usize {
        self.code.t
    }

    /// m, where the code is over GF(2^m).
    pub fn field_degree(&self) -> usize {
        self.code.field.degree()
    }

    /// Bits of parity.
    pub fn parity_bits(&self) -> usize {
        self.code.parity_bits
    }

    /// Bits of a codeword.
    pub fn codeword_bits(&self) -> usize {
        self.code.data_bytes * 8 + self.code.parity_bits
    }

    /// Leaves received minus computed parity in `self.remainder`; true where they are equal.
    fn is_codeword(&mut self, data: &[u8], parity: &[u8]) -> bool {
        let code = Arc::clone(&self.code);
        code.remainder.compute(self.kernel, data, &mut self.remainder);
        for (word, chunk) in self.remainder.iter_mut().zip(parity.chunks(8)) {
            let mut whole = [0; 8];
            whole[..chunk.len()].copy_from_slice(chunk);
            *word ^= u64::from_be_bytes(whole);
        }
        let spare = self.remainder.len() * 64 - code.parity_bits;
        if let Some(last) = self.remainder.last_mut() {
            *last &= u64::MAX << spare;
        }
        self.remainder.iter().all(|&word| word == 0)
    }

    /// Finds the places of the errors that leave `self.remainder`.
    fn locate(&mut self) -> bool {
        let code = &self.code;
        code.syndromes.compute(self.kernel, &code.field, &self.remainder, &mut self.syndromes);
        if !self.locator.find(&code.field, &self.syndromes) {
            return false;
        }
        let length = code.data_bytes * 8 + code.parity_bits;
        let locator = &self.locator.coefficients;
        let (scratch, places) = (&mut self.scratch, &mut self.places);
        code.roots.find(self.kernel, &code.field, locator, length, scratch, places);
        self.places.len() == locator.len() - 1
    }
}

impl Ecc for Bch {
    fn data_bytes(&self) -> usize {
        self.code.data_bytes
    }

    fn parity_bytes(&self) -> usize {
        self.code.parity_bits.div_ceil(8)
    }

    fn encode(&mut self, data: &[u8], parity: &mut [u8]) -> Result<(), LengthError> {
        check_lengths((data.len(), self.data_bytes()), (parity.len(), self.parity_bytes()))?;
        self.code.remainder.compute(self.kernel, data, &mut self.remainder);
        for (chunk, word) in parity.chunks_mut(8).zip(&self.remainder) {
            chunk.copy_from_slice(&word.to_be_bytes()[..chunk.len()]);
        }
        Ok(())
    }

    fn decode(&mut self, data: &mut [u8], parity: &mut [u8]) -> Result<Corrected, DecodeError> {
        check_lengths((data.len(), self.data_bytes()), (parity.len(), self.parity_bytes()))?;
        if self.is_codeword(data, parity) {
            return Ok(Corrected::default());
        }
        if !self.locate() {
            return Err(DecodeError::Uncorrectable);
        }
        let length = self.codeword_bits();
        for place in &self.places {
            let at = length - 1 - place;
            let byte = match at.checked_sub(data.len() * 8) {
                None => &mut data[at / 8],
                Some(at) => &mut parity[at / 8],
            };
            *byte ^= 0x80 >> (at % 8);
        }
        Ok(Corrected { bits: self.places.len(), iterations: 1 })
    }
}
