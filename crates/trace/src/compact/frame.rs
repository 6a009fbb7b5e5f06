//! The fixed parts of a file: magic, the head of a block, the footer.

use std::ops::RangeInclusive;

use super::{BLOCK, Damage, is_checksum};

/// The first bytes. A transfer as text would change the first, the line ends, or stop at the
/// control character; PNG has the same safeguards.
pub(crate) const MAGIC: &[u8; 8] = b"\x89WLT\r\n\x1a\n";
const END_MAGIC: &[u8; 8] = b"WLT end\n";
/// The version that is written.
pub(crate) const VERSION: u16 = 6;
/// The versions that are read.
pub(crate) const VERSIONS: RangeInclusive<u16> = 1..=VERSION;

/// How a block begins.
pub(crate) const BLOCK_MARKER: [u8; 4] = *b"WBLK";
/// Bytes of the head of a block.
pub(crate) const HEAD_BYTES: usize = 32;
/// Bytes of the footer.
pub(crate) const FOOTER_BYTES: usize = 36;

/// Bytes of columns for a block's requests at most: five columns of 256 values of 64 bits, with
/// exceptions, a few times over.
const MAX_PAYLOAD_BYTES: u32 = BLOCK as u32 * 128;

/// The little-endian number of four bytes at `at`.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut part = [0; 4];
    part.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(part)
}

/// The little-endian number of eight bytes at `at`.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut part = [0; 8];
    part.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(part)
}

/// The head of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockHead {
    /// Requests in it.
    pub records: u32,
    /// Bytes of columns behind the head.
    pub payload_bytes: u32,
    /// The number of its first request in the trace, from 0.
    pub first_record: u64,
    /// When that arrives.
    pub first_ns: u64,
}

impl BlockHead {
    /// The head of the block with these columns.
    pub fn bytes(&self, payload: &[u8]) -> [u8; HEAD_BYTES] {
        let mut head = [0; HEAD_BYTES];
        head[0..4].copy_from_slice(&BLOCK_MARKER);
        head[4..8].copy_from_slice(&self.records.to_le_bytes());
        head[8..12].copy_from_slice(&self.payload_bytes.to_le_bytes());
        head[16..24].copy_from_slice(&self.first_record.to_le_bytes());
        head[24..32].copy_from_slice(&self.first_ns.to_le_bytes());
        let checksum = checksum_of(&head, payload);
        head[12..16].copy_from_slice(&checksum.to_le_bytes());
        head
    }

    /// Reads a head; its checksum covers the columns too and is checked by [`Self::verify`].
    pub fn parse(head: &[u8; HEAD_BYTES]) -> Result<Self, Damage> {
        if head[..4] != BLOCK_MARKER {
            return Err(Damage::Marker);
        }
        let found = Self {
            records: u32_at(head, 4),
            payload_bytes: u32_at(head, 8),
            first_record: u64_at(head, 16),
            first_ns: u64_at(head, 24),
        };
        let fits =
            (1..=BLOCK as u32).contains(&found.records) && found.payload_bytes <= MAX_PAYLOAD_BYTES;
        if fits { Ok(found) } else { Err(Damage::Number) }
    }

    /// Checks head and columns against the checksum in the head.
    pub fn verify(head: &[u8; HEAD_BYTES], payload: &[u8]) -> Result<(), Damage> {
        let is_same = is_checksum(checksum_of(head, payload), u32_at(head, 12));
        if is_same { Ok(()) } else { Err(Damage::Checksum) }
    }
}

fn checksum_of(head: &[u8; HEAD_BYTES], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head[..12]);
    hasher.update(&head[16..]);
    hasher.update(payload);
    hasher.finalize()
}

/// The last bytes of a file: where the index is, and what the file must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Footer {
    /// Requests in the file.
    pub records: u64,
    /// Where the index begins, in bytes.
    pub index_at: u64,
    /// When the last request arrives.
    pub last_ns: u64,
}

impl Footer {
    /// The footer's bytes.
    pub fn bytes(&self) -> [u8; FOOTER_BYTES] {
        let mut footer = [0; FOOTER_BYTES];
        footer[0..8].copy_from_slice(&self.records.to_le_bytes());
        footer[8..16].copy_from_slice(&self.index_at.to_le_bytes());
        footer[16..24].copy_from_slice(&self.last_ns.to_le_bytes());
        let checksum = crc32fast::hash(&footer[..24]);
        footer[24..28].copy_from_slice(&checksum.to_le_bytes());
        footer[28..].copy_from_slice(END_MAGIC);
        footer
    }

    /// Reads a footer.
    pub fn parse(footer: &[u8; FOOTER_BYTES]) -> Result<Self, Damage> {
        if footer[28..] != *END_MAGIC {
            return Err(Damage::Marker);
        }
        if !is_checksum(crc32fast::hash(&footer[..24]), u32_at(footer, 24)) {
            return Err(Damage::Checksum);
        }
        Ok(Self {
            records: u64_at(footer, 0),
            index_at: u64_at(footer, 8),
            last_ns: u64_at(footer, 16),
        })
    }
}
