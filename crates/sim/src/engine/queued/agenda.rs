//! What happens when. The next few events stand in a row, into which a new one is sorted; all others wait
//! in a heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events that stand in the row: few enough that sorting one in costs less than the heap does.
const NEAR: usize = 32;
/// Places of the row.
const RING: usize = 64;
/// Bits of an event's key that name its source.
const SOURCE_BITS: u32 = 20;

/// An event: its time, and its number before its source.
type Key = (u64, u64);

/// What happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub time_ns: u64,
    /// Events added before it.
    pub number: u64,
    /// Where: a die or a channel, as the scheduler counts them.
    pub source: u32,
}

/// Events by time; those of the same time in the order in which they were added.
#[derive(Debug)]
pub struct Agenda {
    /// The next ones in order, in a ring. None of `far` is earlier than any of them.
    near: [Key; RING],
    /// Where the first of them is; only its last bits count.
    first: usize,
    /// How many of them there are.
    count: usize,
    far: BinaryHeap<Reverse<Key>>,
    /// Events so far.
    added: u64,
}

impl Default for Agenda {
    fn default() -> Self {
        Self { near: [(0, 0); RING], first: 0, count: 0, far: BinaryHeap::new(), added: 0 }
    }
}

impl Agenda {
    /// Adds an event; returns its number.
    #[inline]
    pub fn add(&mut self, source: u32, time_ns: u64) -> u64 {
        let number = self.added;
        self.added += 1;
        self.put(source, time_ns, number);
        number
    }

    #[inline(never)]
    fn put(&mut self, source: u32, time_ns: u64, number: u64) {
        debug_assert!(source >> SOURCE_BITS == 0, "{source} is no die or channel");
        let key = (time_ns, number << SOURCE_BITS | u64::from(source));
        if self.count == NEAR || !self.far.is_empty() {
            return self.put_among_many(key);
        }
        self.sort_in(key);
    }

    /// Puts an event behind those of the row that are earlier or of its time, from the side that is
    /// nearer.
    #[inline(always)]
    fn sort_in(&mut self, key: Key) {
        let (first, end) = (self.first, self.first.wrapping_add(self.count));
        let middle = first.wrapping_add(self.count / 2);
        self.count += 1;
        let mut at;
        if self.count > 1 && self.near[middle % RING].0 > key.0 {
            at = first;
            while self.near[at % RING].0 <= key.0 {
                self.near[at.wrapping_sub(1) % RING] = self.near[at % RING];
                at = at.wrapping_add(1);
            }
            self.first = first.wrapping_sub(1);
            at = at.wrapping_sub(1);
        } else {
            at = end;
            while at != first && self.near[at.wrapping_sub(1) % RING].0 > key.0 {
                self.near[at % RING] = self.near[at.wrapping_sub(1) % RING];
                at = at.wrapping_sub(1);
            }
        }
        self.near[at % RING] = key;
    }

    /// Adds an event that the row has no room for, or that may come after all of it.
    #[cold]
    fn put_among_many(&mut self, key: Key) {
        let last = self.near[self.first.wrapping_add(self.count).wrapping_sub(1) % RING];
        if self.count > 0 && last.0 <= key.0 {
            return self.far.push(Reverse(key));
        }
        if self.count == NEAR {
            self.far.push(Reverse(last));
            self.count -= 1;
        }
        self.sort_in(key);
    }

    /// The time of the next event; `u64::MAX` when there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        if self.count == 0 { u64::MAX } else { self.near[self.first % RING].0 }
    }

    /// Takes the next event, if that is not beyond `limit_ns`.
    #[inline]
    pub fn take_until(&mut self, limit_ns: u64) -> Option<Event> {
        let (time_ns, key) = self.near[self.first % RING];
        if self.count == 0 || time_ns > limit_ns {
            return None;
        }
        self.first = self.first.wrapping_add(1);
        self.count -= 1;
        if self.count == 0 {
            self.refill();
        }
        let source = key as u32 & ((1 << SOURCE_BITS) - 1);
        Some(Event { time_ns, number: key >> SOURCE_BITS, source })
    }

    /// Fills half of the row from the heap.
    #[cold]
    fn refill(&mut self) {
        while self.count < NEAR / 2
            && let Some(Reverse(key)) = self.far.pop()
        {
            self.near[self.first.wrapping_add(self.count) % RING] = key;
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Agenda;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn events_come_by_time_and_then_in_order(
            steps in prop::collection::vec((0u32..40, 0u64..1 << 20, 0u64..3000, 0u8..6), 1..400)
        ) {
            let mut agenda = Agenda::default();
            let mut expected: BTreeMap<(u64, u64), u32> = BTreeMap::new();
            let mut now_ns = 0;
            for (number, (bits, delay_ns, wait_ns, times)) in (0..).zip(steps) {
                // Delays of every magnitude, that of nothing included.
                let at_ns = now_ns + (delay_ns >> bits);
                prop_assert_eq!(agenda.add(number as u32 % 7, at_ns), number);
                expected.insert((at_ns, number), number as u32 % 7);
                for _ in 0..times / 2 {
                    let limit_ns = now_ns + wait_ns;
                    let first = expected.first_entry().filter(|e| e.key().0 <= limit_ns);
                    let first = first.map(|entry| (*entry.key(), entry.remove()));
                    let taken = agenda.take_until(limit_ns);
                    prop_assert_eq!(taken.map(|e| ((e.time_ns, e.number), e.source)), first);
                    now_ns = first.map_or(limit_ns, |((at_ns, _), _)| at_ns);
                }
                let next_ns = expected.first_key_value().map_or(u64::MAX, |(&(at_ns, _), _)| at_ns);
                prop_assert_eq!(agenda.next_ns(), next_ns);
            }
            while let Some((key, source)) = expected.pop_first() {
                let taken = agenda.take_until(u64::MAX);
                prop_assert_eq!(taken.map(|e| ((e.time_ns, e.number), e.source)), Some((key, source)));
            }
            prop_assert_eq!(agenda.take_until(u64::MAX), None);
        }
    }
}
