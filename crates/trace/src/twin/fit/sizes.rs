//! Sizes of requests, in as few numbers as show their distribution.

use super::rounded;
use crate::twin::sizes::Sizes;
use std::collections::BTreeMap;

/// Sizes that are kept as they are, the most frequent ones; the others are put together by octave.
const KEPT: usize = 12;

const SECTOR_BYTES: f64 = 512.0;

/// Bytes and how many requests have them; a fraction where a request is of several classes.
#[derive(Default, Clone)]
pub(super) struct SizeMeter(BTreeMap<u32, f64>);

impl SizeMeter {
    pub fn add(&mut self, bytes: u32, weight: f64) {
        *self.0.entry(bytes).or_insert(0.0) += weight;
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The distribution; its mean stays, but for the rounding to sectors.
    pub fn finish(self) -> Sizes {
        let mut by_weight: Vec<(u32, f64)> = self.0.into_iter().collect();
        by_weight.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let rest = by_weight.split_off(KEPT.min(by_weight.len()));
        // By octave: the requests, and their bytes.
        let mut octaves: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for (bytes, weight) in rest {
            let octave = octaves.entry(bytes.ilog2()).or_default();
            octave.0 += weight;
            octave.1 += weight * f64::from(bytes);
        }
        let mean = |&(weight, bytes): &(f64, f64)| {
            (((bytes / weight / SECTOR_BYTES).round().max(1.0) * SECTOR_BYTES) as u32, weight)
        };
        by_weight.extend(octaves.values().map(mean));
        by_weight.sort_by_key(|pair| pair.0);
        Sizes(by_weight.into_iter().map(|(bytes, weight)| (bytes, rounded(weight))).collect())
    }
}
