//! Free times of a channel, in order.

/// A free time: from, to.
pub type Gap = (u64, u64);

/// Places that stay free before the first gap however few gaps there are.
const FREE_MAX: usize = 64;

/// Places by which the hole grows when it is full.
const ROOM: usize = 32;

/// Gaps in order of time: the first ones end, and any may be split or filled.
///
/// Bookings of one die follow one another, so that a gap is mostly split where the one before it was: there the gaps
/// have a hole, as the text in an editor's buffer has, and few of them move for another.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    /// Free ones, gaps, the hole, and the other gaps.
    places: Vec<Gap>,
    /// The place of the first gap, where one of them stands before the hole.
    first: usize,
    /// The hole, and what comes behind it.
    hole: usize,
    behind: usize,
}

impl Gaps {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.before() + self.places.len() - self.behind
    }

    /// How many stand before the hole.
    #[inline]
    fn before(&self) -> usize {
        self.hole - self.first
    }

    /// Those before the hole, and those behind it.
    #[inline]
    pub fn parts(&self) -> (&[Gap], &[Gap]) {
        (&self.places[self.first..self.hole], &self.places[self.behind..])
    }

    /// The place of one of them, or of what would be the next one.
    #[inline]
    fn place_of(&self, at: usize) -> usize {
        let place = self.first + at;
        if place < self.hole { place } else { place + (self.behind - self.hole) }
    }

    /// One of them.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&Gap> {
        self.places.get(self.place_of(at))
    }

    /// One of the gaps, to be changed.
    #[inline]
    pub fn get_mut(&mut self, at: usize) -> Option<&mut Gap> {
        let place = self.place_of(at);
        self.places.get_mut(place)
    }

    /// One behind all others.
    #[inline]
    pub fn push(&mut self, gap: Gap) {
        // Soon, so that they stay in the same lines of the cache.
        if self.first > FREE_MAX && self.first > self.places.len() / 2 {
            self.places.drain(..self.first);
            (self.hole, self.behind) = (self.hole - self.first, self.behind - self.first);
            self.first = 0;
        }
        self.places.push(gap);
    }

    /// The first ones are gone.
    pub fn remove_first(&mut self, count: usize) {
        debug_assert!(count <= self.len(), "there are not so many");
        let before = self.before();
        if count < before {
            self.first += count;
            return;
        }
        // What was the hole is free as well.
        self.behind += count - before;
        (self.first, self.hole) = (self.behind, self.behind);
    }

    /// One more, which gets this place: those before it make room, or it stands in the hole.
    #[inline]
    pub fn insert(&mut self, at: usize, gap: Gap) {
        let before = self.before();
        if self.first > 0 && at <= before / 2 {
            self.places.copy_within(self.first..self.first + at, self.first - 1);
            self.first -= 1;
            self.places[self.first + at] = gap;
            return;
        }
        self.move_hole(at);
        if self.hole == self.behind {
            self.make_room();
        }
        self.places[self.hole] = gap;
        self.hole += 1;
    }

    /// One is gone: those before it close up, or the hole takes it in.
    pub fn remove(&mut self, at: usize) {
        if at < self.before() / 2 {
            self.places.copy_within(self.first..self.first + at, self.first + 1);
            self.first += 1;
            return;
        }
        self.move_hole(at);
        self.behind += 1;
    }

    /// So many gaps stand before the hole from now on.
    #[inline]
    fn move_hole(&mut self, at: usize) {
        let before = self.before();
        if at < before {
            let count = before - at;
            self.places.copy_within(self.hole - count..self.hole, self.behind - count);
            (self.hole, self.behind) = (self.hole - count, self.behind - count);
        } else {
            let count = at - before;
            self.places.copy_within(self.behind..self.behind + count, self.hole);
            (self.hole, self.behind) = (self.hole + count, self.behind + count);
        }
    }

    /// The hole takes the free places before the first gap, or new ones.
    #[cold]
    fn make_room(&mut self) {
        if self.first > 0 {
            self.places.copy_within(self.first..self.hole, 0);
            (self.first, self.hole) = (0, self.hole - self.first);
        } else {
            let end = self.places.len();
            self.places.resize(end + ROOM, (0, 0));
            self.places.copy_within(self.behind..end, self.behind + ROOM);
            self.behind += ROOM;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Gap, Gaps};
    use proptest::prelude::*;

    proptest! {
        /// What is done to gaps leaves those that it leaves in a plain vector.
        #[test]
        fn the_hole_shows_nowhere(steps in prop::collection::vec((0..5u8, any::<prop::sample::Index>()), 1..400)) {
            let (mut gaps, mut plain) = (Gaps::default(), Vec::<Gap>::new());
            for (number, (step, place)) in steps.into_iter().enumerate() {
                let gap = (number as u64, 0);
                let at = place.index(plain.len() + 1);
                match step {
                    0 | 1 => {
                        gaps.insert(at, gap);
                        plain.insert(at, gap);
                    }
                    2 => {
                        gaps.push(gap);
                        plain.push(gap);
                    }
                    3 if at < plain.len() => {
                        gaps.remove(at);
                        plain.remove(at);
                    }
                    _ => {
                        gaps.remove_first(at / 4);
                        plain.drain(..at / 4);
                    }
                }
                prop_assert_eq!(gaps.len(), plain.len());
                let (before, behind) = gaps.parts();
                prop_assert_eq!(&[before, behind].concat(), &plain);
                prop_assert!((0..=plain.len()).all(|at| gaps.get(at) == plain.get(at)));
                prop_assert_eq!(gaps.get_mut(at), plain.get_mut(at));
            }
        }
    }
}
