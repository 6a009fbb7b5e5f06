//! Inputs drawn by a seed: those that a target begins with, changed here and there.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng;
use std::ops::Range;
use std::path::Path;

const LONGEST: usize = 4096;
const MOST_CHANGES: u32 = 4;

/// What breaks readers: limits of types, signs, quotes, separators, what is no text.
const ODD: [&[u8]; 22] = [
    b"0",
    b"-1",
    b"1",
    b"255",
    b"65536",
    b"2147483648",
    b"4294967296",
    b"18446744073709551615",
    b"9223372036854775808",
    b"1e308",
    b"1e-320",
    b"NaN",
    b"inf",
    b"",
    b"\"",
    b"=",
    b",",
    b":",
    b"\n",
    b"\0",
    b"\xff\xff\xff\xff",
    b"[[",
];

/// The files of a folder beside this crate's manifest, by name; none where it is absent.
pub fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect()
}

/// The input of that number: the beginnings themselves first, then changed ones.
pub fn input(beginnings: &[Vec<u8>], number: u64) -> Vec<u8> {
    if let Some(beginning) = usize::try_from(number).ok().and_then(|index| beginnings.get(index)) {
        return beginning.clone();
    }
    let mut random = SplitMix64::seed_from_u64(number);
    let mut drawn = beginnings.choose(&mut random).cloned().unwrap_or_else(|| {
        let length = random.random_range(0..512);
        (0..length).map(|_| random.random()).collect()
    });
    for _ in 0..random.random_range(1..=MOST_CHANGES) {
        change(&mut drawn, beginnings, &mut random);
    }
    drawn.truncate(LONGEST);
    drawn
}

fn change(drawn: &mut Vec<u8>, beginnings: &[Vec<u8>], random: &mut SplitMix64) {
    let odd = ODD.choose(random).copied().unwrap_or_default();
    match random.random_range(0..7) {
        0 => {
            let at = range(drawn.len(), 0, random);
            drawn.splice(at, odd.iter().copied());
        }
        1 => {
            let at = number(drawn, random);
            drawn.splice(at, odd.iter().copied());
        }
        2 => {
            let at = range(drawn.len(), 16, random);
            drawn.drain(at);
        }
        3 => {
            let at = range(drawn.len(), 64, random);
            let again = drawn[at.clone()].to_vec();
            drawn.splice(at.start..at.start, again);
        }
        4 => {
            let end = range(drawn.len(), 0, random).start;
            let other = beginnings.choose(random).map_or(&[][..], Vec::as_slice);
            let begin = range(other.len(), 0, random).start;
            drawn.truncate(end);
            drawn.extend_from_slice(&other[begin..]);
        }
        5 => {
            let end = range(drawn.len(), 0, random).start;
            drawn.truncate(end);
        }
        _ => {
            let at = range(drawn.len(), 1, random);
            drawn[at].iter_mut().for_each(|byte| *byte ^= 1 << random.random_range(0..8));
        }
    }
}

/// A range of at most `most` bytes anywhere.
fn range(length: usize, most: usize, random: &mut SplitMix64) -> Range<usize> {
    let begin = random.random_range(0..=length);
    begin..(begin + random.random_range(0..=most)).min(length)
}

/// One of the numbers in a text, else a place.
fn number(text: &[u8], random: &mut SplitMix64) -> Range<usize> {
    let from = range(text.len(), 0, random).start;
    let Some(skip) = text[from..].iter().position(u8::is_ascii_digit) else { return from..from };
    let begin = from + skip;
    let length = text[begin..].iter().position(|byte| !byte.is_ascii_digit());
    begin..length.map_or(text.len(), |length| begin + length)
}
