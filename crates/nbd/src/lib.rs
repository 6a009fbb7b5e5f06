//! The server's side of the NBD protocol: fixed newstyle handshake and simple replies, over any
//! stream of bytes and any [`Export`].
//!
//! Source: <https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md>. Structured
//! replies, TLS and metadata contexts are answered with "unsupported", which the protocol provides for.

mod export;
mod handshake;
mod transmission;
mod wire;

pub use export::{Export, Failure};

use std::io::{self, Read, Write};

/// Serves one connection until the client leaves.
///
/// # Errors
/// What the stream reports, and `InvalidData` where the client breaks the protocol in a way after
/// which its bytes have no meaning; the caller closes the connection.
pub fn serve(stream: &mut (impl Read + Write), export: &mut impl Export) -> io::Result<()> {
    if handshake::negotiate(stream, export)? {
        transmission::transmit(stream, export)?;
    }
    Ok(())
}
