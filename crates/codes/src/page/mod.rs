//! Whole pages: a logical page over a used physical one.
//!
//! A page's buffer holds its data bytes, then its spare ones. Erased bytes are 0xff, and a program
//! only makes ones zero. The code takes all cells but the last `reserved_bytes`, which are for
//! metadata and for error correction and stay as they are.
//!
//! A logical page is stored with a checksum of 32 bits (CRC-32). What can go wrong with a write is
//! known when it is made; what can go wrong with a read – an attempt that is not the one that was
//! written, cells that changed and that the code does not correct – is noticed but for a chance of
//! 2^-32.

mod trials;

use crate::bits::{last_mask, load_bytes, to_bytes, words};
use crate::wom::{Damaged, SecondWrite, SpecError, Worker};
use thiserror::Error;
pub use trials::{RoundTrips, round_trips};

const CHECKSUM_BITS: usize = 32;

/// The parts of a page, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Of data.
    pub data_bytes: usize,
    /// Of the spare area.
    pub spare_bytes: usize,
    /// Of the spare area, at its end, that the code leaves alone.
    pub reserved_bytes: usize,
    /// Of the logical page that is to be written over it.
    pub logical_bytes: usize,
}

impl Shape {
    /// Cells that the code writes over.
    pub fn cells(&self) -> usize {
        8 * (self.data_bytes + self.spare_bytes.saturating_sub(self.reserved_bytes))
    }

    /// Bits that a write stores: the logical page and its checksum.
    pub fn message_bits(&self) -> usize {
        8 * self.logical_bytes + CHECKSUM_BITS
    }

    /// Bytes of a physical page.
    pub fn page_bytes(&self) -> usize {
        self.data_bytes + self.spare_bytes
    }

    /// The share of [`Self::cells`] that is writable after data that look random: half of the data
    /// cells, and the spare cells in full if the first write left them erased.
    pub fn writable(&self, spare_is_erased: bool) -> f64 {
        let spare = self.cells() as f64 - 8.0 * self.data_bytes as f64;
        let spare_share = if spare_is_erased { 1.0 } else { 0.5 };
        (4.0 * self.data_bytes as f64 + spare_share * spare) / self.cells() as f64
    }
}

/// Why a page could not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WriteError {
    /// No attempt succeeded: the page must be written elsewhere.
    #[error("the logical page does not fit over this page in {tries} tries")]
    DoesNotFit {
        /// Attempts made.
        tries: u32,
    },
    /// A buffer of another length.
    #[error(transparent)]
    Length(#[from] LengthError),
}

/// Why a page could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ReadError {
    /// Metadata that no write gives.
    #[error("there is no attempt {attempt}: writes make {tries}")]
    Attempt {
        /// What the metadata say.
        attempt: u32,
        /// Attempts that a write may make.
        tries: u32,
    },
    /// The cells do not hold a message of the code.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// The message is not what was written.
    #[error("the checksum of the logical page is wrong")]
    Checksum,
    /// A buffer of another length.
    #[error(transparent)]
    Length(#[from] LengthError),
}

/// A buffer of another length than the shape's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a {what} has {expected} bytes, not {found}")]
pub struct LengthError {
    /// Which buffer.
    pub what: &'static str,
    /// Its length by the shape.
    pub expected: usize,
    /// Its length.
    pub found: usize,
}

/// Writes logical pages over used ones, and reads them.
pub struct PageCodec<'a> {
    shape: Shape,
    tries: u32,
    spare_message_mask: u64,
    worker: Box<dyn Worker + 'a>,
    cells: Vec<u64>,
    target: Vec<u64>,
    message: Vec<u64>,
    bytes: Vec<u8>,
}

