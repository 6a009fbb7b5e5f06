//! Looking at a share of the addresses: which, and how far the figures may be off.
//!
//! A chunk of pages is looked at if a hash of its address lies below a threshold, so that all
//! requests to it are seen or none: Waldspurger et al., "Efficient MRC Construction with SHARDS",
//! FAST 2015, section 3.

use super::pages::{Chunk, Pages};
use super::report::Sampling;

/// Which chunks are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampler {
    share: f64,
    threshold: u64,
}

impl Sampler {
    /// Looks at about `share` of the chunks, above 0; at all of them from 1 on.
    pub fn new(share: f64) -> Self {
        let share = share.min(1.0);
        // The product saturates to the greatest number.
        Self { share, threshold: (share * 2f64.powi(64)) as u64 }
    }

    /// Whether a chunk of a volume is looked at.
    #[inline]
    pub fn takes(self, volume: u32, chunk: u64) -> bool {
        // Chunk numbers lie below 2^48: addresses below 2^64, 64 KiB each.
        let [upper, lower] = [volume >> 16, volume & 0xffff].map(u64::from);
        let hash = || mixed((lower << 48 | chunk) ^ upper.wrapping_mul(ODD));
        self.threshold == u64::MAX || hash() < self.threshold
    }

    /// What a page that was looked at stands for.
    pub fn scale(self) -> f64 {
        1.0 / self.share
    }

    /// Takes what the pages of volumes add to the errors.
    pub fn tallies(self) -> Tallies {
        Tallies { sampler: self, all: Vec::new() }
    }
}

/// What each chunk that was looked at adds.
pub(super) struct Tallies {
    sampler: Sampler,
    all: Vec<Tally>,
}

impl Tallies {
    /// Takes the pages of one more volume.
    pub fn add(&mut self, pages: &Pages) {
        if self.sampler.threshold != u64::MAX {
            self.all.extend(pages.chunks().map(Tally::of));
        }
    }

    /// How the figures of the volumes were estimated; `None` where all was looked at.
    pub fn finish(&self) -> Option<Sampling> {
        if self.sampler.threshold == u64::MAX {
            return None;
        }
        let (share, tallies) = (self.sampler.share, &self.all);
        let sum = |of: fn(&Tally) -> f64| tallies.iter().map(of).sum::<f64>();
        let (touched, written) = (sum(|t| t.touched), sum(|t| t.written));
        let ratio = sum(|t| t.updated) / written;
        let residuals: f64 = tallies.iter().map(|t| (t.updated - ratio * t.written).powi(2)).sum();
        let missed = 1.0 - share;
        let error = |squares: f64, of: f64| (of > 0.0).then(|| (missed * squares).sqrt() / of);
        Some(Sampling {
            share,
            pages: touched as u64,
            footprint_error: error(sum(|t| t.touched * t.touched), touched),
            update_share_error: error(residuals, written),
        })
    }
}

/// What a chunk adds: chunks, not pages, are drawn, each with the same chance and by itself. The
/// errors are those of the Horvitz-Thompson estimator of a sum, and of a ratio to first order:
/// Särndal et al., "Model Assisted Survey Sampling", 1992, sections 3.2 and 5.6.
struct Tally {
    touched: f64,
    written: f64,
    updated: f64,
}

impl Tally {
    fn of(chunk: &Chunk) -> Self {
        let mut tally = Self { touched: 0.0, written: 0.0, updated: 0.0 };
        for page in chunk {
            tally.touched += f64::from(u8::from(page.read | page.written != 0));
            tally.written += f64::from(page.updates()) + f64::from(u8::from(page.written != 0));
            tally.updated += f64::from(page.updates());
        }
        tally
    }
}

/// An odd number without a pattern, so that volumes whose numbers differ in their upper bits alone differ in many.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes the bits of a number: the finalizer of `SplitMix64`; Steele et al., OOPSLA 2014.
#[inline]
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(ODD);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
