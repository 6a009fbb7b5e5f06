//! A channel as a calendar: one transfer at a time, and a transfer that is ready early may use a
//! gap that an earlier reservation left.

const GAPS: usize = 4;

/// A channel's calendar.
#[derive(Debug, Clone, Default)]
pub struct Channel {
    free_ns: u64,
    busy_ns: u64,
    gaps: [(u64, u64); GAPS],
}

impl Channel {
    /// Reserves `length_ns` as early as possible from `ready_ns` on, and returns the start.
    #[inline]
    pub fn reserve(&mut self, ready_ns: u64, length_ns: u64) -> u64 {
        self.busy_ns += length_ns;
        if ready_ns >= self.free_ns {
            if ready_ns > self.free_ns {
                self.remember(self.free_ns, ready_ns);
            }
            self.free_ns = ready_ns + length_ns;
            return ready_ns;
        }
        for gap in &mut self.gaps {
            let start = gap.0.max(ready_ns);
            if start + length_ns <= gap.1 {
                // The part before the transfer is given up: it is short, and mostly in the past.
                gap.0 = start + length_ns;
                return start;
            }
        }
        let start = self.free_ns;
        self.free_ns += length_ns;
        start
    }

    fn remember(&mut self, from_ns: u64, to_ns: u64) {
        let shortest = self.gaps.iter_mut().min_by_key(|gap| gap.1).expect("GAPS is positive");
        *shortest = (from_ns, to_ns);
    }

    /// Time spent on transfers.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    /// When the last reservation ends.
    pub fn free_ns(&self) -> u64 {
        self.free_ns
    }
}

#[cfg(test)]
mod tests {
    use super::Channel;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn transfers_never_overlap_or_start_early(
            steps in prop::collection::vec((0u64..200, 0u64..30), 1..200)
        ) {
            let mut channel = Channel::default();
            let mut taken: Vec<(u64, u64)> = Vec::new();
            for (ready, length) in steps {
                let start = channel.reserve(ready, length);
                prop_assert!(start >= ready);
                for &(from, to) in &taken {
                    prop_assert!(start + length <= from || start >= to || length == 0);
                }
                if length > 0 {
                    taken.push((start, start + length));
                }
            }
        }
    }

    #[test]
    fn uses_a_gap() {
        let mut channel = Channel::default();
        assert_eq!(channel.reserve(100, 10), 100);
        assert_eq!(channel.reserve(20, 30), 20);
        assert_eq!(channel.reserve(20, 60), 110);
        assert_eq!(channel.reserve(20, 50), 50);
    }
}
