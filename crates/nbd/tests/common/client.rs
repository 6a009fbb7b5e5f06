//! The client's side of the protocol, as far as tests need it.

use std::fmt;
use std::io::{self, Read, Write};

use super::{option, request};

/// An answer to an option.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub option: u32,
    pub kind: u32,
    pub data: Vec<u8>,
}

/// A reply to a request, simple or a chunk.
#[derive(PartialEq, Eq)]
pub enum Reply {
    /// An error, and the data of a read.
    Simple(u32, Vec<u8>),
    /// Whether it is the last, its type, its payload.
    Chunk(bool, u16, Vec<u8>),
}

/// With the beginning of its data only.
impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let beginning = |data: &[u8]| format!("{} B {:?}", data.len(), &data[..data.len().min(24)]);
        match self {
            Self::Simple(error, data) => write!(f, "Simple({error}, {})", beginning(data)),
            Self::Chunk(done, kind, data) => {
                write!(f, "Chunk({done}, {kind:#x}, {})", beginning(data))
            }
        }
    }
}

pub fn number<const N: usize>(stream: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    stream.read_exact(&mut bytes[8 - N..])?;
    Ok(u64::from_be_bytes(bytes))
}

pub fn bytes(stream: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

pub fn answer(stream: &mut impl Read) -> io::Result<Answer> {
    assert_eq!(number::<8>(stream)?, 0x0003_e889_0455_65a9);
    let (option, kind) = (number::<4>(stream)? as u32, number::<4>(stream)? as u32);
    let length = number::<4>(stream)? as usize;
    Ok(Answer { option, kind, data: bytes(stream, length)? })
}

/// The next reply; if it is a simple one without error, `length` bytes of data come with it.
pub fn reply(stream: &mut impl Read, length: usize) -> io::Result<Reply> {
    match number::<4>(stream)? {
        0x6744_6698 => {
            let error = number::<4>(stream)? as u32;
            assert_eq!(bytes(stream, 8)?, b"a handle");
            let length = if error == 0 { length } else { 0 };
            Ok(Reply::Simple(error, bytes(stream, length)?))
        }
        0x668e_33ef => {
            let (flags, kind) = (number::<2>(stream)?, number::<2>(stream)? as u16);
            assert_eq!(bytes(stream, 8)?, b"a handle");
            let length = number::<4>(stream)? as usize;
            Ok(Reply::Chunk(flags == 1, kind, bytes(stream, length)?))
        }
        magic => panic!("{magic:#x} begins no reply"),
    }
}

/// The name of an export and kinds of information wanted of it.
pub fn wish(name: &str, kinds: &[u16]) -> Vec<u8> {
    let mut data = (name.len() as u32).to_be_bytes().to_vec();
    data.extend(name.as_bytes());
    data.extend((kinds.len() as u16).to_be_bytes());
    data.extend(kinds.iter().flat_map(|kind| kind.to_be_bytes()));
    data
}

/// The name of an export and queries for contexts.
pub fn queries(name: &str, queries: &[&str]) -> Vec<u8> {
    let mut data = (name.len() as u32).to_be_bytes().to_vec();
    data.extend(name.as_bytes());
    data.extend((queries.len() as u32).to_be_bytes());
    for query in queries {
        data.extend((query.len() as u32).to_be_bytes());
        data.extend(query.as_bytes());
    }
    data
}

/// A client of the first export, without structured replies.
pub struct Client<S>(pub S);

impl<S: Read + Write> Client<S> {
    /// Shakes hands.
    pub fn new(mut stream: S) -> io::Result<Self> {
        assert_eq!(bytes(&mut stream, 18)?[..16], *b"NBDMAGICIHAVEOPT");
        stream.write_all(&3_u32.to_be_bytes())?;
        stream.write_all(&option(7, &wish("", &[])))?;
        while answer(&mut stream)?.kind != 1 {}
        Ok(Self(stream))
    }

    pub fn send(&mut self, flags: u16, kind: u16, offset: u64, length: u32) -> io::Result<()> {
        self.0.write_all(&request(flags, kind, offset, length))
    }

    pub fn read(&mut self, offset: u64, length: u32) -> io::Result<Reply> {
        self.send(0, 0, offset, length)?;
        reply(&mut self.0, length as usize)
    }

    pub fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<Reply> {
        self.send(0, 1, offset, data.len() as u32)?;
        self.0.write_all(data)?;
        reply(&mut self.0, 0)
    }
}
