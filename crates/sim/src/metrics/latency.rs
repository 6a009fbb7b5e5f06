//! Latencies of one kind of request.

use super::LatencySummary;
use hdrhistogram::Histogram;

/// Three significant digits, from 1 ns to 200 days.
const LONGEST_NS: u64 = 1 << 54;
/// Points of the distribution in a result.
const POINTS: usize = 200;

/// Latencies up to this many bits are told exactly, longer ones by so many of their first bits.
const EXACT_BITS: u32 = 11;
/// Buckets for each further bit.
const STEP: usize = 1 << (EXACT_BITS - 1);
/// The last latency of the last bucket, in which all longer ones are counted.
const LAST_NS: u64 = 2 * LONGEST_NS - 1;
pub(super) const BUCKETS: usize = bucket_of(LAST_NS) + 1;

/// Where a latency is counted: in the bucket in which a histogram of three digits has it. Its own way there asks
/// much besides, and nearly every request takes it several times.
#[inline]
pub(super) const fn bucket_of(latency_ns: u64) -> usize {
    let latency_ns = if latency_ns < LAST_NS { latency_ns } else { LAST_NS };
    let bits = u64::BITS - (latency_ns | ((1 << EXACT_BITS) - 1)).leading_zeros();
    let step = bits - EXACT_BITS;
    step as usize * STEP + (latency_ns >> step) as usize
}

/// The shortest latency of a bucket.
pub(super) fn shortest_of(bucket: usize) -> u64 {
    let step = (bucket / STEP).saturating_sub(1);
    ((bucket - step * STEP) as u64) << step
}

/// A histogram of latencies, with exact count, sum and maximum.
#[derive(Debug, Clone)]
pub struct Latencies {
    /// Of the count of each bucket the last byte, and apart from these the rest, which few requests change: the bytes
    /// of all buckets in use stay in the processor's cache.
    low: Box<[u8; BUCKETS]>,
    high: Box<[u64; BUCKETS]>,
    count: u64,
    bytes: u64,
    sum_ns: u128,
    max_ns: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        let (low, high) = (zeros(), zeros());
        Self { low, high, count: 0, bytes: 0, sum_ns: 0, max_ns: 0 }
    }
}

/// As many zeros as there are buckets.
fn zeros<T: Clone + Default>() -> Box<[T; BUCKETS]> {
    let zeros = vec![T::default(); BUCKETS].into_boxed_slice();
    zeros.try_into().unwrap_or_else(|_| unreachable!("so many"))
}

