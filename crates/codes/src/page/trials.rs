//! Round trips of random pages, and damage that must not go unnoticed.

use super::{PageCodec, Shape};
use crate::bits::{fill_random, random_word, stream, to_bytes, words};
use crate::monte_carlo::run_counted;
use crate::wom::{SecondWrite, SpecError};
use std::ops::ControlFlow;

/// Most cells of a page that are made wrong.
const MOST_WRONG: u64 = 8;

/// Pages by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoundTrips {
    /// Came back; read once more, with wrong cells or other metadata, they were refused.
    pub refused: u64,
    /// Came back, and again in spite of wrong cells, or of metadata that happened to be the same.
    pub corrected: u64,
    /// Came back, but with wrong cells or other metadata they gave another logical page.
    pub unnoticed: u64,
    /// The write said that the logical page does not fit.
    pub does_not_fit: u64,
    /// A zero had become a one, a reserved byte had changed, or the page did not come back.
    pub wrong: u64,
}

impl RoundTrips {
    const PLACES: usize = 5;

    fn of(counts: &[u64]) -> Self {
        let [refused, corrected, unnoticed, does_not_fit, wrong] =
            std::array::from_fn(|i| counts[i]);
        Self { refused, corrected, unnoticed, does_not_fit, wrong }
    }

    /// All pages.
    pub fn pages(&self) -> u64 {
        self.refused + self.corrected + self.unnoticed + self.does_not_fit + self.wrong
    }
}

/// Writes `pages` random logical pages over random used ones with erased spare areas, reads each, and
/// reads it again with up to eight wrong cells or, every other page, with random metadata. What
/// happens depends on `seed` alone. `progress` is called between rounds and may stop early.
///
/// # Errors
/// Where `code` is not for pages of this shape.
pub fn round_trips(
    shape: Shape,
    code: &dyn SecondWrite,
    seed: u64,
    pages: u64,
    progress: &mut dyn FnMut(&RoundTrips) -> ControlFlow<()>,
) -> Result<RoundTrips, SpecError> {
    PageCodec::new(shape, code)?;
    let worker = || PageCodec::new(shape, code).map(|codec| Trial::new(shape, codec));
    let mut counts = [0; RoundTrips::PLACES];
    run_counted(
        &mut counts,
        pages,
        worker,
        |trial, number| match trial {
            Ok(trial) => trial.run(stream(seed, number), number % 2 == 0),
            Err(error) => unreachable!("a codec was made a moment ago: {error}"),
        },
        &mut |counts| progress(&RoundTrips::of(counts)),
    );
    Ok(RoundTrips::of(&counts))
}

/// What a thread needs.
struct Trial<'a> {
    shape: Shape,
    codec: PageCodec<'a>,
    used: Vec<u8>,
    logical: Vec<u8>,
    target: Vec<u8>,
    read: Vec<u8>,
    random: Vec<u64>,
}

impl<'a> Trial<'a> {
    fn new(shape: Shape, codec: PageCodec<'a>) -> Self {
        let bytes = |count| vec![0; count];
        Self {
            codec,
            used: bytes(shape.page_bytes()),
            logical: bytes(shape.logical_bytes),
            target: bytes(shape.page_bytes()),
            read: bytes(shape.logical_bytes),
            random: vec![0; words(8 * shape.page_bytes().max(shape.logical_bytes))],
            shape,
        }
    }

    /// One page; returns its place among the [`RoundTrips`].
    fn run(&mut self, seed: u64, is_metadata: bool) -> usize {
        fill_random(&mut self.random, stream(seed, 0));
        to_bytes(&self.random, &mut self.used);
        self.used[self.shape.data_bytes..].fill(0xff);
        fill_random(&mut self.random, stream(seed, 1));
        to_bytes(&self.random, &mut self.logical);
        let Ok(metadata) = self.codec.write(&self.used, &self.logical, &mut self.target) else {
            return 3;
        };
        let rises = self.target.iter().zip(&self.used).any(|(after, before)| after & !before != 0);
        let reserved = self.shape.page_bytes() - self.shape.reserved_bytes;
        let is_kept = self.target[reserved..] == self.used[reserved..];
        if rises || !is_kept || !self.comes_back(metadata) {
            return 4;
        }
        let metadata = if is_metadata {
            (random_word(seed, 2) % u64::from(2 * self.codec.tries)) as u32
        } else {
            self.spoil(stream(seed, 3));
            metadata
        };
        match self.codec.read(&self.target, metadata, &mut self.read) {
            Err(_) => 0,
            Ok(_) if self.read == self.logical => 1,
            Ok(_) => 2,
        }
    }

    fn comes_back(&mut self, metadata: u32) -> bool {
        self.codec.read(&self.target, metadata, &mut self.read) == Ok(0)
            && self.read == self.logical
    }

    /// Inverts one to eight cells, the same one perhaps more than once.
    fn spoil(&mut self, seed: u64) {
        for draw in 1..=1 + random_word(seed, 0) % MOST_WRONG {
            let cell = (random_word(seed, draw) % self.shape.cells() as u64) as usize;
            self.target[cell / 8] ^= 1 << (cell % 8);
        }
    }
}
