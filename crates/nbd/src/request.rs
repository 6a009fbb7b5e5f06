//! Requests, and which of them have a meaning.

use crate::export::{Error, Export};
use crate::wire::Fields;

const MAGIC: u32 = 0x2560_9513;
pub const BYTES: usize = 28;

/// Flags of requests.
pub mod flag {
    /// Force unit access.
    pub const FUA: u16 = 1;
    pub const NO_HOLE: u16 = 1 << 1;
    pub const DONT_FRAGMENT: u16 = 1 << 2;
    pub const ONE_EXTENT: u16 = 1 << 3;
    pub const FAST_ZERO: u16 = 1 << 4;
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    Write,
    Disconnect,
    Flush,
    Trim,
    WriteZeroes,
    BlockStatus,
    Unknown,
}

impl From<u16> for Kind {
    fn from(number: u16) -> Self {
        match number {
            0 => Self::Read,
            1 => Self::Write,
            2 => Self::Disconnect,
            3 => Self::Flush,
            4 => Self::Trim,
            6 => Self::WriteZeroes,
            7 => Self::BlockStatus,
            _ => Self::Unknown,
        }
    }
}

#[derive(Clone, Copy)]
pub struct Request {
    pub flags: u16,
    pub kind: Kind,
    /// What the client knows the request by.
    pub cookie: u64,
    pub offset: u64,
    pub length: u32,
}

impl Request {
    /// None if the bytes are no request.
    pub fn parse(bytes: &[u8; BYTES]) -> Option<Self> {
        let mut fields = Fields(bytes);
        if fields.u32()? != MAGIC {
            return None;
        }
        let (flags, kind, cookie) = (fields.u16()?, fields.u16()?, fields.array()?);
        let (offset, length) = (fields.array()?, fields.u32()?);
        Some(Self {
            flags,
            kind: kind.into(),
            cookie: u64::from_be_bytes(cookie),
            offset: u64::from_be_bytes(offset),
            length,
        })
    }

    pub fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Whether the request can be carried out, but for what only the export can tell.
    pub fn check(&self, export: &dyn Export, structured: bool) -> Result<(), Error> {
        if self.flags & !self.allowed_flags(structured) != 0 || self.kind == Kind::Unknown {
            return Err(Error::Invalid);
        }
        if self.kind == Kind::Flush {
            return Ok(());
        }
        let end = self.offset.checked_add(self.length.into());
        if end.is_none_or(|end| end > export.size()) {
            return Err(match self.kind {
                Kind::Write | Kind::WriteZeroes => Error::NoSpace,
                _ => Error::Invalid,
            });
        }
        let blocks = export.blocks();
        if (self.offset | u64::from(self.length)) & u64::from(blocks.minimum - 1) != 0 {
            return Err(Error::Invalid);
        }
        match self.kind {
            Kind::Read if self.length > blocks.maximum => {
                Err(if self.has(flag::DONT_FRAGMENT) { Error::TooLong } else { Error::Invalid })
            }
            Kind::Write if self.length > blocks.maximum => Err(Error::Invalid),
            Kind::BlockStatus if self.length == 0 => Err(Error::Invalid),
            _ => Ok(()),
        }
    }

    fn allowed_flags(&self, structured: bool) -> u16 {
        // The protocol allows this one with every request, since clients send it so.
        flag::FUA
            | match self.kind {
                Kind::Read if structured => flag::DONT_FRAGMENT,
                Kind::WriteZeroes => flag::NO_HOLE | flag::FAST_ZERO,
                Kind::BlockStatus => flag::ONE_EXTENT,
                _ => 0,
            }
    }
}
