//! Compressed data, member by member: what follows a member is another one, or said to be none.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use super::compression::Compression;
use super::failure::NoTrace;
use super::fields::shown_as_hex;

/// Bytes by which a member is known.
const MAGIC_BYTES: u64 = 4;
/// Bytes that stand between the file and a decompressor.
const BUFFER_BYTES: usize = 64 * 1024;

type Input = BufReader<File>;

/// A member of a compressed file (RFC 1952's word; a stream of bzip2, a frame of Zstandard).
enum Member {
    Gzip(flate2::bufread::GzDecoder<Input>),
    Bzip2(bzip2::bufread::BzDecoder<Input>),
    Zstd(zstd::Decoder<'static, Input>),
}

impl Member {
    fn new(input: Input, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::Gzip => Self::Gzip(flate2::bufread::GzDecoder::new(input)),
            Compression::Bzip2 => Self::Bzip2(bzip2::bufread::BzDecoder::new(input)),
            _ => Self::Zstd(zstd::Decoder::with_buffer(input)?.single_frame()),
        })
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Gzip(member) => member.read(into),
            Self::Bzip2(member) => member.read(into),
            Self::Zstd(member) => member.read(into),
        }
    }

    /// What follows it.
    fn rest(self) -> Input {
        match self {
            Self::Gzip(member) => member.into_inner(),
            Self::Bzip2(member) => member.into_inner(),
            Self::Zstd(member) => member.finish(),
        }
    }
}

/// The plain bytes of a compressed file of one member or more.
pub(super) struct Members {
    /// The one that is being read; `None` at the end.
    member: Option<Member>,
    compression: Compression,
}

impl Members {
    /// Those in `file`, which begins with one of `compression`.
    pub fn new(file: File, compression: Compression) -> io::Result<Self> {
        let input = BufReader::with_capacity(BUFFER_BYTES, file);
        Ok(Self { member: Some(Member::new(input, compression)?), compression })
    }

    /// The member that `input` continues with; `None` at its end.
    fn next(&self, mut input: Input) -> io::Result<Option<Member>> {
        let mut magic = Vec::with_capacity(MAGIC_BYTES as usize);
        input.by_ref().take(MAGIC_BYTES).read_to_end(&mut magic)?;
        let is_member = match *magic.as_slice() {
            [] => return Ok(None),
            // A frame of Zstandard that holds no data: RFC 8878, 3.1.2.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18] => self.compression == Compression::Zstd,
            _ => Compression::of(&magic) == self.compression,
        };
        if is_member {
            input.seek_relative(-(magic.len() as i64))?;
            return Member::new(input, self.compression).map(Some);
        }
        // Tapes and some tools fill the last block with zeros, which gzip passes over, too.
        if magic.iter().all(|&byte| byte == 0) && only_zeros(&mut input)? {
            return Ok(None);
        }
        let what = format!(
            "the compressed data is whole, but what follows it is not {}: bytes {}",
            self.compression,
            shown_as_hex(&magic)
        );
        Err(NoTrace::stop(what, "unpack it by hand and use that, or fetch the file again"))
    }
}

impl Read for Members {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(into)?;
            if count > 0 || into.is_empty() {
                return Ok(count);
            }
            let rest = self.member.take().map(Member::rest);
            self.member = rest.map_or(Ok(None), |rest| self.next(rest))?;
        }
        Ok(0)
    }
}

fn only_zeros(input: &mut Input) -> io::Result<bool> {
    loop {
        let bytes = input.fill_buf()?;
        let count = bytes.len();
        if count == 0 || bytes.iter().any(|&byte| byte != 0) {
            return Ok(count == 0);
        }
        input.consume(count);
    }
}
