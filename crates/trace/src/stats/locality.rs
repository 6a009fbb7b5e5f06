//! Where writes go beside earlier ones: behind which they begin, how many parts they leave when those of a
//! while are merged, and how far back the data is that they rewrite.

use super::histogram::Histogram;
use super::pages::Page;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// Requests that begin where one of so long ago ended are behind a recent one.
const RECENT_S: u64 = 30;
/// Bytes of a part.
const PART_BYTES: u64 = 96 * 1024;
/// Windows in which parts are merged, seconds.
const WINDOWS_S: [u64; 3] = [30, 300, 3000];
/// Writes of fewer bytes are of the first class, of the second, or of the last.
const CLASS_KIB: [u32; 2] = [16, 64];

const CLASSES: usize = CLASS_KIB.len() + 1;
const NS_PER_S: u64 = 1_000_000_000;

/// Where writes go beside earlier ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LocalityStats {
    /// Share of the reads that begin where a read of the last 30 s ended.
    pub reads_behind_recent_share: Option<f64>,
    /// Share of the writes that begin where a write of the last 30 s ended.
    pub writes_behind_recent_share: Option<f64>,
    /// Share of the writes that begin where any earlier write ended.
    pub writes_behind_any_share: Option<f64>,
    /// Parts that are left when writes are merged, by the window of time.
    pub merged_parts: Vec<MergedParts>,
    /// Data that is written again, by the size of the writes.
    pub rewrites: Vec<Rewrites>,
    /// Correlation of the successive intervals of pages, each by its octave: 0 where a page that was
    /// rewritten soon is rewritten soon again no more often than any.
    pub interval_correlation: Option<f64>,
}

/// Parts that are left of those that writes touch: aligned ranges of 96 KiB, as Centaur programs them
/// (Liu et al., POMACS 4(2):28, 2020, Table 2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedParts {
    /// Length of a window.
    pub window_s: f64,
    /// Distinct parts of each window over all parts.
    pub left_share: Option<f64>,
}

/// Pages of 16 KiB that are written by writes of one class of sizes. Percentiles are up to a 128th too
/// low.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rewrites {
    /// Writes of fewer KiB, and not of the class before; `None` for the largest.
    pub below_kib: Option<u32>,
    /// Pages written.
    pub pages: u64,
    /// Share of them that had been written before.
    pub rewritten_share: Option<f64>,
    /// Median of what the volume had written since.
    pub p50_mib: Option<f64>,
    /// 90th percentile.
    pub p90_mib: Option<f64>,
}

/// The class of a write of so many bytes.
#[inline]
fn class_of(bytes: u32) -> usize {
    CLASS_KIB.iter().position(|&kib| bytes < kib * 1024).unwrap_or(CLASSES - 1)
}

/// What a volume remembers of its last requests, and what it counted.
#[derive(Debug, Default)]
pub(super) struct Locality {
    reads: Ends,
    writes: Ends,
    windows: [Window; WINDOWS_S.len()],
    pub counts: Counts,
}

/// What adds up over volumes.
#[derive(Debug, Default)]
pub(super) struct Counts {
    behind_recent_reads: u64,
    behind_recent_writes: u64,
    /// Writes of whose first byte the page was looked at, and those that begin where any ended.
    begun: u64,
    behind_any: u64,
    parts: u64,
    left: [u64; WINDOWS_S.len()],
    /// 4 KiB written so far.
    written_4k: u64,
    rewrites: [Rewritten; CLASSES],
}

/// Pages written by a class of writes, and how much had been written since those that were before.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    pages: u64,
    kib: Histogram,
}

/// Ends of the requests of the last while.
#[derive(Debug, Default)]
struct Ends {
    at_ns: FxHashMap<u64, u64>,
    pruned_ns: u64,
}

impl Ends {
    /// Whether a recent request ended at `offset`; remembers that this one ends at `end`.
    fn follow(&mut self, offset: u64, end: u64, now_ns: u64) -> bool {
        let oldest_ns = now_ns.saturating_sub(RECENT_S * NS_PER_S);
        if now_ns - self.pruned_ns > RECENT_S * NS_PER_S {
            self.at_ns.retain(|_, at_ns| *at_ns >= oldest_ns);
            self.pruned_ns = now_ns;
        }
        let found = self.at_ns.get(&offset).is_some_and(|&at_ns| at_ns >= oldest_ns);
        self.at_ns.insert(end, now_ns);
        found
    }
}

/// Parts that the writes of a window touch.
#[derive(Debug, Default)]
struct Window {
    number: u64,
    parts: FxHashSet<u64>,
}

/// Sums over pairs of successive intervals of a page, in octaves.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Successive {
    pairs: u64,
    sums: [u64; 2],
    squares: [u64; 2],
    products: u64,
}

impl Locality {
    /// Counts a read of the bytes `offset..end`.
    pub fn read(&mut self, offset: u64, end: u64, now_ns: u64) {
        self.counts.behind_recent_reads += u64::from(self.reads.follow(offset, end, now_ns));
    }

    /// Counts a write of the bytes `offset..end`.
    pub fn write(&mut self, offset: u64, end: u64, now_ns: u64) {
        self.counts.behind_recent_writes += u64::from(self.writes.follow(offset, end, now_ns));
        self.counts.written_4k += (end - offset).div_ceil(4096);
        let (first, last) = (offset / PART_BYTES, (end - 1) / PART_BYTES);
        self.counts.parts += last - first + 1;
        let windows = self.windows.iter_mut().zip(&mut self.counts.left).zip(WINDOWS_S);
        for ((window, left), length_s) in windows {
            let number = now_ns / (length_s * NS_PER_S);
            if number != window.number {
                window.number = number;
                window.parts.clear();
            }
            *left += (first..=last).filter(|&part| window.parts.insert(part)).count() as u64;
        }
    }
}

