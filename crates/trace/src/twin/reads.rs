//! The reads of a twin: places read for the first time, and again.

use super::ground::{Ground, Region};
use super::model::{Model, Reads};
use super::quota::Quota;
use super::sizes::EvenSizes;
use crate::generate::math::{log, pow};
use crate::generate::rng::{Chance, Rng};
use crate::generate::space::Extent;

/// Draws for a chunk that holds a request, before a new place is read.
const TRIES: u32 = 8;

const FIRST: usize = 0;
const AGAIN: usize = 1;

/// What has been read, chunk by chunk.
pub(super) struct ReadState {
    /// Pages left: to read for the first time, and again.
    left: Quota,
    region: Region,
    sizes: EvenSizes,
    overlap: Chance,
    sequential: Chance,
    /// Exponent of the popularity of chunks: a draw u goes to the chunk u^power of the way.
    power: f64,
    page_bytes: u32,
    chunk_pages: u32,
    /// The chunk of the last read and the page, within it, behind its end.
    last: (usize, u32),
    rng: Rng,
}

impl ReadState {
    pub fn new(model: &Model, reads: &Reads, chunk_pages: u32, seed: u64) -> Self {
        let pages = model.pages_read();
        Self {
            left: Quota::new(vec![pages * reads.new, pages * (1.0 - reads.new)], 1.0),
            region: Region::new(pages * reads.new, chunk_pages, reads.sequential),
            sizes: EvenSizes::new(&reads.sizes, 0.1, seed),
            overlap: Chance::new(reads.overlap),
            sequential: Chance::new(reads.sequential),
            power: log(0.2) / log(reads.skew.clamp(0.2, 0.999)),
            page_bytes: model.page_bytes,
            chunk_pages,
            last: (0, 0),
            rng: Rng::new(seed, "twin read"),
        }
    }

    /// Where the next read goes.
    pub fn next(&mut self, ground: &mut Ground) -> Extent {
        let size_bytes = self.sizes.next_bytes();
        let pages = size_bytes.div_ceil(self.page_bytes);
        let again = self.left.kind(self.rng.unit()) == AGAIN;
        let (at, first) = again
            .then(|| self.known(pages))
            .flatten()
            .map_or_else(|| self.unknown(pages, ground), |place| (AGAIN, place));
        self.left.take(at, f64::from(pages));
        Extent { offset_bytes: u64::from(first) * u64::from(self.page_bytes), size_bytes }
    }

    /// A place that was read before: behind the last read, or of a chunk as popularity has it.
    fn known(&mut self, pages: u32) -> Option<u32> {
        let (at, from) = self.last;
        let &(_, used) = self.region.chunks.get(at)?;
        if from + pages <= used && self.rng.happens(self.sequential) {
            return Some(self.read(at, from, pages));
        }
        for _ in 0..TRIES {
            let draw = pow(self.rng.unit(), self.power);
            let at = (draw * self.region.chunks.len() as f64) as usize;
            let used = self.region.chunks[at].1;
            if used >= pages {
                let from = self.rng.below(u64::from(used - pages) + 1) as u32;
                return Some(self.read(at, from, pages));
            }
        }
        None
    }

    fn unknown(&mut self, pages: u32, ground: &mut Ground) -> (usize, u32) {
        let (at, first) = self.region.take_to_read(pages, ground, self.overlap, &mut self.rng);
        self.last = (at, self.region.chunks[at].1);
        (FIRST, first)
    }

    fn read(&mut self, at: usize, from: u32, pages: u32) -> u32 {
        self.last = (at, from + pages);
        self.region.chunks[at].0 * self.chunk_pages + from
    }
}
