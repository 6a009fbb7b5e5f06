//! Fields of messages, big-endian.

use std::io;

/// The longest name, description or query, in bytes.
pub const LONGEST_STRING: usize = 4096;

/// What is left of a message to be read. None where it is too short.
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// A length of four bytes, and as many bytes.
    pub fn string(&mut self) -> Option<&'a [u8]> {
        let length =
            usize::try_from(self.u32()?).ok().filter(|&length| length <= LONGEST_STRING)?;
        let (string, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(string)
    }
}

/// What ends a connection: the bytes that follow have no meaning.
pub fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
