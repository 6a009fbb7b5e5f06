//! Where the requests of one operation go: runs, new data, and old data after intervals.

use super::sizes::SizeMeter;
use super::{PAGE_BYTES, pages_of, rounded};
use crate::Request;
use crate::twin::profile::kind::{
    AGE_BINS, BLOCK_BITS, CLASSES, DEPTHS, ENDS, FREQS, GROUPS, Kind, LISTS, NEAR, age_bin,
    class_of, freq_of, list_of, octave, probe,
};
use crate::twin::profile::{Accesses, GroupSizes};
use rustc_hash::{FxHashMap, FxHashSet};

const SECTOR_BYTES: u64 = 512;
const SHIFTS: usize = PAGE_BYTES as usize / SECTOR_BYTES as usize;

/// The last request that touched a page.
#[derive(Debug, Clone, Copy)]
struct Touch {
    offset_bytes: u64,
    bytes: u32,
    list: u8,
    /// Pages that had been touched behind it.
    stamp: u64,
}

/// How often pages are touched.
pub(super) type Touches = FxHashMap<(u32, u64), u32>;

#[derive(Default)]
pub(super) struct AccessMeter {
    /// In the whole trace.
    touches: Touches,
    requests: u64,
    pages: u64,
    touched: FxHashMap<(u32, u64), Touch>,
    /// Where requests ended that none has continued, and which they were.
    ends: FxHashMap<(u32, u64), u64>,
    depths: [[u64; DEPTHS]; 2],
    near: [u64; NEAR],
    shifts: [u64; SHIFTS],
    fresh: u64,
    /// Of those, what the other operation had touched: all, and what begins inside it.
    shared: [u64; 2],
    shared_ages: FxHashMap<(usize, usize), u32>,
    /// Where any request has ended.
    ended: FxHashSet<(u32, u64)>,
    /// Requests that start at old places, by class: those inside one, the others, and those of them that
    /// repeat place and size.
    started: [[u64; CLASSES]; 3],
    freqs: [[u32; FREQS]; 2 * CLASSES],
    intervals: FxHashMap<(usize, usize, usize), u32>,
    sizes: Vec<SizeMeter>,
}

impl AccessMeter {
    pub fn new(touches: Touches) -> Self {
        Self { touches, ..Self::default() }
    }

    /// Counts a request; its kind, and how many pages it is the first to touch.
    pub fn add(&mut self, request: &Request, write: bool, other: &Self) -> (Kind, u64) {
        let (stream, offset_bytes) = (request.stream, request.offset_bytes);
        let bytes = request.size_bytes.max(1);
        let unit = u64::from(PAGE_BYTES);
        let probed = probe(offset_bytes, bytes, unit) / unit;
        let before = self.touched.get(&(stream, probed)).copied();
        let depth = self
            .ends
            .remove(&(stream, offset_bytes))
            .map(|request| self.requests - request)
            .filter(|&depth| depth < ENDS as u64);
        let (continues, old) = (depth.is_some(), before.is_some());
        let kind = Kind { write, continues, old, class: class_of(bytes) };
        let freq = freq_of(self.touches.get(&(stream, probed)).copied().unwrap_or(1));
        let age = before.map_or(0, |touch| self.pages - touch.stamp);
        if !old {
            self.freqs[usize::from(continues) * CLASSES + kind.class][freq] += 1;
        }
        if let Some(depth) = depth {
            self.depths[usize::from(old)][octave(depth, DEPTHS - 1)] += 1;
        } else if let Some(touch) = before {
            self.start_old(kind, request, &touch, age);
        } else {
            self.start_new(stream, offset_bytes, probed, other);
        }
        self.sizes.resize(GROUPS, SizeMeter::default());
        self.sizes[kind.group()].add(bytes, 1.0);
        let behind = self.ended.contains(&(stream, offset_bytes));
        (kind, self.touch(request, list_of(freq, behind, kind.class) as u8))
    }

    fn start_old(&mut self, kind: Kind, request: &Request, touch: &Touch, age: u64) {
        let unit = u64::from(PAGE_BYTES);
        let [within, others, same] = &mut self.started;
        let bytes = request.size_bytes;
        let repeats = (touch.offset_bytes, touch.bytes) == (request.offset_bytes, bytes);
        if request.offset_bytes / unit > touch.offset_bytes / unit {
            within[kind.class] += 1;
        } else {
            others[kind.class] += 1;
            same[kind.class] += u64::from(repeats);
        }
        *self.intervals.entry((kind.class, usize::from(touch.list), age_bin(age))).or_default() +=
            1;
    }

