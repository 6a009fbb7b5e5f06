//! What stands at the end of a file, looked up without reading up to it.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::READ_BYTES;
use crate::Position;
use crate::compact::{
    self, Damage, ENTRY_BYTES, FOOTER_BYTES, Footer, INDEX_HEAD_BYTES, Index, IndexEntry, MAGIC,
    NAMES_MARKER, NOTES_MARKER, NumberBytes,
};

/// The file, where it can be read at any place: not compressed, and no pipe.
pub(super) fn seekable(path: &Path) -> Option<File> {
    let mut file = File::open(path).ok()?;
    let mut magic = [0; MAGIC.len()];
    file.metadata().ok().filter(|data| data.is_file())?;
    file.read_exact(&mut magic).ok()?;
    (magic == *MAGIC).then_some(file)
}

pub(super) fn read_footer(file: &mut File) -> Result<Footer, Damage> {
    let mut footer = [0; FOOTER_BYTES];
    file.seek(SeekFrom::End(-(FOOTER_BYTES as i64))).map_err(|_| Damage::Short)?;
    file.read_exact(&mut footer).map_err(|_| Damage::Short)?;
    Footer::parse(&footer)
}

/// The names of volumes, and the notes where a file `has_notes`.
pub(super) fn find_lists(
    file: &mut File,
    index_at: u64,
    (numbers, has_notes): (NumberBytes, bool),
) -> Result<(Vec<String>, Vec<String>), Damage> {
    let mut head = [0; INDEX_HEAD_BYTES];
    file.seek(SeekFrom::Start(index_at)).map_err(|_| Damage::Short)?;
    file.read_exact(&mut head).map_err(|_| Damage::Short)?;
    let entries = Index::blocks_of(&head)?.checked_mul(ENTRY_BYTES as u64);
    let entries = entries.and_then(|bytes| i64::try_from(bytes).ok()).ok_or(Damage::Number)?;
    file.seek(SeekFrom::Current(entries)).map_err(|_| Damage::Short)?;
    let mut file = BufReader::new(file);
    let mut take = |into: &mut [u8]| file.read_exact(into).map_err(|_| Damage::Short);
    let names = compact::read_list(NAMES_MARKER, numbers, &mut take)??;
    let notes = match has_notes {
        true => compact::read_list(NOTES_MARKER, numbers, &mut take)??,
        false => Vec::new(),
    };
    Ok((names, notes))
}

/// The last block at or ahead of `position`. The index is read whole: it is 24 bytes a block, and
/// its checksum is not to be trusted unread.
pub(super) fn find_block(
    file: &mut File,
    index_at: u64,
    position: Position,
) -> Result<IndexEntry, Damage> {
    let mut head = [0; INDEX_HEAD_BYTES];
    file.seek(SeekFrom::Start(index_at)).map_err(|_| Damage::Short)?;
    let mut file = BufReader::with_capacity(READ_BYTES, file);
    let mut take = |into: &mut [u8]| file.read_exact(into).map_err(|_| Damage::Short);
    take(&mut head)?;
    let blocks = Index::blocks_of(&head)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut found = None;
    for _ in 0..blocks {
        let mut bytes = [0; ENTRY_BYTES];
        take(&mut bytes)?;
        hasher.update(&bytes);
        let entry = IndexEntry::parse(&bytes);
        // Of requests with the same time the first may lie in the block ahead of those that begin
        // with it.
        let is_ahead = match position {
            Position::Request(number) => entry.first_record <= number,
            Position::Time(ns) => entry.first_ns < ns,
        };
        found = if is_ahead { Some(entry) } else { found.or(Some(entry)) };
    }
    Index::verify_entries(hasher, &head)?;
    let begins_ahead = |entry: &IndexEntry| match position {
        Position::Request(number) => entry.first_record <= number,
        Position::Time(_) => true,
    };
    found.filter(begins_ahead).ok_or(Damage::Order)
}
