//! Free times of a channel, in order.

/// A free time: from, to.
pub type Gap = (u64, u64);

/// Places that stay free however few gaps there are.
const FREE_MAX: usize = 64;

/// Gaps in order of time: the first ones end, and any may be split or filled.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    /// Behind places that are free.
    places: Vec<Gap>,
    /// How many are free.
    free: usize,
}

impl Gaps {
    /// All of them.
    #[inline]
    pub fn as_slice(&self) -> &[Gap] {
        &self.places[self.free..]
    }

    /// All of them, to be changed.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [Gap] {
        &mut self.places[self.free..]
    }

    /// One behind all others.
    #[inline]
    pub fn push(&mut self, gap: Gap) {
        // Soon, so that they stay in the same lines of the cache.
        if self.free > FREE_MAX && self.free > self.places.len() / 2 {
            self.places.drain(..self.free);
            self.free = 0;
        }
        self.places.push(gap);
    }

    /// The first ones are gone.
    pub fn remove_first(&mut self, count: usize) {
        self.free += count;
        debug_assert!(self.free <= self.places.len(), "there are not so many");
    }

    /// One more, which gets this place; those on its shorter side make room.
    pub fn insert(&mut self, at: usize, gap: Gap) {
        if self.free == 0 || at > self.as_slice().len() / 2 {
            return self.places.insert(self.free + at, gap);
        }
        self.places.copy_within(self.free..self.free + at, self.free - 1);
        self.free -= 1;
        self.places[self.free + at] = gap;
    }

    /// One is gone; those on its shorter side close up.
    pub fn remove(&mut self, at: usize) {
        if at > self.as_slice().len() / 2 {
            self.places.remove(self.free + at);
            return;
        }
        self.places.copy_within(self.free..self.free + at, self.free + 1);
        self.free += 1;
    }
}
