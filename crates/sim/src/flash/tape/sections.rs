//! The file of a recording: sections, each with its length and a checksum.

use std::io::{self, Write};

/// The first bytes of a recording.
pub const MAGIC: [u8; 8] = *b"\x93WLR\r\n\x1a\n";

/// Writes the sections of a recording.
pub(super) struct Sections {
    out: Box<dyn Write + Send>,
    /// Bytes written.
    pub bytes: u64,
    /// What went wrong first.
    fault: Option<io::Error>,
}

impl Sections {
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out, bytes: 0, fault: None }
    }

    /// Begins the file.
    pub fn begin(&mut self) {
        self.put(&[&MAGIC]);
    }

    /// Writes a section: its kind, its length, its parts and a CRC-32 over all of that.
    pub fn add(&mut self, kind: [u8; 4], parts: &[&[u8]]) {
        let length: u64 = parts.iter().map(|part| part.len() as u64).sum();
        let length = length.to_le_bytes();
        let mut checksum = crc32fast::Hasher::new();
        [&kind, &length[..]].into_iter().for_each(|part| checksum.update(part));
        parts.iter().for_each(|part| checksum.update(part));
        self.put(&[&kind, &length]);
        self.put(parts);
        self.put(&[&checksum.finalize().to_le_bytes()]);
    }

    fn put(&mut self, parts: &[&[u8]]) {
        for part in parts {
            self.bytes += part.len() as u64;
            if self.fault.is_none() {
                self.fault = self.out.write_all(part).err();
            }
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The first write that failed.
    pub fn end(mut self) -> io::Result<u64> {
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => self.out.flush().map(|()| self.bytes),
        }
    }
}

/// Appends a number in groups of seven bits, the lowest first.
#[inline(always)]
pub(super) fn put_number(bytes: &mut Vec<u8>, number: u64) {
    put_with(bytes, None, number);
}

/// Appends a byte, if it is there, and a number.
#[inline(always)]
pub(super) fn put_with(bytes: &mut Vec<u8>, first: Option<u8>, number: u64) {
    if number >= SHORT {
        return put_large(bytes, first, number);
    }
    let mut short = first.map_or_else(Short::default, Short::byte);
    short.add(number);
    short.put(bytes);
}

/// Numbers below this have four groups at most.
pub(super) const SHORT: u64 = 1 << 28;

/// A byte and numbers below [`SHORT`], appended together: nobody can foretell how many groups each has, so that every
/// way that depends on it would cost more than it saves.
#[derive(Default)]
pub(super) struct Short {
    word: u128,
    bytes: u32,
}

impl Short {
    #[inline(always)]
    pub fn byte(byte: u8) -> Self {
        Self { word: byte.into(), bytes: 1 }
    }

    /// One of three numbers at most.
    #[inline(always)]
    pub fn add(&mut self, number: u64) {
        let number = number as u32;
        let spread = number & 0x7f
            | (number & 0x3f80) << 1
            | (number & 0x1f_c000) << 2
            | (number & 0xfe0_0000) << 3;
        let further = (31 - (number | 1).leading_zeros()) / 7;
        let spread = spread | 0x80_8080 & !(u32::MAX << (8 * further));
        self.word |= u128::from(spread) << (8 * self.bytes);
        self.bytes += 1 + further;
    }

    #[inline(always)]
    pub fn put(self, bytes: &mut Vec<u8>) {
        let end = bytes.len() + self.bytes as usize;
        bytes.extend_from_slice(&self.word.to_le_bytes());
        bytes.truncate(end);
    }
}

/// Appends the lowest bytes of a word.
#[inline(always)]
pub(super) fn put_word(bytes: &mut Vec<u8>, word: u64, count: usize) {
    let end = bytes.len() + count;
    bytes.extend_from_slice(&word.to_le_bytes());
    bytes.truncate(end);
}

#[cold]
fn put_large(bytes: &mut Vec<u8>, first: Option<u8>, mut number: u64) {
    bytes.extend(first);
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends how far `to` lies from `from`, small numbers for either direction.
#[inline]
pub(super) fn put_step(bytes: &mut Vec<u8>, from: u64, to: u64) {
    put_number(bytes, folded(from, to));
}

/// How far `to` lies from `from`, as a number that is small where that is not far in either direction.
#[inline(always)]
pub(super) fn folded(from: u64, to: u64) -> u64 {
    let step = to.wrapping_sub(from) as i64;
    ((step << 1) ^ (step >> 63)) as u64
}
