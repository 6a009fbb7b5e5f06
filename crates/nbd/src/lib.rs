//! The server's side of the NBD protocol over any block device, an [`Export`]: fixed newstyle
//! handshake, structured replies, block status, on sockets of this machine.
//!
//! Source: <https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md>. TLS, resizing and
//! extended headers are answered with "unsupported", which the protocol provides for.

mod address;
mod buffer;
mod connection;
mod contexts;
mod export;
mod extents;
mod handshake;
mod input;
mod reply;
mod request;
mod server;
mod transmission;
mod wire;

pub use address::Address;
pub use export::{Blocks, Error, Export, Extent, Failure, LARGEST_PAYLOAD, Named, Zeroing};
pub use server::{Limits, Server};

use std::io::{self, Read, Write};

/// Serves one client that speaks through two streams, until it leaves. [`Server`] does that for many,
/// with limits to what they may take.
///
/// # Errors
/// What the streams report; `InvalidData` if the client breaks the protocol in a way after which its
/// bytes have no meaning; `InvalidInput` if the block sizes of an export are none.
pub fn serve(
    input: impl Read + Send,
    output: impl Write + Send,
    exports: &[Named<'_>],
) -> io::Result<()> {
    export::check(exports)?;
    connection::serve(input, output, exports, &connection::Shared::default(), |_| Ok(()))
}
