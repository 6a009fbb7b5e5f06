//! Places in the order of their last write, so that one of a wanted age is found at once.

use crate::generate::rng::Rng;

/// Stands for a place that has been taken.
const GONE: u32 = u32::MAX;

/// Entries beyond twice the living ones that are tolerated before the list is packed.
const SLACK: usize = 1024;

/// Entries that are looked through for the one behind another.
const FOLLOW_STEPS: usize = 64;

/// A list of places, oldest first. Whoever is rewritten leaves a gap and comes in again at the
/// end; gaps are closed when they are as many as the places. Eight bytes an entry, two entries a
/// place at most.
#[derive(Debug)]
pub(super) struct Ages {
    places: Vec<u32>,
    stamps: Vec<u32>,
    living: usize,
    /// Ages, in ticks, that part the bins; rising.
    edges: Vec<u32>,
    /// Entries before `cuts[b]` are at least `edges[b]` old.
    cuts: Vec<usize>,
    /// Places in each bin, the youngest first.
    alive: Vec<u32>,
    /// Where to look for the successor of the place that was taken last.
    resume: usize,
    /// Entries looked through since the list was packed.
    looked: usize,
}

impl Ages {
    pub fn new(edges: Vec<u32>) -> Self {
        let (cuts, alive) = (vec![0; edges.len()], vec![0; edges.len() + 1]);
        let (places, stamps) = (Vec::new(), Vec::new());
        Self { places, stamps, living: 0, edges, cuts, alive, resume: 0, looked: 0 }
    }

    /// Adds `place`, written at `now`; where it stands goes to `at`, by place.
    pub fn push(&mut self, place: u32, now: u32, at: &mut [u32]) {
        let waste = self.places.len() > 2 * self.living + SLACK;
        if waste || self.looked > 4 * self.places.len() + SLACK {
            self.pack(at);
        }
        at[place as usize] = self.places.len() as u32;
        self.places.push(place);
        self.stamps.push(now);
        self.living += 1;
        self.alive[0] += 1;
    }

    /// Lets time go on to `now`.
    pub fn advance(&mut self, now: u32) {
        let mut end = self.places.len();
        for bin in 0..self.edges.len() {
            let mut cut = self.cuts[bin];
            while cut < end && now - self.stamps[cut] >= self.edges[bin] {
                if self.places[cut] != GONE {
                    self.alive[bin] -= 1;
                    self.alive[bin + 1] += 1;
                }
                cut += 1;
            }
            self.cuts[bin] = cut;
            end = cut;
        }
    }

    /// Whether `bin` holds a place.
    pub fn has(&self, bin: usize) -> bool {
        self.alive[bin] > 0
    }

    /// The bin with a place that is nearest to `bin`.
    pub fn nearest(&self, bin: usize) -> Option<usize> {
        (0..self.alive.len()).filter(|&b| self.has(b)).min_by_key(|&b| b.abs_diff(bin))
    }

    /// Takes a place out of `bin`, which holds one: any if `youth` is 1; the larger it is, the
    /// younger within the bin. In the last bin it is any, or its oldest would never be taken.
    pub fn take(&mut self, bin: usize, youth: f64, rng: &mut Rng) -> u32 {
        let (low, high) = self.range(bin);
        let draw = rng.unit();
        let depth =
            if youth == 1.0 || bin == self.edges.len() { draw } else { libm::pow(draw, youth) };
        let first = high - 1 - (((high - low) as f64 * depth) as usize).min(high - low - 1);
        let living = |&at: &usize| self.places[at] != GONE;
        let found =
            (low..=first).rev().find(living).or_else(|| (first + 1..high).rev().find(living));
        let at = found.expect("the bin holds a place");
        self.looked += if at <= first { first - at } else { first + high - at - low };
        self.remove(at, bin)
    }

    /// Takes the place that was written right after the one taken last, with its bin.
    pub fn take_next(&mut self) -> Option<(u32, usize)> {
        let end = self.places.len().min(self.resume + FOLLOW_STEPS);
        let at = (self.resume..end).find(|&at| self.places[at] != GONE)?;
        let bin = self.bin_at(at);
        Some((self.remove(at, bin), bin))
    }

