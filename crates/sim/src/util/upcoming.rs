//! What happens next: what comes soon stands by spans of time, and all others wait in no order until these are over.

use super::spans::Spans;

/// Keys that others may have to pass in their spans for each one that was far when these began, and besides.
const PASSED_EACH: usize = 4;
const PASSED_BESIDES: usize = 64;

/// Keys in order: each is a time, and whatever goes with it.
#[derive(Debug)]
pub struct Upcoming<P> {
    /// The only one: neither near nor far.
    alone: Option<(u64, P)>,
    /// The next ones.
    near: Spans<P>,
    /// Keys from this time on are far: 0 where none is near.
    end_ns: u64,
    /// The others, and the least of their times; `u64::MAX`: there are none.
    far: Vec<(u64, P)>,
    far_ns: u64,
    /// The time of the first of all; `u64::MAX`: there is none.
    next_ns: u64,
    /// Keys that others may have to pass before shorter spans begin.
    most_passed: usize,
}

impl<P> Default for Upcoming<P> {
    fn default() -> Self {
        Self {
            alone: None,
            near: Spans::default(),
            end_ns: 0,
            far: Vec::new(),
            far_ns: u64::MAX,
            next_ns: u64::MAX,
            most_passed: PASSED_BESIDES,
        }
    }
}

impl<P: Copy + Ord> Upcoming<P> {
    /// Adds a key, of a time before `u64::MAX`. `is_after` says of a key that is there already that the new one
    /// comes after it: what the order of keys says, too, as long as all of them are different.
    #[inline(always)]
    pub fn put(&mut self, key: (u64, P), is_after: impl Fn(&(u64, P)) -> bool) {
        if key.0 >= self.end_ns {
            return self.put_far(key.0, key.1);
        }
        self.next_ns = self.next_ns.min(key.0);
        if !self.near.put(key, is_after) && self.near.passed() > self.most_passed {
            self.shorten();
        }
    }

    /// Adds a key that comes after all that are near. Where none is, it may be the only one, or the first that is. It
    /// comes in parts, so that callers need not write it to memory.
    #[inline(never)]
    fn put_far(&mut self, time_ns: u64, what: P) {
        let key = (time_ns, what);
        if self.next_ns == u64::MAX {
            self.next_ns = key.0;
            self.alone = Some(key);
            return;
        }
        self.next_ns = self.next_ns.min(key.0);
        if let Some(alone) = self.alone.take() {
            self.put_among(alone);
        }
        self.put_among(key);
    }

    /// Adds a key where there are others.
    fn put_among(&mut self, key: (u64, P)) {
        if self.end_ns == 0 && key.0 < self.far_ns {
            self.end_ns = self.near.begin(key.0).min(self.far_ns);
        }
        if key.0 < self.end_ns {
            self.near.put(key, |other| *other <= key);
            return;
        }
        self.far.push(key);
        self.far_ns = self.far_ns.min(key.0);
    }

    /// The time of the next one; `u64::MAX` when there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Takes the next one, if its time is not beyond `limit_ns`.
    #[inline]
    pub fn take_until(&mut self, limit_ns: u64) -> Option<(u64, P)> {
        if self.next_ns > limit_ns || self.next_ns == u64::MAX {
            return None;
        }
        if self.end_ns == 0 {
            if let Some(alone) = self.alone.take() {
                self.next_ns = u64::MAX;
                return Some(alone);
            }
            self.refill();
        }
        Some(self.take_near())
    }

    /// Takes the next one, which is near.
    #[inline(always)]
    fn take_near(&mut self) -> (u64, P) {
        let (key, next_ns) = self.near.take();
        self.next_ns = next_ns.unwrap_or_else(|| {
            self.end_ns = 0;
            self.far_ns
        });
        key
    }

    /// The next ones of those that are far are near from now on, where none was. With short spans many are far, each of
    /// which is looked at here, and with long ones many have to be passed: they are as long as makes both alike.
    #[cold]
    fn refill(&mut self) {
        self.near.lengthen(if self.near.passed() > self.far.len() { -1 } else { 1 });
        self.bring_near();
    }

