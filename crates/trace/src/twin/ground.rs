//! Where places lie: the address space, taken chunk by chunk as it is first touched.

use crate::generate::rng::{Chance, Rng};

/// Chunks that a region fills side by side, at most.
const MAX_STREAMS: f64 = 16.0;

/// Chunks of the address space and who has them. A chunk goes to writes, to reads, or to both.
#[derive(Debug)]
pub(super) struct Ground {
    chunk_pages: u32,
    chunks: u32,
    /// Chunks of writes that no reads have joined, and the other way round; both first come,
    /// first served.
    unread: Joinable,
    unwritten: Joinable,
}

#[derive(Debug, Default)]
struct Joinable {
    chunks: Vec<u32>,
    next: usize,
}

impl Joinable {
    fn take(&mut self) -> Option<u32> {
        let chunk = self.chunks.get(self.next).copied();
        self.next += usize::from(chunk.is_some());
        chunk
    }
}

impl Ground {
    pub fn new(chunk_pages: u32) -> Self {
        let (unread, unwritten) = (Joinable::default(), Joinable::default());
        Self { chunk_pages, chunks: 0, unread, unwritten }
    }

    pub fn chunk_pages(&self) -> u32 {
        self.chunk_pages
    }

    fn fresh(&mut self) -> u32 {
        self.chunks += 1;
        self.chunks - 1
    }

    /// A chunk to write to.
    fn chunk_to_write(&mut self) -> u32 {
        self.unwritten.take().unwrap_or_else(|| {
            let chunk = self.fresh();
            self.unread.chunks.push(chunk);
            chunk
        })
    }

    /// A chunk to read from, one that is written as well if `shared`.
    fn chunk_to_read(&mut self, shared: bool) -> u32 {
        if !shared {
            return self.fresh();
        }
        self.unread.take().unwrap_or_else(|| {
            let chunk = self.fresh();
            self.unwritten.chunks.push(chunk);
            chunk
        })
    }
}

/// Places of one kind: chunks that are filled from their beginning, several side by side.
#[derive(Debug)]
pub(super) struct Region {
    streams: usize,
    last: usize,
    sequential: Chance,
    open: Vec<usize>,
    /// Every chunk that it has: which, and how many of its pages are taken.
    pub chunks: Vec<(u32, u32)>,
}

impl Region {
    /// A region that will hold about `pages`; `sequential` is the share of places that lie behind
    /// the one before.
    pub fn new(pages: f64, chunk_pages: u32, sequential: f64) -> Self {
        let streams = (pages / (4.0 * f64::from(chunk_pages))).clamp(1.0, MAX_STREAMS) as usize;
        let sequential = Chance::new(sequential);
        Self { streams, last: 0, sequential, open: Vec::new(), chunks: Vec::new() }
    }

    /// Takes `pages` to write to; the first page.
    pub fn take_to_write(&mut self, pages: u32, ground: &mut Ground, rng: &mut Rng) -> u32 {
        let at = self.chunk_for(pages, ground.chunk_pages, rng, || ground.chunk_to_write());
        self.fill(at, pages, ground.chunk_pages)
    }

    /// Takes `pages` to write to that begin at page `page`, where a chunk goes on there and has room;
    /// whether it has.
    pub fn take_behind(&mut self, page: u32, pages: u32, chunk_pages: u32) -> bool {
        let open = self.open.iter().copied().find(|&at| {
            let (chunk, used) = self.chunks[at];
            chunk * chunk_pages + used == page && used + pages <= chunk_pages
        });
        open.inspect(|&at| self.chunks[at].1 += pages).is_some()
    }

    /// Takes `pages` to read from; the place of the chunk in `chunks`, and the first page.
    pub fn take_to_read(
        &mut self,
        pages: u32,
        ground: &mut Ground,
        overlap: Chance,
        rng: &mut Rng,
    ) -> (usize, u32) {
        let shared = rng.happens(overlap);
        let at = self.chunk_for(pages, ground.chunk_pages, rng, || ground.chunk_to_read(shared));
        (at, self.fill(at, pages, ground.chunk_pages))
    }

    fn fill(&mut self, at: usize, pages: u32, chunk_pages: u32) -> u32 {
        let (chunk, used) = self.chunks[at];
        self.chunks[at].1 += pages;
        chunk * chunk_pages + used
    }

    fn chunk_for(
        &mut self,
        pages: u32,
        chunk_pages: u32,
        rng: &mut Rng,
        fresh: impl FnOnce() -> u32,
    ) -> usize {
        if self.streams > 1 && !rng.happens(self.sequential) {
            self.last = (self.last + 1) % self.streams;
        }
        let last = self.last;
        if let Some(&at) =
            self.open.get(last).filter(|&&at| self.chunks[at].1 + pages <= chunk_pages)
        {
            return at;
        }
        self.chunks.push((fresh(), 0));
        let at = self.chunks.len() - 1;
        match self.open.get_mut(last) {
            Some(open) => *open = at,
            None => self.open.resize(last + 1, at),
        }
        at
    }
}