    /// The bin of the entry that stands at `at`.
    pub fn bin_at(&self, at: usize) -> usize {
        self.cuts.iter().position(|&cut| at >= cut).unwrap_or(self.cuts.len())
    }

    /// Takes the place that stands at `at`, in `bin`.
    pub fn take_at(&mut self, at: usize, bin: usize) {
        self.remove(at, bin);
    }

    fn range(&self, bin: usize) -> (usize, usize) {
        let low = self.cuts.get(bin).copied().unwrap_or(0);
        let high = if bin == 0 { self.places.len() } else { self.cuts[bin - 1] };
        (low, high)
    }

    fn remove(&mut self, at: usize, bin: usize) -> u32 {
        self.living -= 1;
        self.alive[bin] -= 1;
        self.resume = at + 1;
        std::mem::replace(&mut self.places[at], GONE)
    }

    /// Closes the gaps.
    fn pack(&mut self, at: &mut [u32]) {
        let mut kept = 0;
        let mut marks: Vec<&mut usize> =
            self.cuts.iter_mut().rev().chain([&mut self.resume]).collect();
        marks.sort_unstable();
        let mut marks = marks.into_iter().peekable();
        for from in 0..self.places.len() {
            while let Some(mark) = marks.next_if(|mark| **mark == from) {
                *mark = kept;
            }
            if self.places[from] != GONE {
                at[self.places[from] as usize] = kept as u32;
                self.places[kept] = self.places[from];
                self.stamps[kept] = self.stamps[from];
                kept += 1;
            }
        }
        marks.for_each(|mark| *mark = kept);
        self.places.truncate(kept);
        self.stamps.truncate(kept);
        self.looked = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Ages, Rng};
    use proptest::prelude::*;

    /// Ages the slow way: pairs of place and stamp.
    #[derive(Default)]
    struct Naive(Vec<(u32, u32)>);

    impl Naive {
        fn in_bin(&self, edges: &[u32], bin: usize, now: u32) -> Vec<u32> {
            let of = |stamp: u32| edges.iter().filter(|&&edge| now - stamp >= edge).count();
            self.0.iter().filter(|entry| of(entry.1) == bin).map(|entry| entry.0).collect()
        }
    }

    proptest! {
        #[test]
        fn bins_hold_what_is_of_their_age(
            steps in prop::collection::vec((0u32..4, 0u32..9, any::<bool>()), 1..4000),
            seed: u64,
        ) {
            let edges = vec![3, 10, 40];
            let (mut ages, mut naive) = (Ages::new(edges.clone()), Naive::default());
            let mut rng = Rng::new(seed, "test");
            let mut at = vec![0; 4000];
            let (mut now, mut fresh) = (0, 0);
            for (bin, pause, follow) in steps {
                now += pause / 6;
                ages.advance(now);
                let bin = bin as usize;
                let expected = naive.in_bin(&edges, bin, now);
                prop_assert_eq!(ages.has(bin), !expected.is_empty());
                let followed = if follow { ages.take_next() } else { None };
                let place = match followed {
                    Some((place, bin)) => {
                        prop_assert!(naive.in_bin(&edges, bin, now).contains(&place));
                        place
                    }
                    None if expected.is_empty() => {
                        fresh += 1;
                        fresh - 1
                    }
                    None => {
                        let place = ages.take(bin, 1.0 + f64::from(pause), &mut rng);
                        prop_assert!(expected.contains(&place));
                        place
                    }
                };
                naive.0.retain(|entry| entry.0 != place);
                naive.0.push((place, now));
                ages.push(place, now, &mut at);
                for &(place, _) in &naive.0 {
                    prop_assert_eq!(ages.places[at[place as usize] as usize], place);
                }
            }
        }
    }

    #[test]
    fn places_follow_in_the_order_of_their_writes() {
        let mut ages = Ages::new(vec![5, 100]);
        let mut at = [0; 10];
        (0..10).for_each(|place| ages.push(place, place, &mut at));
        ages.advance(9);
        let mut rng = Rng::new(1, "test");
        let first = ages.take(1, 1000.0, &mut rng);
        assert_eq!(first, 4);
        ages.push(first, 9, &mut at);
        assert_eq!(ages.take_next(), Some((5, 0)));
        assert_eq!(ages.take_next(), Some((6, 0)));
    }
}
