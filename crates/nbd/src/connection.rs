//! One connection, from its first byte to its last.

use std::io::{self, Read, Write};
use std::sync::atomic::AtomicBool;

use crate::buffer::Pool;
use crate::export::Named;
use crate::handshake::negotiate;
use crate::input::Input;
use crate::transmission::Transmission;

/// What all connections of a server have in common.
#[derive(Default)]
pub struct Shared {
    pub stopping: AtomicBool,
    pub pool: Pool,
}

/// Serves until the client leaves; `chosen` is called on the stream when the handshake is over.
pub fn serve<R: Read + Send, W: Write + Send>(
    stream: R,
    mut output: W,
    exports: &[Named<'_>],
    shared: &Shared,
    chosen: impl FnOnce(&mut R) -> io::Result<()>,
) -> io::Result<()> {
    let mut input = Input::new(stream);
    let Some(agreed) = negotiate(&mut input, &mut output, exports)? else { return Ok(()) };
    chosen(input.stream())?;
    Transmission::new(agreed, (input, output), &shared.pool, &shared.stopping).run()
}