    /// Others had to pass many: shorter spans begin.
    #[cold]
    fn shorten(&mut self) {
        let next_ns = self.next_ns;
        while self.end_ns > 0 {
            let key = self.take_near();
            self.far.push(key);
        }
        (self.next_ns, self.far_ns) = (next_ns, next_ns);
        self.near.lengthen(-2);
        self.bring_near();
    }

    /// Spans begin with the next ones of those that are far.
    fn bring_near(&mut self) {
        self.most_passed = PASSED_EACH * self.far.len() + PASSED_BESIDES;
        self.end_ns = self.near.begin(self.far_ns);
        self.far_ns = u64::MAX;
        let mut far = std::mem::take(&mut self.far);
        far.retain(|&key| {
            let is_far = key.0 >= self.end_ns;
            match is_far {
                true => self.far_ns = self.far_ns.min(key.0),
                false => _ = self.near.put(key, |other| *other <= key),
            }
            is_far
        });
        self.far = far;
    }
}

#[cfg(test)]
mod tests {
    use super::Upcoming;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn keys_come_in_order(
            steps in prop::collection::vec((0u32..40, 0u64..1 << 20, 0u64..3000, 0u8..6), 1..400)
        ) {
            let mut upcoming: Upcoming<u64> = Upcoming::default();
            let mut expected: BTreeMap<(u64, u64), ()> = BTreeMap::new();
            let mut now_ns = 0;
            for (number, (bits, delay_ns, wait_ns, times)) in (0u64..).zip(steps) {
                // Delays of every magnitude, that of nothing included; keys of one time in either order.
                let at_ns = now_ns + (delay_ns >> bits);
                let key = (at_ns, if number % 3 == 0 { 1000 - number } else { 1000 + number });
                upcoming.put(key, |other| *other <= key);
                expected.insert(key, ());
                for _ in 0..times / 2 {
                    let limit_ns = now_ns + wait_ns;
                    let first = expected.first_entry().filter(|e| e.key().0 <= limit_ns);
                    let first = first.map(|entry| entry.remove_entry().0);
                    prop_assert_eq!(upcoming.take_until(limit_ns), first);
                    now_ns = first.map_or(limit_ns, |(at_ns, _)| at_ns);
                }
                let next_ns = expected.first_key_value().map_or(u64::MAX, |(&(at_ns, _), ())| at_ns);
                prop_assert_eq!(upcoming.next_ns(), next_ns);
            }
            while let Some((key, ())) = expected.pop_first() {
                prop_assert_eq!(upcoming.take_until(u64::MAX), Some(key));
            }
            prop_assert_eq!(upcoming.take_until(u64::MAX), None);
        }

        /// Times of every magnitude, before and after those that were taken, and many within one span.
        #[test]
        fn keys_come_in_order_whatever_their_times(
            steps in prop::collection::vec((0u32..64, any::<u64>(), 1u64..200, 0usize..40), 1..100)
        ) {
            let mut upcoming: Upcoming<u64> = Upcoming::default();
            let mut expected = BTreeSet::new();
            for (number, (bits, time_ns, many, taken)) in (0..).zip(steps) {
                for at in 0..many {
                    let key = (((time_ns >> bits) ^ (at * 37 % 64)).min(u64::MAX - 1), number << 8 | at);
                    upcoming.put(key, |other| *other <= key);
                    expected.insert(key);
                }
                for _ in 0..taken {
                    prop_assert_eq!(upcoming.take_until(u64::MAX), expected.pop_first());
                }
                let next_ns = expected.first().map_or(u64::MAX, |key| key.0);
                prop_assert_eq!(upcoming.next_ns(), next_ns);
            }
            while let Some(key) = expected.pop_first() {
                prop_assert_eq!(upcoming.take_until(u64::MAX), Some(key));
            }
            prop_assert_eq!(upcoming.take_until(u64::MAX), None);
        }
    }
}
