//! Wordline's own compact format, `.wlt`: what stands where. docs/formats/wordline.md describes it
//! for readers in other languages; a change of the layout is a new version.
//!
//! ```text
//! header   magic, version, metadata, checksum
//! block    marker, records, length, checksum, first record, first arrival, columns   (any number)
//! index    marker, checksum, blocks; offset, first record and first arrival of each block
//! names    marker, checksum, length; volume, length and name of each volume that has one   (since 2)
//! notes    marker, checksum, length; number, length and text of what was mended ahead of writing   (since 4)
//! footer   records, offset of the index, last arrival, checksum, magic
//! ```
//!
//! Numbers are little-endian, checksums CRC-32 (IEEE 802.3) of everything in their part but
//! themselves. The index comes last, so that a writer needs no memory of what it wrote but 24 bytes
//! a block, and no way back in the file.

mod block;
mod column;
mod frame;
mod index;
mod meta;
mod names;

pub(crate) use block::{BLOCK, decode, encode};
pub(crate) use column::SLACK_BYTES;
pub(crate) use frame::{
    BLOCK_MARKER, BlockHead, FOOTER_BYTES, Footer, HEAD_BYTES, MAGIC, VERSION, VERSIONS,
};
pub(crate) use index::{ENTRY_BYTES, INDEX_HEAD_BYTES, INDEX_MARKER, Index, IndexEntry};
pub use meta::TraceMeta;
pub(crate) use meta::{HEADER_BYTES, MAX_META_BYTES};
pub(crate) use names::{NAMES_MARKER, NOTES_MARKER, NumberBytes, list_bytes, read_list};

/// Whether a checksum is the one that stands in the file. The fuzzer, which cannot guess one, gets
/// past it to what lies behind.
pub(crate) fn is_checksum(computed: u32, found: u32) -> bool {
    cfg!(fuzzing) || computed == found
}

/// What is wrong with the bytes of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Damage {
    /// They end too early.
    Short,
    /// More are left than should be.
    Long,
    /// A number is out of its range.
    Number,
    /// The checksum is another.
    Checksum,
    /// Another part should begin here.
    Marker,
    /// It does not follow what stands ahead of it.
    Order,
}
