//! Events each of which comes after those that were added before it: none need be sorted in.

/// Keys of which there is room.
const ROOM: usize = 64;

/// Keys in order, as they were added: each is a time, and whatever goes with it.
#[derive(Debug)]
pub struct Trail<P> {
    /// In a ring.
    keys: [(u64, P); ROOM],
    /// Where the first of them is; only its last bits count.
    first: usize,
    /// How many of them there are.
    count: usize,
    /// The time of the first; `u64::MAX`: there is none.
    next_ns: u64,
    /// The time of the last that was added.
    last_ns: u64,
}

impl<P: Copy + Default> Default for Trail<P> {
    fn default() -> Self {
        Self { keys: [(0, P::default()); ROOM], first: 0, count: 0, next_ns: u64::MAX, last_ns: 0 }
    }
}

impl<P: Copy> Trail<P> {
    /// Whether a key of this time, which is before `u64::MAX`, can be added.
    #[inline(always)]
    pub fn takes(&self, time_ns: u64) -> bool {
        time_ns >= self.last_ns && self.count < ROOM
    }

    /// Adds a key that it takes.
    #[inline(always)]
    pub fn put(&mut self, key: (u64, P)) {
        debug_assert!(self.takes(key.0));
        self.keys[self.first.wrapping_add(self.count) % ROOM] = key;
        self.count += 1;
        self.last_ns = key.0;
        self.next_ns = self.next_ns.min(key.0);
    }

    /// The time of the next one; `u64::MAX` when there is none.
    #[inline(always)]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// The next one, of which there is one.
    #[inline(always)]
    pub fn first(&self) -> (u64, P) {
        self.keys[self.first % ROOM]
    }

    /// Takes the next one, of which there is one.
    #[inline(always)]
    pub fn take(&mut self) -> (u64, P) {
        debug_assert!(self.count > 0);
        let key = self.first();
        self.first = self.first.wrapping_add(1);
        self.count -= 1;
        self.next_ns = if self.count == 0 { u64::MAX } else { self.first().0 };
        key
    }
}
