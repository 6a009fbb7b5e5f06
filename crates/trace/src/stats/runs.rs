//! Requests that continue earlier ones.

/// How many of the last requests may be continued.
pub const RECENT: usize = 32;

/// Requests of one kind on one volume, and how many of them continue another.
#[derive(Debug, Clone)]
pub(super) struct Runs {
    /// One past the last byte of each of the last requests; the newest at `newest`.
    ends: [u64; RECENT],
    /// Blocks of 4 KiB up to there without a gap.
    lengths: [u64; RECENT],
    newest: usize,
    pub counts: Counts,
}

/// What was counted of a kind of requests.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// Requests, and their bytes, that begin where the last one of their kind ended.
    pub after_last: (u64, u64),
    /// … where one of the last [`RECENT`] ended.
    pub after_recent: (u64, u64),
    /// Blocks of 4 KiB that were the first or second in a row.
    pub short: u64,
    /// Blocks of 4 KiB in all.
    pub blocks: u64,
}

/// Blocks of a sequence that still count as short; Margaglia et al., FAST 2016, section 5.3.
const SHORT_BLOCKS: u64 = 2;

impl Default for Runs {
    fn default() -> Self {
        // No request begins at the end of the address space.
        Self {
            ends: [u64::MAX; RECENT],
            lengths: [0; RECENT],
            newest: 0,
            counts: Counts::default(),
        }
    }
}

impl Runs {
    /// Counts the request for the bytes `offset..end`.
    #[inline]
    pub fn add(&mut self, offset: u64, end: u64) {
        let bytes = end - offset;
        let mut length = 0;
        if self.ends[self.newest] == offset {
            self.counts.after_last.0 += 1;
            self.counts.after_last.1 += bytes;
        }
        if self.continues(offset) {
            self.counts.after_recent.0 += 1;
            self.counts.after_recent.1 += bytes;
            length = self.length_at(offset);
        }
        let blocks = ((end - 1) >> 12) - (offset >> 12) + 1;
        self.counts.blocks += blocks;
        self.counts.short += blocks.min(SHORT_BLOCKS.saturating_sub(length));
        self.newest = (self.newest + 1) % RECENT;
        self.ends[self.newest] = end;
        self.lengths[self.newest] = length + blocks;
    }

    /// Whether a recent request ends at `offset`; without a branch, so that all compare at once.
    #[inline]
    fn continues(&self, offset: u64) -> bool {
        self.ends.iter().fold(false, |found, &end| found | (end == offset))
    }

    /// The longest sequence that ends at `offset`.
    fn length_at(&self, offset: u64) -> u64 {
        let ending = self.ends.iter().zip(&self.lengths).filter(|&(&end, _)| end == offset);
        ending.map(|(_, &length)| length).max().unwrap_or(0)
    }
}

impl Counts {
    /// Counts what `other` counted.
    pub fn merge(&mut self, other: &Self) {
        let add = |ours: &mut (u64, u64), theirs: (u64, u64)| {
            ours.0 += theirs.0;
            ours.1 += theirs.1;
        };
        add(&mut self.after_last, other.after_last);
        add(&mut self.after_recent, other.after_recent);
        self.short += other.short;
        self.blocks += other.blocks;
    }
}
