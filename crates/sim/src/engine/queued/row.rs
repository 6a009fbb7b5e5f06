//! Few events, half of which come before all others: the next ones stand in a row, into which a new one is sorted.

use crate::util::Upcoming;

/// Keys of which the row has room, and twice as many places.
const NEAR: usize = 32;
const RING: usize = 2 * NEAR;

/// Keys in order: each is a time, and whatever goes with it.
#[derive(Debug)]
pub struct Row<P> {
    /// The next ones in order, in a ring, half of which is used. None of `far` comes before any of them.
    near: [(u64, P); RING],
    /// Where the first of them is; only its last bits count.
    first: usize,
    /// How many of them there are.
    count: usize,
    /// The time of the first; `u64::MAX`: there is none.
    next_ns: u64,
    far: Upcoming<P>,
}

impl<P: Copy + Default + Ord> Default for Row<P> {
    fn default() -> Self {
        let near = [(0, P::default()); RING];
        Self { near, first: 0, count: 0, next_ns: u64::MAX, far: Upcoming::default() }
    }
}

impl<P: Copy + Ord> Row<P> {
    /// Adds a key, of a time before `u64::MAX`. `is_after` says of a key that is there already that the new one
    /// comes after it: what the order of keys says, too, as long as all of them are different.
    #[inline(always)]
    pub fn put(&mut self, key: (u64, P), is_after: impl Fn(&(u64, P)) -> bool) {
        if key.0 < self.next_ns && self.count < NEAR {
            return self.put_first(key);
        }
        self.put_behind(key, is_after);
    }

    /// Adds a key before all others: half of what comes is such.
    #[inline(always)]
    fn put_first(&mut self, key: (u64, P)) {
        self.first = self.first.wrapping_sub(1);
        self.near[self.first % RING] = key;
        self.count += 1;
        self.next_ns = key.0;
    }

    /// Adds a key that comes after the first one, or that the row has no room for.
    #[inline(never)]
    fn put_behind(&mut self, key: (u64, P), is_after: impl Fn(&(u64, P)) -> bool) {
        assert!(self.count > 0, "no time is u64::MAX");
        if self.count == NEAR || self.far.next_ns() < u64::MAX {
            return self.put_among_many(key);
        }
        self.sort_in(key, is_after);
    }

    /// Sorts a key into the row, which has others, from the side that is nearer.
    #[inline(always)]
    fn sort_in(&mut self, key: (u64, P), is_after: impl Fn(&(u64, P)) -> bool) {
        let (first, end) = (self.first, self.first.wrapping_add(self.count));
        let middle = first.wrapping_add(self.count / 2);
        self.count += 1;
        let mut at;
        if is_after(&self.near[middle % RING]) {
            at = end;
            while !is_after(&self.near[at.wrapping_sub(1) % RING]) {
                self.near[at % RING] = self.near[at.wrapping_sub(1) % RING];
                at = at.wrapping_sub(1);
            }
        } else {
            at = first;
            while is_after(&self.near[at % RING]) {
                self.near[at.wrapping_sub(1) % RING] = self.near[at % RING];
                at = at.wrapping_add(1);
            }
            self.first = first.wrapping_sub(1);
            at = at.wrapping_sub(1);
        }
        self.near[at % RING] = key;
    }

    /// Adds a key that the row has no room for, or that may come after all of it.
    #[inline(never)]
    fn put_among_many(&mut self, key: (u64, P)) {
        let last = self.near[self.first.wrapping_add(self.count).wrapping_sub(1) % RING];
        if last <= key {
            return self.put_far(key);
        }
        if self.count == NEAR {
            self.put_far(last);
            self.count -= 1;
        }
        match key.0 < self.next_ns {
            true => self.put_first(key),
            false => self.sort_in(key, |other| *other <= key),
        }
    }

    fn put_far(&mut self, key: (u64, P)) {
        self.far.put(key, |other| *other <= key);
    }

    /// The next one, of which there is one.
    pub fn first(&self) -> (u64, P) {
        self.near[self.first % RING]
    }

    /// The time of the next one; `u64::MAX` when there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Takes the next one, if its time is not beyond `limit_ns`.
    #[inline]
    pub fn take_until(&mut self, limit_ns: u64) -> Option<(u64, P)> {
        if self.next_ns > limit_ns || self.count == 0 {
            return None;
        }
        let key = self.near[self.first % RING];
        self.first = self.first.wrapping_add(1);
        self.count -= 1;
        self.next_ns = match self.count {
            0 if self.far.next_ns() == u64::MAX => u64::MAX,
            0 => self.refill(),
            _ => self.near[self.first % RING].0,
        };
        Some(key)
    }

    /// Fills the empty row, half of it at most, with the next ones of the others; returns the time of the first.
    #[cold]
    fn refill(&mut self) -> u64 {
        while self.count < NEAR / 2
            && let Some(key) = self.far.take_until(u64::MAX)
        {
            self.near[self.first.wrapping_add(self.count) % RING] = key;
            self.count += 1;
        }
        self.near[self.first % RING].0
    }
}

#[cfg(test)]
mod tests {
    use super::Row;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn keys_come_in_order(
            steps in prop::collection::vec((0u32..40, 0u64..1 << 20, 0u64..3000, 0u8..6), 1..400)
        ) {
            let mut row: Row<u64> = Row::default();
            let mut expected: BTreeMap<(u64, u64), ()> = BTreeMap::new();
            let mut now_ns = 0;
            for (number, (bits, delay_ns, wait_ns, times)) in (0u64..).zip(steps) {
                // Delays of every magnitude, that of nothing included; keys of one time in either order.
                let at_ns = now_ns + (delay_ns >> bits);
                let key = (at_ns, if number % 3 == 0 { 1000 - number } else { 1000 + number });
                row.put(key, |other| *other <= key);
                expected.insert(key, ());
                for _ in 0..times / 2 {
                    let limit_ns = now_ns + wait_ns;
                    let first = expected.first_entry().filter(|e| e.key().0 <= limit_ns);
                    let first = first.map(|entry| entry.remove_entry().0);
                    prop_assert_eq!(row.take_until(limit_ns), first);
                    now_ns = first.map_or(limit_ns, |(at_ns, _)| at_ns);
                }
                let next_ns = expected.first_key_value().map_or(u64::MAX, |(&(at_ns, _), ())| at_ns);
                prop_assert_eq!(row.next_ns(), next_ns);
            }
            while let Some((key, ())) = expected.pop_first() {
                prop_assert_eq!(row.take_until(u64::MAX), Some(key));
            }
            prop_assert_eq!(row.take_until(u64::MAX), None);
        }
    }
}