impl Latencies {
    /// A request of `bytes` took `latency_ns`.
    #[inline(always)]
    pub fn record(&mut self, latency_ns: u64, bytes: u32) {
        let bucket = bucket_of(latency_ns);
        self.low[bucket] = self.low[bucket].wrapping_add(1);
        if self.low[bucket] == 0 {
            self.high[bucket] += 1;
        }
        self.count += 1;
        self.bytes += u64::from(bytes);
        self.sum_ns += u128::from(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// Requests recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Requests in a bucket.
    fn count_in(&self, bucket: usize) -> u64 {
        self.high[bucket] << u8::BITS | u64::from(self.low[bucket])
    }

    /// The histogram of which quantiles are asked.
    fn histogram(&self) -> Histogram<u64> {
        let mut histogram = Histogram::new_with_max(LONGEST_NS, 3).expect("the bounds are legal");
        let counts = (0..BUCKETS).map(|bucket| (bucket, self.count_in(bucket)));
        for (bucket, count) in counts.filter(|&(_, count)| count > 0) {
            histogram.saturating_record_n(shortest_of(bucket), count);
        }
        histogram
    }

    /// Sum of all latencies, nanoseconds.
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// Mean of all; not a number without one.
    pub fn mean_us(&self) -> f64 {
        self.sum_ns as f64 / self.count() as f64 / 1000.0
    }

    /// What the share `share` took at most, right to three digits.
    pub fn quantile_us(&self, share: f64) -> f64 {
        self.us(self.histogram().value_at_quantile(share))
    }

    /// A bucket's longest latency, in microseconds: none took longer than the longest of all.
    fn us(&self, longest_ns: u64) -> f64 {
        longest_ns.min(self.max_ns) as f64 / 1000.0
    }

    /// Those recorded after `before` was cloned from these; `None` without one. Their maximum is not
    /// known: it is that of all.
    pub fn since(&self, before: &Self) -> Option<Self> {
        if self.count() == before.count() {
            return None;
        }
        let mut since = self.clone();
        for bucket in 0..BUCKETS {
            let count = self.count_in(bucket) - before.count_in(bucket);
            (since.low[bucket], since.high[bucket]) = (count as u8, count >> u8::BITS);
        }
        since.count -= before.count;
        since.bytes -= before.bytes;
        since.sum_ns -= before.sum_ns;
        Some(since)
    }

    /// These and others together.
    pub fn joined(&self, others: &Self) -> Self {
        let mut joined = self.clone();
        for bucket in 0..BUCKETS {
            let count = self.count_in(bucket) + others.count_in(bucket);
            (joined.low[bucket], joined.high[bucket]) = (count as u8, count >> u8::BITS);
        }
        joined.count += others.count;
        joined.bytes += others.bytes;
        joined.sum_ns += others.sum_ns;
        joined.max_ns = joined.max_ns.max(others.max_ns);
        joined
    }

    /// The figures of a result; percentiles are right to three digits, the rest exactly.
    pub fn summary(&self) -> LatencySummary {
        let count = self.count();
        let histogram = self.histogram();
        let quantile_us = |share: f64| self.us(histogram.value_at_quantile(share));
        LatencySummary {
            count,
            bytes: self.bytes,
            mean_us: if count == 0 { 0.0 } else { self.mean_us() },
            p50_us: quantile_us(0.5),
            p95_us: quantile_us(0.95),
            p99_us: quantile_us(0.99),
            p999_us: quantile_us(0.999),
            p9999_us: quantile_us(0.9999),
            max_us: self.max_ns as f64 / 1000.0,
            distribution: self.distribution(&histogram),
        }
    }

    /// `[latency_us, share at or below]`, denser towards the tail.
    fn distribution(&self, histogram: &Histogram<u64>) -> Vec<[f64; 2]> {
        if self.count() == 0 {
            return Vec::new();
        }
        let half = POINTS / 2;
        let body = (0..half).map(|i| i as f64 / half as f64);
        // From 99 % on in steps of equal factor, to one in a million.
        let tail = (1..half).map(|i| 1.0 - 10f64.powf(-2.0 - 4.0 * i as f64 / half as f64));
        let shares = body.chain(tail).chain([1.0]);
        // All in one walk over the histogram, for which they must rise.
        let values = histogram.value_at_quantiles(shares.clone());
        let mut points: Vec<[f64; 2]> = Vec::with_capacity(POINTS);
        for (share, value_ns) in shares.zip(values) {
            let value = self.us(value_ns);
            match points.last_mut() {
                Some(last) if last[0] == value => last[1] = share,
                _ => points.push([value, share]),
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::{BUCKETS, LONGEST_NS, Latencies, bucket_of, shortest_of};
    use hdrhistogram::Histogram;

    /// The buckets are those of the histogram, each of which begins with its shortest latency.
    #[test]
    fn buckets_are_those_of_a_histogram_of_three_digits() {
        let histogram: Histogram<u64> = Histogram::new_with_max(LONGEST_NS, 3).expect("legal");
        for bucket in 0..BUCKETS {
            let shortest_ns = shortest_of(bucket);
            assert_eq!(bucket_of(shortest_ns), bucket);
            assert_eq!(histogram.lowest_equivalent(shortest_ns), shortest_ns);
            let longest_ns = histogram.highest_equivalent(shortest_ns);
            assert_eq!(bucket_of(longest_ns), bucket);
            assert_eq!(shortest_of(bucket + 1), longest_ns + 1);
        }
    }

    /// Latencies of 1, 2, … `last` microseconds, each of a request of 10 bytes.
    fn up_to(last: u64) -> Latencies {
        let mut latencies = Latencies::default();
        (1..=last).for_each(|us| latencies.record(us * 1000, 10));
        latencies
    }

    /// A value is told right to three digits.
    fn assert_close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} for {expected}");
    }

    #[test]
    fn each_figure_is_its_own() {
        let summary = up_to(100_000).summary();
        assert_eq!((summary.count, summary.bytes), (100_000, 1_000_000));
        assert_eq!(summary.mean_us, 50_000.5);
        assert_eq!(summary.max_us, 100_000.0);
        assert_close(summary.p50_us, 50_000.0);
        assert_close(summary.p95_us, 95_000.0);
        assert_close(summary.p99_us, 99_000.0);
        assert_close(summary.p999_us, 99_900.0);
        assert_close(summary.p9999_us, 99_990.0);
    }

    /// A rare slow request is seen by the percentile beyond which it lies, and by none below.
    #[test]
    fn a_percentile_tells_what_lies_beyond_it() {
        let mut latencies = Latencies::default();
        (0..99_989).for_each(|_| latencies.record(1_000, 1));
        (0..11).for_each(|_| latencies.record(64_000, 1));
        let summary = latencies.summary();
        assert_eq!((summary.p50_us, summary.p95_us, summary.p99_us), (1.0, 1.0, 1.0));
        assert_eq!(summary.p999_us, 1.0);
        assert_close(summary.p9999_us, 64.0);
    }

    #[test]
    fn without_a_request_there_is_nothing() {
        let summary = Latencies::default().summary();
        assert_eq!((summary.count, summary.bytes), (0, 0));
        assert_eq!((summary.mean_us, summary.p9999_us, summary.max_us), (0.0, 0.0, 0.0));
        assert!(summary.distribution.is_empty());
    }

    #[test]
    fn the_distribution_rises_to_the_maximum() {
        let distribution = up_to(100_000).summary().distribution;
        assert!(distribution.len() <= 201, "{}", distribution.len());
        assert!(
            distribution.windows(2).all(|pair| pair[0][0] < pair[1][0] && pair[0][1] < pair[1][1])
        );
        assert_eq!(distribution.last(), Some(&[100_000.0, 1.0]));
        for [latency_us, share] in distribution.into_iter().filter(|point| point[1] > 0.0) {
            assert_close(latency_us, share * 100_000.0);
        }
    }

    /// The walk over all points finds what a walk for each of them finds.
    #[test]
    fn points_of_the_distribution_are_quantiles() {
        for last in [1, 2, 7, 1_000, 100_000] {
            let latencies = up_to(last);
            let points = latencies.summary().distribution;
            assert_eq!(points.last().map(|point| point[1]), Some(1.0), "{last}");
            for [latency_us, share] in points {
                assert_eq!(latency_us, latencies.quantile_us(share), "{share} of {last}");
            }
        }
    }

    /// Buckets of more than a byte counts, and of less, in all and beyond a mark.
    #[test]
    fn each_bucket_counts_what_was_recorded_in_it() {
        let mut latencies = Latencies::default();
        let mark = latencies.clone();
        for (latency_ns, times) in [(1, 255), (2, 256), (3, 257), (4, 70_000), (5, 1)] {
            (0..times).for_each(|_| latencies.record(latency_ns, 1));
        }
        let earlier = latencies.clone();
        (0..300).for_each(|_| latencies.record(2, 1));
        let counts = |of: &Latencies| [0, 1, 2, 3, 4, 5].map(|bucket| of.count_in(bucket));
        assert_eq!(counts(&earlier), [0, 255, 256, 257, 70_000, 1]);
        assert_eq!(counts(&latencies.since(&mark).expect("some")), [0, 255, 556, 257, 70_000, 1]);
        assert_eq!(counts(&latencies.since(&earlier).expect("some")), [0, 0, 300, 0, 0, 0]);
    }

    #[test]
    fn those_of_two_kinds_are_joined() {
        let (few, many) = (up_to(300), up_to(70_000));
        let joined = few.joined(&many);
        assert_eq!((joined.count(), joined.bytes), (70_300, 703_000));
        assert_eq!(joined.sum_ns(), few.sum_ns() + many.sum_ns());
        assert_eq!(joined.summary().max_us, 70_000.0);
        assert_eq!(joined.count_in(bucket_of(1_000)), 2 * few.count_in(bucket_of(1_000)));
        assert_close(joined.quantile_us(0.5), 34_850.0);
        assert_eq!(many.joined(&few).summary().p99_us, joined.summary().p99_us);
    }

    #[test]
    fn a_window_holds_what_came_after_its_mark() {
        let mark = up_to(100);
        let mut latencies = mark.clone();
        assert!(latencies.since(&mark).is_none());
        latencies.record(3_000, 7);
        latencies.record(5_000, 9);
        let since = latencies.since(&mark).expect("two came");
        assert_eq!((since.count(), since.bytes, since.sum_ns()), (2, 16, 8_000));
        assert_eq!(since.mean_us(), 4.0);
        assert_close(since.quantile_us(0.5), 3.0);
        assert_close(since.quantile_us(1.0), 5.0);
    }
}
