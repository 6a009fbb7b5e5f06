//! The index behind the blocks: where each begins.

use super::frame::{u32_at, u64_at};
use super::{BlockHead, Damage, is_checksum};

/// How the index begins.
pub(crate) const INDEX_MARKER: [u8; 4] = *b"WIDX";
/// Bytes of its head: marker, checksum, blocks.
pub(crate) const INDEX_HEAD_BYTES: usize = 16;
/// Bytes of a block's entry.
pub(crate) const ENTRY_BYTES: usize = 24;

/// Where a block begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    /// In the file, in bytes.
    pub offset: u64,
    /// The number of its first request.
    pub first_record: u64,
    /// When that arrives.
    pub first_ns: u64,
}

impl IndexEntry {
    /// The entry of the block with that head.
    pub fn of(offset: u64, head: &BlockHead) -> Self {
        Self { offset, first_record: head.first_record, first_ns: head.first_ns }
    }

    fn bytes(&self) -> [u8; ENTRY_BYTES] {
        let mut entry = [0; ENTRY_BYTES];
        entry[0..8].copy_from_slice(&self.offset.to_le_bytes());
        entry[8..16].copy_from_slice(&self.first_record.to_le_bytes());
        entry[16..24].copy_from_slice(&self.first_ns.to_le_bytes());
        entry
    }

    /// Reads an entry.
    pub fn parse(entry: &[u8; ENTRY_BYTES]) -> Self {
        Self {
            offset: u64_at(entry, 0),
            first_record: u64_at(entry, 8),
            first_ns: u64_at(entry, 16),
        }
    }
}

/// The index of a file that is written or read from its beginning. It keeps 24 bytes a block when
/// written, and a running checksum alone when read.
#[derive(Default)]
pub(crate) struct Index {
    entries: Vec<u8>,
    hasher: crc32fast::Hasher,
    blocks: u64,
    keeps_entries: bool,
}

impl Index {
    /// An index that will be written.
    pub fn to_write() -> Self {
        Self { keeps_entries: true, ..Self::default() }
    }

    /// Takes up a block.
    pub fn add(&mut self, entry: IndexEntry) {
        let bytes = entry.bytes();
        self.hasher.update(&bytes);
        self.blocks += 1;
        if self.keeps_entries {
            self.entries.extend_from_slice(&bytes);
        }
    }

    /// The index as it stands in a file.
    pub fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(INDEX_HEAD_BYTES + self.entries.len());
        bytes.extend(INDEX_MARKER);
        bytes.extend(self.hasher.finalize().to_le_bytes());
        bytes.extend(self.blocks.to_le_bytes());
        bytes.extend(self.entries);
        bytes
    }

    /// Blocks of the index with that head.
    pub fn blocks_of(head: &[u8; INDEX_HEAD_BYTES]) -> Result<u64, Damage> {
        if head[..4] == INDEX_MARKER { Ok(u64_at(head, 8)) } else { Err(Damage::Marker) }
    }

    /// Checks entries that were read against the head of their index.
    pub fn verify_entries(
        entries: crc32fast::Hasher,
        head: &[u8; INDEX_HEAD_BYTES],
    ) -> Result<(), Damage> {
        let is_same = is_checksum(entries.finalize(), u32_at(head, 4));
        if is_same { Ok(()) } else { Err(Damage::Checksum) }
    }

    /// Compares with the head of an index in a file.
    pub fn verify(&self, head: &[u8; INDEX_HEAD_BYTES]) -> Result<(), Damage> {
        if Self::blocks_of(head)? != self.blocks {
            return Err(Damage::Order);
        }
        Self::verify_entries(self.hasher.clone(), head)
    }
}
