//! Wordline's own compact format; `crate::compact` says what stands where.

use super::encoder::Encoder;
use crate::compact::{
    BLOCK, BlockHead, Footer, Index, IndexEntry, NAMES_MARKER, NOTES_MARKER, TraceMeta, encode,
    list_bytes,
};
use crate::{Request, VOLUMES};

/// Collects blocks.
pub(super) struct Compact {
    header: Vec<u8>,
    waiting: Vec<Request>,
    columns: Vec<u8>,
    index: Index,
    written_bytes: u64,
    records: u64,
    last_ns: u64,
    /// A bit for each volume that has occurred.
    volumes: Box<[u64]>,
}

impl Compact {
    pub fn new(meta: &TraceMeta) -> Self {
        Self {
            header: meta.header(),
            waiting: Vec::with_capacity(BLOCK),
            columns: Vec::new(),
            index: Index::to_write(),
            written_bytes: 0,
            records: 0,
            last_ns: 0,
            volumes: vec![0; VOLUMES / 64].into_boxed_slice(),
        }
    }

    fn put_block(&mut self, out: &mut Vec<u8>) {
        let Some(first) = self.waiting.first() else { return };
        for request in &self.waiting {
            self.volumes[request.stream as usize / 64] |= 1 << (request.stream % 64);
        }
        self.columns.clear();
        encode(&self.waiting, &mut self.columns);
        let head = BlockHead {
            records: self.waiting.len() as u32,
            payload_bytes: self.columns.len() as u32,
            first_record: self.records,
            first_ns: first.arrival_ns,
        };
        self.index.add(IndexEntry::of(self.written_bytes, &head));
        let head = head.bytes(&self.columns);
        self.put(&head, out);
        out.extend_from_slice(&self.columns);
        self.written_bytes += self.columns.len() as u64;
        self.records += self.waiting.len() as u64;
        self.last_ns = self.waiting.last().map_or(0, |last| last.arrival_ns);
        self.waiting.clear();
    }

    fn put(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(bytes);
        self.written_bytes += bytes.len() as u64;
    }
}

impl Encoder for Compact {
    fn begin(&mut self, out: &mut Vec<u8>) {
        let header = std::mem::take(&mut self.header);
        self.put(&header, out);
    }

    fn encode(&mut self, mut requests: &[Request], out: &mut Vec<u8>) {
        while !requests.is_empty() {
            let room = (BLOCK - self.waiting.len()).min(requests.len());
            let (now, later) = requests.split_at(room);
            self.waiting.extend_from_slice(now);
            requests = later;
            if self.waiting.len() == BLOCK {
                self.put_block(out);
            }
        }
    }

    fn end(&mut self, names: &[String], notes: &[String], out: &mut Vec<u8>) {
        self.put_block(out);
        let index_at = self.written_bytes;
        let index = std::mem::take(&mut self.index).bytes();
        self.put(&index, out);
        let named = (0..).zip(names).filter(|&(volume, name)| {
            let has_occurred = self.volumes[volume as usize / 64] >> (volume % 64) & 1 == 1;
            has_occurred && !name.is_empty()
        });
        let named = named.map(|(volume, name)| (volume, name.as_str()));
        self.put(&list_bytes(NAMES_MARKER, named), out);
        let noted = (0..).zip(notes).map(|(number, note)| (number, note.as_str()));
        self.put(&list_bytes(NOTES_MARKER, noted), out);
        let footer = Footer { records: self.records, index_at, last_ns: self.last_ns };
        self.put(&footer.bytes(), out);
    }
}
