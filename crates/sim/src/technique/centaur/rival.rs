//! The rival with which Centaur is compared: small requests are hot and go to SLC, others to MLC, by sizes
//! that two clusters of the last epoch's requests tell apart (Section 6.2.5, after its reference 22).

use std::collections::BTreeMap;

/// Sizes of requests, and which of them are hot.
#[derive(Debug, Default)]
pub struct Sizes {
    /// Requests by size in this epoch.
    counts: BTreeMap<u32, u64>,
    /// Requests of this epoch.
    seen: u64,
    /// Requests of an epoch.
    epoch: u64,
    /// The largest size that is hot.
    pub hot_bytes: u32,
    /// The request that was counted last.
    last: Option<u64>,
}

impl Sizes {
    /// Epochs of so many requests; in the first one, sizes up to `hot_bytes` are hot.
    pub fn new(epoch: u64, hot_bytes: u32) -> Self {
        Self { epoch, hot_bytes, ..Self::default() }
    }

    /// Takes note of a request, once; true where it is hot by the epoch before.
    pub fn is_hot(&mut self, request: u64, bytes: u32) -> bool {
        let is_hot = bytes <= self.hot_bytes;
        if self.last != Some(request) {
            self.last = Some(request);
            *self.counts.entry(bytes).or_default() += 1;
            self.seen += 1;
            if self.seen == self.epoch {
                self.hot_bytes = smaller_cluster(&self.counts).unwrap_or(self.hot_bytes);
                (self.counts, self.seen) = (BTreeMap::new(), 0);
            }
        }
        is_hot
    }
}

/// The largest size of the smaller of two clusters: the split of all sizes by which these differ least from
/// the means of their clusters, as squares, which is what k-means looks for; `None` for a single size.
fn smaller_cluster(counts: &BTreeMap<u32, u64>) -> Option<u32> {
    let sums = |part: &[(u32, u64)]| {
        part.iter().fold([0.0, 0.0, 0.0], |[n, x, xx], &(size, count)| {
            let (size, count) = (f64::from(size), count as f64);
            [n + count, x + count * size, xx + count * size * size]
        })
    };
    let scatter = |[n, x, xx]: [f64; 3]| xx - x * x / n;
    let sizes: Vec<(u32, u64)> = counts.iter().map(|(&size, &count)| (size, count)).collect();
    let splits = (1..sizes.len()).map(|split| {
        let (small, large) = sizes.split_at(split);
        (scatter(sums(small)) + scatter(sums(large)), sizes[split - 1].0)
    });
    splits.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, size)| size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_judges_the_next_one() {
        let mut sizes = Sizes::new(10, 8192);
        let kib = |n: u32| n * 1024;
        // Four clusters by eye; 4 and 8 KiB against 64 and 72.
        for (request, size) in [4, 8, 4, 8, 4, 64, 72, 64, 4].into_iter().enumerate() {
            assert_eq!(sizes.is_hot(request as u64, kib(size)), size <= 8);
        }
        sizes.hot_bytes = kib(2);
        assert!(!sizes.is_hot(9, kib(4)));
        assert_eq!(sizes.hot_bytes, kib(8));
        assert!(sizes.is_hot(10, kib(8)) && !sizes.is_hot(11, kib(8) + 1));
    }

    #[test]
    fn parts_of_a_request_count_once_and_a_single_size_decides_nothing() {
        let mut sizes = Sizes::new(2, 100);
        for _ in 0..4 {
            sizes.is_hot(0, 7);
        }
        assert_eq!((sizes.seen, sizes.hot_bytes), (1, 100));
        sizes.is_hot(1, 7);
        assert_eq!((sizes.seen, sizes.hot_bytes), (0, 100));
    }
}
