//! Numbers on the wire, all of them big-endian.

use std::io::{self, Read};

/// The most bytes of data in one request.
pub const LONGEST: u32 = 32 << 20;

pub fn array<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

pub fn u16(stream: &mut impl Read) -> io::Result<u16> {
    array(stream).map(u16::from_be_bytes)
}

pub fn u32(stream: &mut impl Read) -> io::Result<u32> {
    array(stream).map(u32::from_be_bytes)
}

pub fn u64(stream: &mut impl Read) -> io::Result<u64> {
    array(stream).map(u64::from_be_bytes)
}

/// `length` bytes; memory grows with what arrives, not with what was announced.
pub fn bytes(stream: &mut impl Read, length: u32) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    stream.take(u64::from(length)).read_to_end(&mut data)?;
    if data.len() as u64 == u64::from(length) {
        Ok(data)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

pub fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