impl Rewritten {
    /// A page is written; it was before so many KiB, if ever.
    #[inline]
    pub fn add(&mut self, kib: Option<u64>) {
        self.pages += 1;
        if let Some(kib) = kib {
            self.kib.add(kib);
        }
    }
}

impl Successive {
    /// An interval follows one of `before`; both in octaves.
    #[inline]
    pub fn add(&mut self, before: u64, octave: u64) {
        self.pairs += 1;
        for (place, value) in [before, octave].into_iter().enumerate() {
            self.sums[place] += value;
            self.squares[place] += value * value;
        }
        self.products += before * octave;
    }

    /// Adds another volume's.
    pub fn merge(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.products += other.products;
        for place in 0..2 {
            self.sums[place] += other.sums[place];
            self.squares[place] += other.squares[place];
        }
    }

    /// Their correlation; `None` where either does not vary.
    pub fn correlation(&self) -> Option<f64> {
        let n = self.pairs as f64;
        let [a, b] = self.sums.map(|sum| sum as f64 / n);
        let [aa, bb] = self.squares.map(|sum| sum as f64 / n);
        let spread = (aa - a * a) * (bb - b * b);
        (spread > 1e-9).then(|| (self.products as f64 / n - a * b) / spread.sqrt())
    }
}

impl Counts {
    /// Counts that a page is written by a write of `bytes`.
    #[inline]
    pub fn page(&mut self, page: &mut Page, bytes: u32) {
        let now_4k = self.written_4k as u32;
        let since =
            (page.written != 0).then(|| u64::from(now_4k.wrapping_sub(page.written_4k)) * 4);
        page.written_4k = now_4k;
        self.rewrites[class_of(bytes)].add(since);
    }

    /// Counts where a write begins whose first page was looked at, and that it has passed.
    #[inline]
    pub fn began(&mut self, behind_any: bool) {
        self.begun += 1;
        self.behind_any += u64::from(behind_any);
    }

    /// Adds another volume's.
    pub fn merge(&mut self, other: &Self) {
        self.behind_recent_reads += other.behind_recent_reads;
        self.behind_recent_writes += other.behind_recent_writes;
        self.begun += other.begun;
        self.behind_any += other.behind_any;
        self.parts += other.parts;
        self.left.iter_mut().zip(other.left).for_each(|(ours, theirs)| *ours += theirs);
        for (ours, theirs) in self.rewrites.iter_mut().zip(&other.rewrites) {
            ours.pages += theirs.pages;
            ours.kib.merge(&theirs.kib);
        }
    }

    /// The statistics of so many reads and writes; what time decides only where there is time.
    pub fn finish(
        &self,
        (reads, writes): (u64, u64),
        successive: &Successive,
        timed: bool,
    ) -> LocalityStats {
        let share = |part: u64, all: u64| (all > 0).then(|| part as f64 / all as f64);
        let merged = |(&window_s, &left): (&u64, &u64)| MergedParts {
            window_s: window_s as f64,
            left_share: share(left, self.parts),
        };
        let windows = WINDOWS_S.iter().zip(&self.left).filter(|_| timed && self.parts > 0);
        let class = |(index, of): (usize, &Rewritten)| {
            let mib = |q| of.kib.quantile(q).map(|kib| kib as f64 / 1024.0);
            Rewrites {
                below_kib: CLASS_KIB.get(index).copied(),
                pages: of.pages,
                rewritten_share: share(of.kib.count(), of.pages),
                p50_mib: mib(0.5),
                p90_mib: mib(0.9),
            }
        };
        LocalityStats {
            reads_behind_recent_share: share(self.behind_recent_reads, reads).filter(|_| timed),
            writes_behind_recent_share: share(self.behind_recent_writes, writes).filter(|_| timed),
            writes_behind_any_share: share(self.behind_any, self.begun),
            merged_parts: windows.map(merged).collect(),
            rewrites: self.rewrites.iter().enumerate().map(class).collect(),
            interval_correlation: successive.correlation().filter(|_| timed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_recent_for_thirty_seconds() {
        let mut ends = Ends::default();
        let mut at_s = |offset, second| ends.follow(offset, offset + 1, second * NS_PER_S);
        assert!(!at_s(7, 10));
        // Ends are pruned now and then only: those of 10 s are still there at 50 s.
        assert!(!at_s(100, 31));
        assert!(!at_s(8, 50));
        assert!(at_s(9, 80));
    }

    #[test]
    fn correlation_is_that_of_the_pairs() {
        let of = |pairs: &[(u64, u64)]| {
            let mut sums = Successive::default();
            pairs.iter().for_each(|&(before, now)| sums.add(before, now));
            sums.correlation()
        };
        assert!((of(&[(1, 2), (2, 4), (5, 10)]).expect("varies") - 1.0).abs() < 1e-9);
        assert!((of(&[(1, 9), (2, 8), (5, 5)]).expect("varies") + 1.0).abs() < 1e-9);
        assert_eq!(of(&[(3, 1), (3, 2)]), None);
    }
}
