//! Reads: how much is read again, what of it is written too, in what order.

use super::sizes::SizeMeter;
use super::{Page, Pages, rounded};
use crate::Request;
use crate::twin::model::Reads;

/// The share of the pages over which skew is stated.
const HOT_SHARE: f64 = 0.2;

#[derive(Default)]
pub(super) struct Meter {
    requests: u64,
    sequential: u64,
    end: Option<(u16, u64)>,
    sizes: SizeMeter,
}

impl Meter {
    pub fn add(&mut self, request: &Request) {
        self.requests += 1;
        let begin = (request.stream, request.offset_bytes);
        self.sequential += u64::from(self.end == Some(begin));
        self.end = Some((request.stream, request.offset_bytes + u64::from(request.size_bytes)));
        self.sizes.add(request.size_bytes, 1.0);
    }

    pub fn finish(self, pages: &Pages) -> Option<Reads> {
        if self.requests == 0 {
            return None;
        }
        let read = |page: &&Page| page.reads > 0;
        let mut counts: Vec<u32> = pages.0.values().filter(read).map(|page| page.reads).collect();
        let distinct = counts.len() as f64;
        let total: f64 = counts.iter().map(|&reads| f64::from(reads)).sum();
        let written = pages.0.values().filter(read).filter(|page| page.writes > 0).count() as f64;
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let hot = (distinct * HOT_SHARE).round() as usize;
        let again: f64 = counts[..hot].iter().map(|&reads| f64::from(reads - 1)).sum();
        Some(Reads {
            new: rounded(distinct / total),
            overlap: rounded(written / distinct),
            sequential: rounded(self.sequential as f64 / self.requests as f64),
            skew: rounded(if total > distinct { again / (total - distinct) } else { HOT_SHARE }),
            sizes: self.sizes.finish(),
        })
    }
}
