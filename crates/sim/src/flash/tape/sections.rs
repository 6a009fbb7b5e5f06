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
    match number < 0x80 {
        true => bytes.push(number as u8),
        false => put_large(bytes, number),
    }
}

#[inline(never)]
fn put_large(bytes: &mut Vec<u8>, mut number: u64) {
    if number < 1 << 28 {
        // All groups at once, because nobody can foretell how many there are.
        let number = number as u32;
        let spread = number & 0x7f
            | (number & 0x3f80) << 1
            | (number & 0x1f_c000) << 2
            | (number & 0xfe0_0000) << 3;
        let groups = (38 - number.leading_zeros()) / 7;
        let more = 0x80_8080 & ((1 << (8 * (groups - 1))) - 1);
        let end = bytes.len() + groups as usize;
        bytes.extend_from_slice(&(spread | more).to_le_bytes());
        bytes.truncate(end);
        return;
    }
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends how far `to` lies from `from`, small numbers for either direction.
#[inline]
pub(super) fn put_step(bytes: &mut Vec<u8>, from: u64, to: u64) {
    let step = to.wrapping_sub(from) as i64;
    put_number(bytes, ((step << 1) ^ (step >> 63)) as u64);
}
