//! Latencies of one kind of request.

use super::LatencySummary;
use hdrhistogram::Histogram;

/// Three significant digits, from 1 ns to 200 days.
const LONGEST_NS: u64 = 1 << 54;
/// Points of the distribution in a result.
const POINTS: usize = 200;

/// A histogram of latencies, with exact count, sum and maximum.
#[derive(Debug, Clone)]
pub struct Latencies {
    histogram: Histogram<u64>,
    bytes: u64,
    sum_ns: u128,
    max_ns: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        let histogram = Histogram::new_with_max(LONGEST_NS, 3).expect("the bounds are legal");
        Self { histogram, bytes: 0, sum_ns: 0, max_ns: 0 }
    }
}

impl Latencies {
    /// A request of `bytes` took `latency_ns`.
    #[inline]
    pub fn record(&mut self, latency_ns: u64, bytes: u32) {
        self.histogram.saturating_record(latency_ns);
        self.bytes += u64::from(bytes);
        self.sum_ns += u128::from(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// Requests recorded.
    pub fn count(&self) -> u64 {
        self.histogram.len()
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
        self.histogram.value_at_quantile(share).min(self.max_ns) as f64 / 1000.0
    }

    /// Those recorded after `before` was cloned from these; `None` without one. Their maximum is not
    /// known: it is that of all.
    pub fn since(&self, before: &Self) -> Option<Self> {
        if self.count() == before.count() {
            return None;
        }
        let mut since = self.clone();
        since.histogram.subtract(&before.histogram).ok()?;
        since.bytes -= before.bytes;
        since.sum_ns -= before.sum_ns;
        Some(since)
    }

    /// The figures of a result; percentiles are right to three digits, the rest exactly.
    pub fn summary(&self) -> LatencySummary {
        let count = self.count();
        LatencySummary {
            count,
            bytes: self.bytes,
            mean_us: if count == 0 { 0.0 } else { self.mean_us() },
            p50_us: self.quantile_us(0.5),
            p95_us: self.quantile_us(0.95),
            p99_us: self.quantile_us(0.99),
            p999_us: self.quantile_us(0.999),
            p9999_us: self.quantile_us(0.9999),
            max_us: self.max_ns as f64 / 1000.0,
            distribution: self.distribution(),
        }
    }

    /// `[latency_us, share at or below]`, denser towards the tail.
    fn distribution(&self) -> Vec<[f64; 2]> {
        if self.count() == 0 {
            return Vec::new();
        }
        let half = POINTS / 2;
        let body = (0..half).map(|i| i as f64 / half as f64);
        // From 99 % on in steps of equal factor, to one in a million.
        let tail = (0..half).map(|i| 1.0 - 10f64.powf(-2.0 - 4.0 * i as f64 / half as f64));
        let mut points: Vec<[f64; 2]> = Vec::with_capacity(POINTS);
        for share in body.chain(tail).chain([1.0]) {
            let value = self.quantile_us(share);
            match points.last_mut() {
                Some(last) if last[0] == value => last[1] = share,
                _ => points.push([value, share]),
            }
        }
        points
    }
}
