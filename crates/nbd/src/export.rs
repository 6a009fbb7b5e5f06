//! What is served.

use std::io;
use std::ops::ControlFlow;

use crate::wire::LONGEST_STRING;

/// The most bytes of data that a request may carry, whatever an export allows.
pub const LARGEST_PAYLOAD: u32 = 32 << 20;

/// An error of the protocol, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Error {
    /// The data could not be read or written.
    Io = 5,
    /// Memory is exhausted.
    NoMemory = 12,
    /// The request has no meaning here.
    Invalid = 22,
    /// It reaches beyond the end, or the drive is full.
    NoSpace = 28,
    /// A reply of that length is not given in one piece.
    TooLong = 75,
    /// Zeroes are not quicker than a write.
    NotSupported = 95,
    /// The server is about to end.
    Shutdown = 108,
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the client is told.
    pub error: Error,
    /// The byte of the export at which it happened, where that is known.
    pub offset: Option<u64>,
}

impl Failure {
    /// A failure of the bytes from `offset` on.
    #[must_use]
    pub const fn at(error: Error, offset: u64) -> Self {
        Self { error, offset: Some(offset) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, offset: None }
    }
}

/// What a client is told of block sizes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// A power of two up to 65,536. Requests that are not made of such blocks get an error, and so
    /// does the end of an export that is no multiple of it.
    pub minimum: u32,
    /// What goes fastest: a power of two, at least 512 and the minimum.
    pub preferred: u32,
    /// The most data in one request: a multiple of the minimum, at least the preferred size, at most
    /// [`LARGEST_PAYLOAD`]. Trims and zeroes may be longer.
    pub maximum: u32,
}

/// How zeroes are to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zeroing {
    /// The space may be given up, as by a trim, if zeroes are read there afterwards.
    pub may_trim: bool,
    /// If this is not quicker than a write, the answer is [`Error::NotSupported`], and nothing is done.
    pub fast: bool,
    /// The zeroes are safe when the call returns.
    pub safe: bool,
}

/// A stretch of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes.
    pub length: u64,
    /// Nothing is stored there.
    pub hole: bool,
    /// It reads as zeroes.
    pub zero: bool,
}

/// A block device. Every range handed to it lies within `size`, is not empty, and begins and ends at
/// multiples of `blocks().minimum`. Connections call it concurrently.
///
/// What a call that returned has done is seen by every later call, from whatever connection.
pub trait Export: Sync {
    /// Bytes. Does not change.
    fn size(&self) -> u64;

    /// Block sizes. They do not change.
    fn blocks(&self) -> Blocks;

    /// How many requests of one connection are worth carrying out at the same time. With 1 they are
    /// answered in order by one thread, which costs least; more pays if calls wait or compute for long.
    fn depth(&self) -> usize {
        1
    }

    /// Fills `data` from byte `offset` on.
    ///
    /// # Errors
    /// The bytes cannot be had.
    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), Failure>;

    /// Writes `data` at byte `offset`. If `safe`, it is safe when the call returns.
    ///
    /// # Errors
    /// The bytes cannot be kept.
    fn write(&self, offset: u64, data: &[u8], safe: bool) -> Result<(), Failure>;

    /// Gives `length` bytes up. If `safe`, that is safe when the call returns.
    ///
    /// # Errors
    /// That fails.
    fn trim(&self, offset: u64, length: u64, safe: bool) -> Result<(), Failure>;

    /// Has `length` bytes read as zeroes.
    ///
    /// # Errors
    /// That fails, or would not be fast as asked.
    fn zero(&self, offset: u64, length: u64, how: Zeroing) -> Result<(), Failure>;

    /// Returns when everything written in calls that returned before is safe.
    ///
    /// # Errors
    /// That cannot be promised.
    fn flush(&self) -> Result<(), Failure>;

    /// Says what is stored from byte `offset` on: one stretch after the other, until `length` bytes are
    /// covered or `each` breaks.
    fn extents(&self, offset: u64, length: u64, each: &mut dyn FnMut(Extent) -> ControlFlow<()>);
}

/// An export as clients see it.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    /// What clients ask for. The first export of a server is also given to those who name none.
    pub name: &'a str,
    /// What people read.
    pub description: &'a str,
    /// The export.
    pub export: &'a dyn Export,
}

/// Whether clients can be told of these exports.
pub fn check(exports: &[Named<'_>]) -> io::Result<()> {
    for Named { name, description, export } in exports {
        let Blocks { minimum, preferred, maximum } = export.blocks();
        let wrong = if !minimum.is_power_of_two() || minimum > 1 << 16 {
            "the smallest block is no power of two up to 65,536"
        } else if !preferred.is_power_of_two() || preferred < minimum.max(512) {
            "the preferred block is no power of two from 512 and the smallest block on"
        } else if maximum > LARGEST_PAYLOAD || maximum < preferred || maximum % minimum != 0 {
            "the largest request is no multiple of the smallest block, less than the preferred one, \
             or more than 32 MiB"
        } else if name.len().max(description.len()) > LONGEST_STRING {
            "the name or the description is longer than 4,096 bytes"
        } else {
            continue;
        };
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("export {name:?}: {wrong}"),
        ));
    }
    Ok(())
}
