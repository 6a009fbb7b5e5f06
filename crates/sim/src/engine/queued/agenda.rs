//! What happens next. Every die and every channel waits for one thing at most, so the agenda is a
//! tournament over fixed places: setting or clearing one replays only the matches on its way up.

/// Nothing is due.
const NEVER: (u64, u64) = (u64::MAX, u64::MAX);

/// The next event of each place; events of the same time come in the order in which they were set.
#[derive(Debug)]
pub struct Agenda {
    /// Time and serial number by place.
    due: Vec<(u64, u64)>,
    /// Winners: the root is at 1, the children of `n` at 2n and 2n + 1, the places come last.
    winner: Vec<u32>,
    serial: u64,
}

impl Agenda {
    /// An empty agenda for `places` places.
    pub fn new(places: usize) -> Self {
        let size = places.next_power_of_two();
        let mut agenda = Self { due: vec![NEVER; size], winner: vec![0; 2 * size], serial: 0 };
        for place in 0..size {
            agenda.winner[size + place] = place as u32;
        }
        for place in 0..size {
            agenda.replay(place);
        }
        agenda
    }

    /// The event of `place` is at `time_ns`, instead of any that it had.
    #[inline]
    pub fn set(&mut self, place: usize, time_ns: u64) {
        self.serial += 1;
        self.due[place] = (time_ns, self.serial);
        self.replay(place);
    }

    /// Takes the next event if it is not after `limit_ns`: its time and place.
    #[inline]
    pub fn take(&mut self, limit_ns: u64) -> Option<(u64, usize)> {
        let place = self.winner[1] as usize;
        let (time_ns, serial) = self.due[place];
        if time_ns > limit_ns || serial == NEVER.1 {
            return None;
        }
        self.due[place] = NEVER;
        self.replay(place);
        Some((time_ns, place))
    }

    #[inline]
    fn replay(&mut self, place: usize) {
        let mut node = (self.due.len() + place) / 2;
        while node > 0 {
            let (left, right) = (self.winner[2 * node], self.winner[2 * node + 1]);
            let left_first = self.due[left as usize] <= self.due[right as usize];
            self.winner[node] = if left_first { left } else { right };
            node /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Agenda;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_sorted_list(
            places in 1usize..20,
            steps in prop::collection::vec((any::<bool>(), 0usize..20, 0u64..50), 0..200)
        ) {
            let mut agenda = Agenda::new(places);
            let mut list: Vec<(u64, usize, usize)> = Vec::new();
            for (serial, (sets, place, time)) in steps.into_iter().enumerate() {
                if sets {
                    let place = place % places;
                    agenda.set(place, time);
                    list.retain(|&(_, _, other)| other != place);
                    list.push((time, serial, place));
                } else {
                    let next = list.iter().copied().min().filter(|&(due, _, _)| due <= time);
                    list.retain(|&event| Some(event) != next);
                    prop_assert_eq!(agenda.take(time), next.map(|(due, _, place)| (due, place)));
                }
            }
        }
    }
}
