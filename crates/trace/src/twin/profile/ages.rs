//! Places in the order of their last request, so that one of a wanted age is found at once.

use super::kind::ENDS;
use super::place::Place;
use crate::generate::rng::Rng;

/// Stands for a place that has left.
const GONE: u32 = u32::MAX;
/// Entries beyond twice the living ones that are tolerated before the list is packed.
const SLACK: usize = 1024;
/// Entries that are looked through for a living one, each way.
const STEPS: usize = 64;
/// Places that are looked at for one of the wanted size.
const ALIKE: u32 = 8;

/// What a place should be like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub bytes: u32,
    /// Whether it is the rest of one.
    pub rest: bool,
    /// Whether the other operation may have touched it.
    pub seen: bool,
    /// The number of the request: what begins where a recent one ended would continue it.
    pub number: u32,
}

/// The best of the places that were looked at.
struct Found {
    id: u32,
    fits: u8,
    looks: u32,
}

impl Found {
    /// Looks at one more; whether that is enough.
    #[inline]
    fn looks_at(&mut self, id: u32, places: &[Place], wanted: Wanted) -> bool {
        if id == GONE {
            return false;
        }
        let place = &places[id as usize];
        let since = wanted.number.wrapping_sub(place.behind);
        let continues = place.behind > 0 && since < ENDS as u32;
        let fits = 1
            + 8 * u8::from(!continues)
            + 4 * u8::from(place.rest == wanted.rest)
            + 2 * u8::from(place.bytes == wanted.bytes)
            + u8::from(!place.seen || wanted.seen);
        if fits > self.fits {
            (self.id, self.fits) = (id, fits);
        }
        self.looks -= 1;
        self.looks == 0 || self.fits == 16
    }
}

/// A place in a list, and when its last request was.
#[derive(Debug, Clone, Copy)]
struct Entry {
    id: u32,
    stamp: u32,
}

/// A list of places, oldest first. A place says itself where it stands here.
#[derive(Debug)]
pub(super) struct AgeList {
    entries: Vec<Entry>,
    living: usize,
    /// Entries before `cuts[b]` are at least as old as the edge above bin b.
    cuts: Vec<usize>,
}

impl AgeList {
    pub fn new(edges: usize) -> Self {
        Self { entries: Vec::new(), living: 0, cuts: vec![0; edges] }
    }

    pub fn is_empty(&self) -> bool {
        self.living == 0
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.living
    }

    #[cfg(test)]
    pub fn id_at(&self, at: u32) -> u32 {
        self.entries[at as usize].id
    }

    pub fn push(&mut self, id: u32, places: &mut [Place]) {
        if self.entries.len() > 2 * self.living + SLACK {
            self.pack(places);
        }
        let place = &mut places[id as usize];
        place.at = self.entries.len() as u32;
        self.entries.push(Entry { id, stamp: place.stamp });
        self.living += 1;
    }

    pub fn remove(&mut self, at: u32) {
        self.entries[at as usize].id = GONE;
        self.living -= 1;
    }

    /// A place of `bin`, of those that are met first the one that is most like what is wanted; `None` where the
    /// bin is empty. It stays in the list.
    pub fn find(
        &mut self,
        bin: usize,
        now: u32,
        edges: &[u32],
        places: &[Place],
        wanted: Wanted,
        rng: &mut Rng,
    ) -> Option<u32> {
        let high = if bin == 0 { self.entries.len() } else { self.cut(bin - 1, now, edges) };
        let low = if bin == edges.len() { 0 } else { self.cut(bin, now, edges) };
        if low >= high {
            return None;
        }
        let at = low + rng.below((high - low) as u64) as usize;
        let mut best = Found { id: GONE, fits: 0, looks: ALIKE };
        // Down from there, and up if that is not enough.
        for entry in self.entries[low.max(at.saturating_sub(STEPS))..=at].iter().rev() {
            if best.looks_at(entry.id, places, wanted) {
                return Some(best.id);
            }
        }
        for entry in &self.entries[at + 1..high.min(at + 1 + STEPS)] {
            if best.looks_at(entry.id, places, wanted) {
                break;
            }
        }
        (best.id != GONE).then_some(best.id)
    }

    /// Moves the cut to where it stands now: entries grow old, none grows young.
    fn cut(&mut self, bin: usize, now: u32, edges: &[u32]) -> usize {
        let old = |entry: &Entry| entry.id == GONE || now - entry.stamp >= edges[bin];
        let mut cut = self.cuts[bin];
        while self.entries.get(cut).is_some_and(old) {
            cut += 1;
        }
        self.cuts[bin] = cut;
        cut
    }

    /// Closes the gaps.
    fn pack(&mut self, places: &mut [Place]) {
        let mut marks: Vec<&mut usize> = self.cuts.iter_mut().collect();
        marks.sort_unstable();
        let mut marks = marks.into_iter().peekable();
        let mut kept = 0;
        for at in 0..self.entries.len() {
            while let Some(mark) = marks.next_if(|mark| **mark == at) {
                *mark = kept;
            }
            let entry = self.entries[at];
            if entry.id != GONE {
                places[entry.id as usize].at = kept as u32;
                self.entries[kept] = entry;
                kept += 1;
            }
        }
        marks.for_each(|mark| *mark = kept);
        self.entries.truncate(kept);
    }
}
