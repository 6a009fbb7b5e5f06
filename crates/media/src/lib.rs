//! Flash that holds data: what a drive's pages are in its cells, as coded bits with an out-of-band area, and what a
//! read of them gives.
//!
//! Wrong bits are drawn as a page is read, over cells that stay as they were programmed: the same reads of the
//! same run give the same bits.

mod coding;
mod errors;
mod flash;
mod oob;
mod scramble;
mod slab;

pub use coding::Coding;
pub use errors::Errors;
pub use flash::{Decoder, Flash, Lost, Reads, Sensed};
pub use oob::Oob;
