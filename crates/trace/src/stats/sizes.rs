//! Sizes of requests.

use super::histogram::Histogram;
use super::report::SizeStats;

/// Sizes of one kind of requests.
#[derive(Debug, Clone)]
pub(super) struct Sizes {
    histogram: Histogram,
    /// Requests of at most 2^n bytes, and of more than half of that.
    classes: [u64; 33],
}

impl Default for Sizes {
    fn default() -> Self {
        Self { histogram: Histogram::default(), classes: [0; 33] }
    }
}

impl Sizes {
    /// Counts a size above 0.
    #[inline]
    pub fn add(&mut self, size_bytes: u32) {
        self.histogram.add(u64::from(size_bytes));
        self.classes[u32::BITS as usize - (size_bytes - 1).leading_zeros() as usize] += 1;
    }

    /// Counts what `other` counted.
    pub fn merge(&mut self, other: &Self) {
        self.histogram.merge(&other.histogram);
        self.classes.iter_mut().zip(other.classes).for_each(|(ours, theirs)| *ours += theirs);
    }

    /// Requests.
    pub fn count(&self) -> u64 {
        self.histogram.count()
    }

    /// Bytes in all.
    pub fn bytes(&self) -> u64 {
        self.histogram.sum() as u64
    }

    /// The statistics; `None` where there is no request.
    pub fn finish(&self) -> Option<SizeStats> {
        let kib = |q| self.histogram.quantile(q).unwrap_or(0) as f64 / 1024.0;
        let used = |&count: &u64| count > 0;
        let first = self.classes.iter().position(used)?;
        let last = self.classes.iter().rposition(used)?;
        let classes = (first..=last).map(|log2| (1 << log2, self.classes[log2]));
        Some(SizeStats {
            mean_kib: self.histogram.mean()? / 1024.0,
            min_kib: self.histogram.min() as f64 / 1024.0,
            p50_kib: kib(0.5),
            p90_kib: kib(0.9),
            p99_kib: kib(0.99),
            max_kib: self.histogram.max() as f64 / 1024.0,
            histogram_bytes: classes.collect(),
        })
    }
}
