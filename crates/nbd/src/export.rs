//! What is served.

/// Why a request failed, with the number that the protocol gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Failure {
    /// The data could not be read or written.
    Io = 5,
    /// The request has no meaning here.
    Invalid = 22,
    /// It reaches beyond the end.
    NoSpace = 28,
    /// A reply of that length is not given.
    TooLong = 75,
}

/// A block device. Every range handed to it lies within `size`.
pub trait Export {
    /// Bytes.
    fn size(&self) -> u64;
    /// The smallest block that clients should ask for, in bytes: a power of two up to 65,536.
    fn block(&self) -> u32;
    /// Fills `data` from byte `offset` on.
    ///
    /// # Errors
    /// Where the bytes cannot be had.
    fn read(&mut self, offset: u64, data: &mut [u8]) -> Result<(), Failure>;
    /// Writes `data` at byte `offset`.
    ///
    /// # Errors
    /// Where they cannot be kept.
    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Failure>;
    /// Gives `length` bytes up.
    ///
    /// # Errors
    /// Where that fails.
    fn trim(&mut self, offset: u64, length: u32) -> Result<(), Failure>;
    /// Returns once everything written is safe.
    ///
    /// # Errors
    /// Where that cannot be promised.
    fn flush(&mut self) -> Result<(), Failure>;
}
