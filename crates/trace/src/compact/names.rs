//! Lists of texts behind the index: names of volumes, since version 2, and notes, since version 4.

use super::frame::u32_at;
use super::{Damage, is_checksum};
use crate::VOLUMES;

/// How names of volumes begin.
pub(crate) const NAMES_MARKER: [u8; 4] = *b"WNAM";
/// How notes begin: what was mended, left out or guessed of the trace that the file was made from.
pub(crate) const NOTES_MARKER: [u8; 4] = *b"WNOT";
/// Bytes ahead of a list: marker, checksum, its length.
const HEAD_BYTES: usize = 12;
/// A name's bytes at most; what is longer is cut.
const MAX_NAME_BYTES: usize = 1000;
/// Bytes of all names at most.
const MAX_BYTES: u32 = (VOLUMES * (NumberBytes::Four as usize + 2 + MAX_NAME_BYTES)) as u32;
/// Bytes that are made room for at a time: a length alone is not to be trusted with memory.
const STEP_BYTES: usize = 1 << 16;

/// Bytes of a number in a list, ahead of the length of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberBytes {
    /// Up to version 4.
    Two = 2,
    /// Since version 5.
    Four = 4,
}

impl NumberBytes {
    /// Those of a version.
    pub fn of(version: u16) -> Self {
        if version < 5 { Self::Two } else { Self::Four }
    }
}

/// A list as it stands in a file, of texts by number.
pub(crate) fn list_bytes<'a>(
    marker: [u8; 4],
    names: impl Iterator<Item = (u32, &'a str)>,
) -> Vec<u8> {
    let mut bytes = vec![0; HEAD_BYTES];
    for (volume, name) in names {
        let name = cut(name).as_bytes();
        bytes.extend(volume.to_le_bytes());
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(name);
    }
    let length = (bytes.len() - HEAD_BYTES) as u32;
    bytes[..4].copy_from_slice(&marker);
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[8..]);
    bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The beginning of a name that is too long, up to a letter's end.
fn cut(name: &str) -> &str {
    let mut end = name.len().min(MAX_NAME_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// Reads a list, by number, with `take`, which fills what it is given; empty for numbers without.
///
/// # Errors
/// Outside those of `take`, inside what is wrong with the bytes.
pub(crate) fn read_list<E>(
    marker: [u8; 4],
    numbers: NumberBytes,
    mut take: impl FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<Result<Vec<String>, Damage>, E> {
    let mut bytes = vec![0; HEAD_BYTES];
    take(&mut bytes)?;
    let length = u32_at(&bytes, 8);
    if bytes[..4] != marker {
        return Ok(Err(Damage::Marker));
    }
    if length > MAX_BYTES {
        return Ok(Err(Damage::Number));
    }
    let end = HEAD_BYTES + length as usize;
    while bytes.len() < end {
        let from = bytes.len();
        bytes.resize(end.min(from + STEP_BYTES), 0);
        take(&mut bytes[from..])?;
    }
    if !is_checksum(crc32fast::hash(&bytes[8..]), u32_at(&bytes, 4)) {
        return Ok(Err(Damage::Checksum));
    }
    Ok(parse(&bytes[HEAD_BYTES..], numbers))
}

fn parse(mut bytes: &[u8], numbers: NumberBytes) -> Result<Vec<String>, Damage> {
    let mut names: Vec<String> = Vec::new();
    let number_bytes = numbers as usize;
    while let Some((head, rest)) = bytes.split_at_checked(number_bytes + 2) {
        let mut number = [0; 4];
        number[..number_bytes].copy_from_slice(&head[..number_bytes]);
        let volume = u32::from_le_bytes(number) as usize;
        if volume >= VOLUMES {
            return Err(Damage::Number);
        }
        let length = usize::from(u16::from_le_bytes([head[number_bytes], head[number_bytes + 1]]));
        let (name, rest) = rest.split_at_checked(length).ok_or(Damage::Number)?;
        let name = std::str::from_utf8(name).map_err(|_| Damage::Number)?;
        names.resize(names.len().max(volume + 1), String::new());
        name.clone_into(&mut names[volume]);
        bytes = rest;
    }
    if bytes.is_empty() { Ok(names) } else { Err(Damage::Number) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<Vec<String>, Damage> {
        read_with(NumberBytes::Four, bytes)
    }

    fn read_with(numbers: NumberBytes, mut bytes: &[u8]) -> Result<Vec<String>, Damage> {
        let take = |into: &mut [u8]| {
            let (now, later) = bytes.split_at_checked(into.len()).ok_or(Damage::Short)?;
            into.copy_from_slice(now);
            bytes = later;
            Ok(())
        };
        read_list(NAMES_MARKER, numbers, take).and_then(|names| names)
    }

    proptest! {
        #[test]
        fn names_come_back(names in prop::collection::vec("\\PC{0,12}", 0..50)) {
            let numbered = || (0u32..).zip(&names).map(|(n, name)| (n, name.as_str()));
            prop_assert_eq!(read(&list_bytes(NAMES_MARKER, numbered())), Ok(names.clone()));
            let bytes = list_bytes(NAMES_MARKER, numbered());
            for end in 0..bytes.len() {
                prop_assert_eq!(read(&bytes[..end]), Err(Damage::Short));
            }
        }
    }

    #[test]
    fn volumes_without_a_name_have_an_empty_one() {
        let bytes = list_bytes(NAMES_MARKER, [(3, "c"), (1, "a")].into_iter());
        assert_eq!(read(&bytes), Ok(vec!["".into(), "a".into(), "".into(), "c".into()]));
    }

    #[test]
    fn numbers_have_two_bytes_up_to_version_4() {
        let numbers = [1, 4, 5].map(|version| NumberBytes::of(version) as usize);
        assert_eq!(numbers, [2, 2, 4]);
        let mut bytes = list_bytes(NAMES_MARKER, [(3, "c")].into_iter());
        bytes.drain(HEAD_BYTES + 2..HEAD_BYTES + 4);
        bytes[8] -= 2;
        let checksum = crc32fast::hash(&bytes[8..]).to_le_bytes();
        bytes[4..8].copy_from_slice(&checksum);
        let names = vec!["".into(), "".into(), "".into(), "c".into()];
        assert_eq!(read_with(NumberBytes::Two, &bytes), Ok(names));
        let beyond = list_bytes(NAMES_MARKER, [(VOLUMES as u32, "c")].into_iter());
        assert_eq!(read(&beyond), Err(Damage::Number));
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        let long = "ö".repeat(600) + "x";
        let bytes =
            list_bytes(NAMES_MARKER, [(0, "x".repeat(999).as_str()), (1, &long)].into_iter());
        assert_eq!(read(&bytes), Ok(vec!["x".repeat(999), "ö".repeat(500)]));
    }

    #[test]
    fn damage_is_noticed() {
        let bytes = list_bytes(NAMES_MARKER, [(0, "disk")].into_iter());
        for place in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[place] ^= 0x80;
            assert!(read(&wrong).is_err(), "{place}");
        }
    }
}
