//! Writers of trace files: the format from the name's ending or by its own name, compression from
//! the ending, and a file that is written whole or not at all.
//!
//! What a format cannot hold is refused, with the count of each kind; with [`Options::lossy`] it is
//! rounded or left out, and counted all the same.

mod ascii;
mod compact;
mod convert;
mod encoder;
mod fio;
mod fit;
mod formats;
mod msr;
mod output;
mod partial;
mod writer;

pub use crate::compact::TraceMeta;
pub use convert::{convert, copy, split};
pub use fit::{Limits, Losses};
pub use formats::{WriterDecl, writers};
pub use writer::{Closed, Options, TraceWriter, Written};

#[cfg(test)]
mod tests;