impl<'a> PageCodec<'a> {
    /// A codec for pages of `shape` by `code`.
    ///
    /// # Errors
    /// Where the code has other cells than the shape, or too short a message.
    pub fn new(shape: Shape, code: &'a dyn SecondWrite) -> Result<Self, SpecError> {
        let error = |what: String, help: &str| Err(SpecError { what, help: help.to_owned() });
        if shape.reserved_bytes > shape.spare_bytes {
            let what = format!(
                "{} bytes cannot be reserved of {} spare ones",
                shape.reserved_bytes, shape.spare_bytes
            );
            return error(what, "reserve fewer");
        }
        if code.cells() != shape.cells() {
            let what = format!("the page has {} cells, the code {}", shape.cells(), code.cells());
            return error(what, "build the code for the page's cells");
        }
        if code.message_bits() < shape.message_bits() {
            let what = format!(
                "page and checksum are {} bits, the code's message {}",
                shape.message_bits(),
                code.message_bits()
            );
            return error(what, "take a longer message, or more spare cells");
        }
        Ok(Self {
            shape,
            tries: code.tries(),
            spare_message_mask: !last_mask(shape.message_bits()),
            worker: code.worker(),
            cells: vec![0; words(shape.cells())],
            target: vec![0; words(shape.cells())],
            message: vec![0; words(code.message_bits())],
            bytes: vec![0; shape.logical_bytes + CHECKSUM_BITS / 8],
        })
    }

    /// Bits of metadata that a read needs besides the page.
    pub fn metadata_bits(&self) -> u32 {
        self.tries.next_power_of_two().trailing_zeros()
    }

    /// Finds what to program over `used` to store `logical`: fills `target`, and returns the
    /// metadata that a read needs. `target` has no one where `used` has a zero.
    ///
    /// # Errors
    /// [`WriteError::DoesNotFit`], with `target` as it was; buffers of a wrong length.
    pub fn write(
        &mut self,
        used: &[u8],
        logical: &[u8],
        target: &mut [u8],
    ) -> Result<u32, WriteError> {
        self.check("physical page", self.shape.page_bytes(), used.len())?;
        self.check("target", self.shape.page_bytes(), target.len())?;
        self.check("logical page", self.shape.logical_bytes, logical.len())?;
        let coded = self.shape.cells() / 8;
        load_bytes(&used[..coded], &mut self.cells);
        self.bytes[..logical.len()].copy_from_slice(logical);
        self.bytes[logical.len()..].copy_from_slice(&crc32fast::hash(logical).to_le_bytes());
        self.message.fill(0);
        load_bytes(&self.bytes, &mut self.message);
        let attempt = self
            .worker
            .write(&self.cells, &self.message, &mut self.target)
            .ok_or(WriteError::DoesNotFit { tries: self.tries })?;
        to_bytes(&self.target, &mut target[..coded]);
        target[coded..].copy_from_slice(&used[coded..]);
        Ok(attempt)
    }

    /// Reads what was written on `page` with these `metadata` into `logical`. Returns how many cells
    /// the code corrected, which most do not.
    ///
    /// # Errors
    /// Metadata that no write gives, a page that is not as it was written, and buffers of a wrong
    /// length; `logical` is then void.
    pub fn read(
        &mut self,
        page: &[u8],
        metadata: u32,
        logical: &mut [u8],
    ) -> Result<usize, ReadError> {
        self.check("physical page", self.shape.page_bytes(), page.len())?;
        self.check("logical page", self.shape.logical_bytes, logical.len())?;
        if metadata >= self.tries {
            return Err(ReadError::Attempt { attempt: metadata, tries: self.tries });
        }
        load_bytes(&page[..self.shape.cells() / 8], &mut self.cells);
        let wrong = self.worker.read(&self.cells, metadata, &mut self.message)?;
        to_bytes(&self.message, &mut self.bytes);
        let (found, checksum) = self.bytes.split_at(logical.len());
        if crc32fast::hash(found).to_le_bytes() != checksum || self.has_more() {
            return Err(ReadError::Checksum);
        }
        logical.copy_from_slice(found);
        Ok(wrong)
    }

    /// Whether bits of the message beyond the checksum are set, which no write does.
    fn has_more(&self) -> bool {
        let last = words(self.shape.message_bits());
        self.message[last - 1] & self.spare_message_mask != 0
            || self.message[last..].iter().any(|&word| word != 0)
    }

    fn check(&self, what: &'static str, expected: usize, found: usize) -> Result<(), LengthError> {
        if expected == found { Ok(()) } else { Err(LengthError { what, expected, found }) }
    }
}

#[cfg(test)]
mod tests;
