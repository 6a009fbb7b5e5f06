//! A channel as a calendar: one transfer at a time, and a transfer that is ready early uses a gap
//! that an earlier booking left. Garbage collection books far ahead, so all gaps are kept until their
//! time has passed.

use super::gaps::{Gap, Gaps};

/// Gaps that are kept at most: a drive that is overloaded without end must not fill the memory.
const GAPS_MAX: usize = 1 << 14;

/// Gaps behind the one that was split last that are looked at before all of them are searched.
const NEXT_ONES: usize = 4;

/// A channel's calendar.
#[derive(Debug, Clone, Default)]
pub struct Channel {
    /// The end of the last booking.
    free_ns: u64,
    busy_ns: u64,
    /// Free times before that, in order: from, to.
    gaps: Gaps,
    /// The end of the first of them; 0: there is none.
    first_to_ns: u64,
}

impl Channel {
    /// Books `length_ns` as early as possible from `ready_ns` on, and returns the start; `now_ns` is
    /// the present, which never goes back.
    #[inline(always)]
    pub fn reserve(&mut self, now_ns: u64, ready_ns: u64, length_ns: u64) -> u64 {
        self.busy_ns += length_ns;
        if self.first_to_ns > 0 && self.first_to_ns <= now_ns {
            self.forget_until(now_ns);
        }
        if ready_ns < self.free_ns {
            if self.first_to_ns > 0
                && let Some(start) = self.reserve_gap(ready_ns, length_ns)
            {
                return start;
            }
            let start = self.free_ns;
            self.free_ns += length_ns;
            return start;
        }
        // What is free until now is of no use to anybody.
        if ready_ns > self.free_ns && ready_ns > now_ns && self.gaps.len() < GAPS_MAX {
            self.gaps.push((self.free_ns, ready_ns));
            if self.first_to_ns == 0 {
                self.first_to_ns = ready_ns;
            }
        }
        self.free_ns = ready_ns + length_ns;
        ready_ns
    }

    /// Gaps of the past are of no use to anybody.
    #[inline(never)]
    fn forget_until(&mut self, now_ns: u64) {
        let of = |gaps: &[Gap]| gaps.iter().take_while(|&&(_, to_ns)| to_ns <= now_ns).count();
        let (before, behind) = self.gaps.parts();
        let over = match of(before) {
            over if over < before.len() => over,
            over => over + of(behind),
        };
        self.gaps.remove_first(over);
        self.note_first();
    }

    fn note_first(&mut self) {
        self.first_to_ns = self.gaps.get(0).map_or(0, |&(_, to_ns)| to_ns);
    }

    /// The first gap that ends after `ready_ns`.
    #[inline]
    fn first_after(&self, ready_ns: u64) -> usize {
        // Most transfers are ready now.
        if ready_ns < self.first_to_ns {
            return 0;
        }
        let is_over = |&(_, to_ns): &Gap| to_ns <= ready_ns;
        let (before, behind) = self.gaps.parts();
        if !before.last().is_none_or(is_over) {
            return before.partition_point(is_over);
        }
        // Those of one die follow one another: it is often one of the next.
        let next = behind.iter().take(NEXT_ONES).position(|gap| !is_over(gap));
        before.len() + next.unwrap_or_else(|| behind.partition_point(is_over))
    }

    /// Books the first gap that is long enough.
    #[inline(never)]
    fn reserve_gap(&mut self, ready_ns: u64, length_ns: u64) -> Option<u64> {
        let first = self.first_after(ready_ns);
        let fits = |&(from_ns, to_ns): &Gap| from_ns.max(ready_ns) + length_ns <= to_ns;
        let mut at = first;
        while !fits(self.gaps.get(at)?) {
            at += 1;
        }
        let gap = self.gaps.get_mut(at)?;
        let (from_ns, to_ns) = *gap;
        let start = from_ns.max(ready_ns);
        let end = start + length_ns;
        match (from_ns < start, end < to_ns) {
            (false, false) => self.gaps.remove(at),
            (true, false) => gap.1 = start,
            (false, true) => gap.0 = end,
            (true, true) => {
                gap.0 = end;
                self.gaps.insert(at, (from_ns, start));
            }
        }
        if at == 0 {
            self.note_first();
        }
        Some(start)
    }

    /// Time spent on transfers.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }
}

#[cfg(test)]
mod tests {
    use super::Channel;
    use proptest::prelude::*;

    /// The earliest start from `ready` on that overlaps nothing in `taken`.
    fn earliest(taken: &[(u64, u64)], ready: u64, length: u64) -> u64 {
        let is_free =
            |start: u64| taken.iter().all(|&(from, to)| start + length <= from || start >= to);
        let ends = taken.iter().map(|&(_, to)| to).filter(|&to| to > ready);
        std::iter::once(ready)
            .chain(ends)
            .filter(|&start| is_free(start))
            .min()
            .expect("the last end")
    }

    proptest! {
        #[test]
        fn transfers_start_as_early_as_they_can(
            steps in prop::collection::vec((0u64..20, 0u64..200, 1u64..30), 1..200)
        ) {
            let mut channel = Channel::default();
            let mut taken: Vec<(u64, u64)> = Vec::new();
            let mut now = 0;
            for (pause, ahead, length) in steps {
                now += pause;
                let ready = now + ahead;
                let start = channel.reserve(now, ready, length);
                prop_assert_eq!(start, earliest(&taken, ready, length));
                taken.push((start, start + length));
            }
        }
    }

    #[test]
    fn uses_a_gap() {
        let mut channel = Channel::default();
        assert_eq!(channel.reserve(0, 100, 10), 100);
        assert_eq!(channel.reserve(0, 20, 30), 20);
        assert_eq!(channel.reserve(0, 20, 60), 110);
        assert_eq!(channel.reserve(0, 20, 50), 50);
    }
}