    fn start_new(&mut self, stream: u32, offset_bytes: u64, page: u64, other: &Self) {
        let touched = |page: u64| self.touched.contains_key(&(stream, page));
        let about = |bits: &u32| {
            let first = page >> bits << bits;
            (first..first + (1 << bits)).any(touched)
        };
        let block = BLOCK_BITS.iter().position(about).unwrap_or(BLOCK_BITS.len());
        let below = page > 0 && touched(page - 1);
        self.near[2 * block + usize::from(below)] += 1;
        let shift = offset_bytes % u64::from(PAGE_BYTES) / SECTOR_BYTES;
        self.shifts[shift as usize] += 1;
        self.fresh += 1;
        if let Some(touch) = other.touched.get(&(stream, page)) {
            let unit = u64::from(PAGE_BYTES);
            self.shared[0] += 1;
            self.shared[1] += u64::from(offset_bytes / unit > touch.offset_bytes / unit);
            let key = (usize::from(touch.list), age_bin(other.pages - touch.stamp));
            *self.shared_ages.entry(key).or_default() += 1;
        }
    }

    /// Remembers what a request touches; how many pages are new.
    fn touch(&mut self, request: &Request, list: u8) -> u64 {
        let pages = pages_of(request);
        self.pages += pages.end - pages.start;
        let (offset_bytes, bytes) = (request.offset_bytes, request.size_bytes);
        let touch = Touch { offset_bytes, bytes, list, stamp: self.pages };
        let known = self.touched.len();
        for page in pages {
            self.touched.insert((request.stream, page), touch);
        }
        let end = offset_bytes + u64::from(bytes);
        self.ends.insert((request.stream, end), self.requests);
        self.ended.insert((request.stream, end));
        self.requests += 1;
        if self.ends.len() > 4 * ENDS {
            let oldest = self.requests - ENDS as u64;
            self.ends.retain(|_, request| *request >= oldest);
        }
        (self.touched.len() - known) as u64
    }

    pub fn finish(self) -> Option<Accesses> {
        if self.requests == 0 {
            return None;
        }
        let share =
            |part: u64, of: u64| if of == 0 { 0.0 } else { rounded(part as f64 / of as f64) };
        let [within, others, same] = self.started;
        let inside =
            std::array::from_fn(|class| share(within[class], within[class] + others[class]));
        let same = std::array::from_fn(|class| share(same[class], others[class]));
        let sizes = self.sizes.into_iter().enumerate().filter(|(_, sizes)| !sizes.is_empty());
        let sizes =
            sizes.map(|(group, sizes)| GroupSizes { group: group as u8, sizes: sizes.finish() });
        let [depth_new, depth_old] = self.depths.map(|counts| weights(&counts));
        Some(Accesses {
            pages: self.pages,
            covered_pages: self.touched.len() as u64,
            depth_new,
            depth_old,
            near: weights(&self.near),
            shifts: weights(&self.shifts),
            shared: share(self.shared[0], self.fresh),
            shared_inside: share(self.shared[1], self.shared[0]),
            shared_ages: shared_ages(&self.shared_ages),
            same,
            inside,
            freqs: self.freqs.iter().map(|row| row.to_vec()).collect(),
            intervals: intervals(&self.intervals),
            sizes: sizes.collect(),
        })
    }
}

/// Counts as weights, up to the last that is above 0.
fn weights(counts: &[u64]) -> Vec<f64> {
    let used = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    counts[..used].iter().map(|&count| count as f64).collect()
}

/// A row for each class and list: pairs of a bin and its count.
fn intervals(counts: &FxHashMap<(usize, usize, usize), u32>) -> Vec<Vec<u32>> {
    let mut rows = Vec::new();
    for class in 0..CLASSES {
        for list in 0..LISTS {
            let of = |bin| counts.get(&(class, list, bin)).map(|&count| [bin as u32, count]);
            let pairs: Vec<u32> = (0..AGE_BINS).filter_map(of).flatten().collect();
            if !pairs.is_empty() {
                rows.push([vec![class as u32, list as u32], pairs].concat());
            }
        }
    }
    rows
}

/// A row for each list of the other operation.
fn shared_ages(counts: &FxHashMap<(usize, usize), u32>) -> Vec<Vec<u32>> {
    let row = |list: usize| {
        let of = |bin| counts.get(&(list, bin)).map(|&count| [bin as u32, count]);
        let pairs: Vec<u32> = (0..AGE_BINS).filter_map(of).flatten().collect();
        (!pairs.is_empty()).then(|| [vec![list as u32], pairs].concat())
    };
    (0..LISTS).filter_map(row).collect()
}
