//! Flash that holds data: what a drive's pages are in its cells, as coded bits with an out-of-band area, and what a
//! read of them gives.
//!
//! Wrong bits are drawn as a page is read, over cells that stay as they were programmed: the same reads of the
//! same run give the same bits.

mod coding;
mod decoder;
mod errors;
mod flash;
mod image;
mod oob;
mod opening;
mod pages;
mod recovery;
mod rewrites;
mod scramble;
mod second;
mod slab;
mod storage;
mod trims;
mod way;

pub use coding::Coding;
pub use decoder::{Decoder, Lost, Reads, Sensed};
pub use errors::Errors;
pub use flash::Flash;
pub use storage::{Change, Home, Memory};
