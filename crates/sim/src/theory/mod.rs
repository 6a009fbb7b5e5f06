//! Write amplification in closed form: what a page-mapped drive must show under a workload that is
//! simple enough for theory. Pure mathematics, no state, no dependency.
//!
//! # What the letters count
//!
//! * `alpha` = α = N·b / U. N is the number of blocks that are *full* at the moment when garbage
//!   collection chooses its victim among them, b the mapping units of a block, U the logical units,
//!   all of them written. Erased blocks that the drive holds back, bad blocks and space that is
//!   never used are not part of N·b: with F blocks of T/b held back, α = (T − F·b) / U, which is
//!   less than T/U. The over-provisioning of those N blocks is α − 1.
//! * ρ = 1/α, the share of the full blocks' units that is valid.
//! * A, the write amplification: units programmed (host and migration) per unit that the host
//!   writes, with one write frontier that host writes and migrations share.
//!
//! All forms are exact for N → ∞ and uniformly random writes of single units, unless they say
//! otherwise. For α ≤ 1 there is nothing to reclaim: they return infinity.

mod hot_cold;
mod lambert;
mod mean_field;
mod reuse;
mod uniform;

pub use hot_cold::{Class, mixed_fifo, separate_fifo, separate_fifo_optimal};
pub use lambert::lambert_w0;
pub use mean_field::{d_choices, greedy};
pub use reuse::Reuse;
pub use uniform::{fifo, fifo_in_passes, fifo_valid_share_by_age, greedy_desnoyers, random};

/// How the victim is chosen among the full blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleaning {
    /// The block that was filled first.
    Fifo,
    /// Any block, with equal probability.
    Random,
    /// A block with the fewest valid units.
    Greedy,
    /// The one with the fewest valid units among this many drawn at random with replacement.
    DChoices(u32),
}

/// The steady state of a drive under uniformly random writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// `share[i]`: share of the full blocks that hold i valid units, for i = 0 ..= b. Sums to 1;
    /// the mean of i is b/α.
    pub share: Vec<f64>,
    /// Write amplification.
    pub write_amplification: f64,
}

/// Write amplification of `policy`; see the [module](self) for `alpha`. `units_per_block` is at
/// least 1.
pub fn write_amplification(policy: Cleaning, alpha: f64, units_per_block: usize) -> f64 {
    match policy {
        Cleaning::Fifo => fifo(alpha),
        Cleaning::Random => random(alpha),
        Cleaning::Greedy => greedy(alpha, units_per_block),
        Cleaning::DChoices(d) => d_choices(alpha, units_per_block, d),
    }
}

/// How many valid units the full blocks hold in steady state, to set a drive directly into it.
///
/// For [`Cleaning::Fifo`] the blocks are not alike: a block's valid units follow from its age in the
/// log, see [`fifo_valid_share_by_age`]; `share` is the mixture over all ages.
///
/// For `alpha` ≤ 1 every block is full of valid units.
pub fn profile(policy: Cleaning, alpha: f64, units_per_block: usize) -> Profile {
    if alpha <= 1.0 {
        let mut share = vec![0.0; units_per_block + 1];
        share[units_per_block] = 1.0;
        return Profile { share, write_amplification: f64::INFINITY };
    }
    match policy {
        Cleaning::Fifo => uniform::fifo_profile(alpha, units_per_block),
        Cleaning::Random => mean_field::d_choices_profile(alpha, units_per_block, 1),
        Cleaning::Greedy => mean_field::greedy_profile(alpha, units_per_block),
        Cleaning::DChoices(d) => mean_field::d_choices_profile(alpha, units_per_block, d),
    }
}

/// The place between `low` and `high` where `is_left` turns from true to false.
fn bisect(mut low: f64, mut high: f64, is_left: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if is_left(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests;
