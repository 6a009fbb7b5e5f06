//! Why a stream of bytes ended before its time.

use std::fmt;
use std::io;

use crate::Error;

/// What was read is no trace: data that a decompressor or a reader of lines stops at.
#[derive(Debug)]
pub(super) struct NoTrace {
    what: String,
    help: &'static str,
}

impl NoTrace {
    /// It as a failure of the stream.
    pub fn stop(what: String, help: &'static str) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, Self { what, help })
    }
}

impl fmt::Display for NoTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for NoTrace {}

/// A failure of the system or of a decompressor, told in our terms.
pub(super) fn failure(error: &io::Error, place: String) -> Error {
    if let Some(told) = error.get_ref().and_then(|inner| inner.downcast_ref::<NoTrace>()) {
        return Error::new(&told.what, place, told.help);
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::new(
            "the compressed data ends too early",
            place,
            "the file looks truncated: fetch it again",
        ),
        _ if error.raw_os_error().is_some() => Error::new(error.to_string(), place, ""),
        _ => Error::new(
            format!("the compressed data is damaged ({error})"),
            place,
            "unpack it by hand to see how far it is whole, or fetch the file again",
        ),
    }
}
