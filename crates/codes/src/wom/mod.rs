//! Codes for write-once memory: cells that go from 1 to 0, and back only by an erase.

mod arrange;
pub mod ldgm;
pub mod polar;
pub mod rivest_shamir;
pub mod speed;
pub mod trials;

use thiserror::Error;

/// Most attempts that a write may make.
pub const MOST_TRIES: u32 = 1 << 16;

/// Why a code cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what}; {help}")]
pub struct SpecError {
    /// What is wrong.
    pub what: String,
    /// How to mend it.
    pub help: String,
}

/// The cells cannot have been written by this code with these metadata, or were damaged since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the cells do not hold a message of this code")]
pub struct Damaged;

/// A code that writes a message over used cells by programming some of the ones among them.
///
/// A write makes up to [`tries`](Self::tries) attempts, each with its own dither; the number of the
/// one that succeeded is all that a reader needs besides the cells.
pub trait SecondWrite: Send + Sync {
    /// Cells that a message is written over.
    fn cells(&self) -> usize;

    /// Bits of a message.
    fn message_bits(&self) -> usize;

    /// Attempts that a write may make.
    fn tries(&self) -> u32;

    /// Something that writes and reads, with the memory that this takes.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// Writes and reads by a [`SecondWrite`] code, allocating nothing.
///
/// Bits stand as [`crate::bits`] says. Bits beyond the last cell or the last of the message are
/// ignored where read, and zero where written.
pub trait Worker {
    /// Finds what to program over `used` so that it holds `message`: `target` is `used` with some
    /// ones made zero. Returns the attempt that succeeded; `None`, with `target` void, if all
    /// failed.
    ///
    /// # Panics
    /// When a slice is shorter than the code's cells or message.
    fn write(&mut self, used: &[u64], message: &[u64], target: &mut [u64]) -> Option<u32>;

    /// Reads the message that `attempt` wrote. Returns how many cells are not as it left them, so far
    /// as the code tells: none where it does not correct errors. Too many wrong cells lead a code
    /// that does to another message, which a checksum tells.
    ///
    /// # Errors
    /// [`Damaged`] where that can be told from the cells alone.
    ///
    /// # Panics
    /// When a slice is shorter than the code's cells or message.
    fn read(&mut self, cells: &[u64], attempt: u32, message: &mut [u64]) -> Result<usize, Damaged>;
}
