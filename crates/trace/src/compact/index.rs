//! The index behind the blocks: where each begins, and what each volume holds.

use std::collections::BTreeMap;

use super::frame::{u32_at, u64_at};
use super::{BlockHead, Damage};
use crate::Request;

/// How the index begins.
pub(crate) const INDEX_MARKER: [u8; 4] = *b"WIDX";
/// Bytes of its head: marker, checksum, blocks, volumes.
pub(crate) const INDEX_HEAD_BYTES: usize = 20;
/// Bytes of a block's entry.
pub(crate) const ENTRY_BYTES: usize = 24;
/// Bytes of a volume's entry.
const VOLUME_BYTES: usize = 18;

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
    volumes: BTreeMap<u16, VolumeExtent>,
    keeps_entries: bool,
}

/// What one volume holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct VolumeExtent {
    requests: u64,
    end_bytes: u64,
}

impl Index {
    /// An index that will be written.
    pub fn to_write() -> Self {
        Self { keeps_entries: true, ..Self::default() }
    }

    /// Takes up a block.
    pub fn add(&mut self, entry: IndexEntry, requests: &[Request]) {
        let bytes = entry.bytes();
        self.hasher.update(&bytes);
        self.blocks += 1;
        if self.keeps_entries {
            self.entries.extend_from_slice(&bytes);
        }
        let mut rest = requests;
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|request| request.stream == first.stream).count();
            let (run, others) = rest.split_at(same);
            let volume = self.volumes.entry(first.stream).or_default();
            volume.requests += run.len() as u64;
            let end = |request: &Request| {
                request.offset_bytes.saturating_add(u64::from(request.size_bytes))
            };
            volume.end_bytes = run.iter().map(end).fold(volume.end_bytes, u64::max);
            rest = others;
        }
    }

    /// The index as it stands in a file.
    pub fn bytes(self) -> Vec<u8> {
        let (volumes, checksum) = self.tail();
        let mut bytes = Vec::with_capacity(INDEX_HEAD_BYTES + self.entries.len() + volumes.len());
        bytes.extend(INDEX_MARKER);
        bytes.extend(checksum.to_le_bytes());
        bytes.extend(self.blocks.to_le_bytes());
        bytes.extend((self.volumes.len() as u32).to_le_bytes());
        bytes.extend(self.entries);
        bytes.extend(volumes);
        bytes
    }

    /// The entries of the volumes, and the checksum of all entries.
    fn tail(&self) -> (Vec<u8>, u32) {
        let mut volumes = Vec::with_capacity(self.volumes.len() * VOLUME_BYTES);
        for (stream, volume) in &self.volumes {
            volumes.extend(stream.to_le_bytes());
            volumes.extend(volume.requests.to_le_bytes());
            volumes.extend(volume.end_bytes.to_le_bytes());
        }
        let mut hasher = self.hasher.clone();
        hasher.update(&volumes);
        (volumes, hasher.finalize())
    }

    /// Blocks of the index with that head.
    pub fn blocks_of(head: &[u8; INDEX_HEAD_BYTES]) -> Result<u64, Damage> {
        if head[..4] == INDEX_MARKER { Ok(u64_at(head, 8)) } else { Err(Damage::Marker) }
    }

    /// Bytes of the entries behind an index's head.
    pub fn length_of(head: &[u8; INDEX_HEAD_BYTES]) -> u64 {
        let (blocks, volumes) = (u64_at(head, 8), u64::from(u32_at(head, 16)));
        blocks.saturating_mul(ENTRY_BYTES as u64).saturating_add(volumes * VOLUME_BYTES as u64)
    }

    /// Compares with the head of an index in a file; returns the bytes of entries behind that.
    pub fn verify(&self, head: &[u8; INDEX_HEAD_BYTES]) -> Result<u64, Damage> {
        if head[..4] != INDEX_MARKER {
            return Err(Damage::Marker);
        }
        if u64_at(head, 8) != self.blocks || u32_at(head, 16) as usize != self.volumes.len() {
            return Err(Damage::Order);
        }
        if u32_at(head, 4) != self.tail().1 {
            return Err(Damage::Checksum);
        }
        Ok(Self::length_of(head))
    }
}
