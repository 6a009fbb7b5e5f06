//! What happens when.

use super::row::Row;
use super::trail::Trail;

/// Bits of an event's key that name its source.
const SOURCE_BITS: u32 = 20;

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
#[derive(Debug, Default)]
pub struct Agenda {
    /// Their times, and their numbers before their sources.
    events: Row<u64>,
    /// Those that were added behind one another.
    behind: Trail<u64>,
    /// Events so far.
    added: u64,
}

impl Agenda {
    /// Adds an event; returns its number.
    #[inline(always)]
    pub fn add(&mut self, source: u32, time_ns: u64) -> u64 {
        let (number, key) = self.key_of(source, time_ns);
        // None of the others was added after it.
        self.events.put(key, |other| other.0 <= time_ns);
        number
    }

    /// Adds an event that comes, as a rule, after all that were added so: it need not be sorted in.
    #[inline(always)]
    pub fn add_behind(&mut self, source: u32, time_ns: u64) -> u64 {
        if !self.behind.takes(time_ns) {
            return self.add(source, time_ns);
        }
        let (number, key) = self.key_of(source, time_ns);
        self.behind.put(key);
        number
    }

    #[inline(always)]
    fn key_of(&mut self, source: u32, time_ns: u64) -> (u64, (u64, u64)) {
        let number = self.added;
        self.added += 1;
        debug_assert!(source >> SOURCE_BITS == 0, "{source} is no die or channel");
        (number, (time_ns, number << SOURCE_BITS | u64::from(source)))
    }

    /// The time of the next event; `u64::MAX` when there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.events.next_ns().min(self.behind.next_ns())
    }

    /// Takes the next event, if that is not beyond `limit_ns`.
    #[inline]
    pub fn take_until(&mut self, limit_ns: u64) -> Option<Event> {
        let (time_ns, key) = match self.is_behind_next() {
            true if self.behind.next_ns() > limit_ns => return None,
            true => self.behind.take(),
            false => self.events.take_until(limit_ns)?,
        };
        let source = key as u32 & ((1 << SOURCE_BITS) - 1);
        Some(Event { time_ns, number: key >> SOURCE_BITS, source })
    }

    /// Whether the next event is one of those that were added behind one another.
    #[inline(always)]
    fn is_behind_next(&self) -> bool {
        let (behind_ns, next_ns) = (self.behind.next_ns(), self.events.next_ns());
        behind_ns < next_ns || (behind_ns == next_ns && self.is_first_of_two())
    }

    /// Whether it is one of those where the times say nothing, or there is no event at all.
    #[cold]
    fn is_first_of_two(&self) -> bool {
        self.next_ns() < u64::MAX && self.behind.first() < self.events.first()
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
            steps in prop::collection::vec(
                (0u32..40, 0u64..1 << 20, 0u64..3000, 0u8..6, any::<bool>()), 1..400
            )
        ) {
            let mut agenda = Agenda::default();
            let mut expected: BTreeMap<(u64, u64), u32> = BTreeMap::new();
            let mut now_ns = 0;
            for (number, (bits, delay_ns, wait_ns, times, is_behind)) in (0..).zip(steps) {
                // Delays of every magnitude, that of nothing included.
                let at_ns = now_ns + (delay_ns >> bits);
                let source = number as u32 % 7;
                let added = match is_behind {
                    true => agenda.add_behind(source, at_ns),
                    false => agenda.add(source, at_ns),
                };
                prop_assert_eq!(added, number);
                expected.insert((at_ns, number), source);
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
