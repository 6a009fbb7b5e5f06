//! Latencies of each interval of a run, in so few buckets that those of many intervals are kept, and can be merged.

use super::latency::{BUCKETS, bucket_of, shortest_of};

/// Buckets of a [`Latencies`](super::Latencies) that are one here: a bucket is less than 2 % wide.
const MERGED: usize = 16;
const COUNTS: usize = BUCKETS.div_ceil(MERGED);
/// Buckets that are looked at together when an interval ends: most are empty.
const TOGETHER: usize = 64;

/// Latencies since the last interval ended.
#[derive(Debug)]
pub struct Recent(Box<[u32; COUNTS]>);

impl Default for Recent {
    fn default() -> Self {
        let counts = vec![0; COUNTS].into_boxed_slice();
        Self(counts.try_into().unwrap_or_else(|_| unreachable!("so many")))
    }
}

impl Recent {
    /// A request took `latency_ns`.
    #[inline(always)]
    pub fn record(&mut self, latency_ns: u64) {
        self.0[bucket_of(latency_ns) / MERGED] += 1;
    }

    /// Ends the interval.
    pub fn take(&mut self) -> Interval {
        let mut found = Vec::new();
        for (at, counts) in self.0.chunks_mut(TOGETHER).enumerate() {
            if counts.iter().fold(0, |any, &count| any | count) == 0 {
                continue;
            }
            for (within, count) in counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
                found.push(((at * TOGETHER + within) as u16, std::mem::take(count)));
            }
        }
        Interval(found)
    }
}

/// Latencies of an interval that is over: buckets in use, the shortest first, and the requests in each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interval(Vec<(u16, u32)>);

impl Interval {
    /// Both intervals as one.
    pub fn merged(&self, other: &Self) -> Self {
        let mut all = [&self.0[..], &other.0[..]].concat();
        // Two sorted runs, which this sort merges.
        all.sort_by_key(|&(bucket, _)| bucket);
        all.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            earlier.1 += if is_same { later.1 } else { 0 };
            is_same
        });
        Self(all)
    }

    /// What the share `share` took at most, at most 2 % too long; not a number without a request.
    pub fn quantile_us(&self, share: f64) -> f64 {
        let count: u64 = self.0.iter().map(|&(_, count)| u64::from(count)).sum();
        let wanted = (share * count as f64).ceil() as u64;
        let mut seen = 0;
        let reaches = |&&(_, count): &&(u16, u32)| {
            seen += u64::from(count);
            seen >= wanted
        };
        match self.0.iter().find(reaches) {
            None => f64::NAN,
            // What takes no time at all is here.
            Some((0, _)) => 0.0,
            Some(&(bucket, _)) => {
                (shortest_of((usize::from(bucket) + 1) * MERGED) - 1) as f64 / 1000.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Interval, Recent};

    /// Latencies in microseconds as an interval.
    fn of(latencies_us: impl IntoIterator<Item = u64>) -> Interval {
        let mut recent = Recent::default();
        latencies_us.into_iter().for_each(|us| recent.record(us * 1000));
        recent.take()
    }

    #[test]
    fn a_quantile_is_right_to_two_percent() {
        for factor in [1, 7, 1000] {
            let interval = of((1..=1000).map(|us| us * factor));
            for share in [0.5, 0.95, 0.99, 1.0] {
                let exact = (1000 * factor) as f64 * share;
                let off = interval.quantile_us(share) / exact - 1.0;
                assert!((0.0..0.016).contains(&off), "{share} of {factor}: {off}");
            }
        }
        // From the shortest to the longest that is told apart, and beyond.
        let mut recent = Recent::default();
        recent.record(u64::MAX);
        assert!(recent.take().quantile_us(0.99) > 1e12);
        assert_eq!(of([0]).quantile_us(0.99), 0.0);
        assert!(of([]).quantile_us(0.99).is_nan());
    }

    #[test]
    fn two_intervals_are_as_good_as_one() {
        let (odd, even) = (of((1..500).map(|n| 2 * n + 1)), of((1..900).map(|n| 2 * n)));
        let all = of((1..500).map(|n| 2 * n + 1).chain((1..900).map(|n| 2 * n)));
        assert_eq!(odd.merged(&even), all);
        assert_eq!(odd.merged(&of([])), odd);
    }

    #[test]
    fn an_interval_begins_empty() {
        let mut recent = Recent::default();
        recent.record(5000);
        assert_ne!(recent.take(), Interval::default());
        assert_eq!(recent.take(), Interval::default());
    }
}
