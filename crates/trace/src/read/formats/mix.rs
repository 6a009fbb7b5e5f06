//! Operations for traces that have none: drawn in a share that the user names.

use crate::Op;

/// Reads and writes in a given mix, the same for every reading of a trace.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mix {
    /// An access is a read if its draw lies below this.
    read_below: u64,
}

impl Mix {
    /// A share of reads, from 0 to 1.
    pub fn new(read: f64) -> Self {
        // A share of 1 lies above every draw but the greatest of 2^64.
        Self { read_below: (read * 2f64.powi(64)) as u64 }
    }

    /// The operation of access `number`.
    #[inline]
    pub fn op(self, number: u64) -> Op {
        if draw(number) < self.read_below { Op::Read } else { Op::Write }
    }
}

/// 64 bits that look random: the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014).
#[inline]
fn draw(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mix_is_what_was_asked_for() {
        for share in [0.0, 0.3, 0.7, 1.0] {
            let mix = Mix::new(share);
            let reads = (0..100_000).filter(|&number| mix.op(number) == Op::Read).count();
            // Three standard deviations of a binomial count are below 440 here.
            assert!((reads as f64 - share * 1e5).abs() < 440.0, "{share}: {reads}");
        }
    }
}
