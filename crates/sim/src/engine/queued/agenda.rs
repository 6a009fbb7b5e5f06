//! What happens when. Time never goes back, so that a radix heap (Ahuja, Mehlhorn, Orlin & Tarjan,
//! J. ACM 37, 1990) does without comparing events with one another: an event waits among those whose
//! times first differ from the last one's in the same bit.

use std::collections::VecDeque;

/// Events by time; those of the same time in the order in which they were added.
#[derive(Debug)]
pub struct Agenda<E> {
    /// The time of the event that was taken last.
    last_ns: u64,
    /// The time of the next one.
    next_ns: u64,
    /// Events of the time `last_ns`.
    due: VecDeque<E>,
    /// Later ones: at `bit` those whose times first differ from `last_ns` in that bit. All of one
    /// time are in the same place, in order.
    later: [Vec<(u64, E)>; 64],
    /// One bit for every place of `later` that is not empty.
    occupied: u64,
}

impl<E> Default for Agenda<E> {
    fn default() -> Self {
        Self {
            last_ns: 0,
            next_ns: u64::MAX,
            due: VecDeque::new(),
            later: [const { Vec::new() }; 64],
            occupied: 0,
        }
    }
}

impl<E> Agenda<E> {
    /// Adds an event, which must not be earlier than the last one taken.
    #[inline]
    pub fn add(&mut self, time_ns: u64, event: E) {
        debug_assert!(time_ns >= self.last_ns, "{time_ns} is before {}", self.last_ns);
        self.next_ns = self.next_ns.min(time_ns);
        self.put(time_ns, event);
    }

    #[inline]
    fn put(&mut self, time_ns: u64, event: E) {
        match (time_ns ^ self.last_ns).checked_ilog2() {
            None => self.due.push_back(event),
            Some(bit) => {
                self.later[bit as usize].push((time_ns, event));
                self.occupied |= 1 << bit;
            }
        }
    }

    /// The time of the next event; `u64::MAX` when there is none.
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Takes the next event and its time, if that is not beyond `limit_ns`.
    #[inline]
    pub fn take_until(&mut self, limit_ns: u64) -> Option<(u64, E)> {
        if self.next_ns > limit_ns {
            return None;
        }
        let event = self.due.pop_front().or_else(|| self.take_later())?;
        self.next_ns = match self.occupied {
            _ if !self.due.is_empty() => self.last_ns,
            0 => u64::MAX,
            bits => {
                let nearest = &self.later[bits.trailing_zeros() as usize];
                nearest.iter().fold(u64::MAX, |least, &(time_ns, _)| least.min(time_ns))
            }
        };
        Some((self.last_ns, event))
    }

    /// Goes on to the next time, and takes the first event there.
    #[inline]
    fn take_later(&mut self) -> Option<E> {
        let bit = self.occupied.trailing_zeros() as usize;
        let nearest = self.later.get_mut(bit)?;
        self.last_ns = self.next_ns;
        self.occupied &= self.occupied - 1;
        if nearest.len() == 1 {
            return nearest.pop().map(|(_, event)| event);
        }
        // All of them agree in this bit and in those above, so that each finds a place below.
        let mut events = std::mem::take(nearest);
        for (time_ns, event) in events.drain(..) {
            self.put(time_ns, event);
        }
        self.later[bit] = events;
        self.due.pop_front()
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
            let mut expected: BTreeMap<(u64, usize), usize> = BTreeMap::new();
            let mut now_ns = 0;
            for (number, (bits, delay_ns, wait_ns, times)) in steps.into_iter().enumerate() {
                // Delays of every magnitude, that of nothing included.
                let at_ns = now_ns + (delay_ns >> bits);
                agenda.add(at_ns, number);
                expected.insert((at_ns, number), number);
                for _ in 0..times / 2 {
                    let limit_ns = now_ns + wait_ns;
                    let first = expected.first_entry().filter(|e| e.key().0 <= limit_ns);
                    let first = first.map(|entry| (entry.key().0, entry.remove()));
                    prop_assert_eq!(agenda.take_until(limit_ns), first);
                    now_ns = first.map_or(limit_ns, |(at_ns, _)| at_ns);
                }
            }
            while let Some(((at_ns, _), number)) = expected.pop_first() {
                prop_assert_eq!(agenda.take_until(u64::MAX), Some((at_ns, number)));
            }
            prop_assert_eq!(agenda.take_until(u64::MAX), None);
        }
    }
}
