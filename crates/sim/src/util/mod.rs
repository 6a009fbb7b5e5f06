//! Small tools without knowledge of flash.

mod fast_div;
mod few;
mod growing_bits;
mod large;
mod lru;
mod prefetch;
mod rng;
mod spans;
mod upcoming;

pub use fast_div::FastDiv;
pub use few::Few;
pub use growing_bits::GrowingBits;
pub use large::{large_vec, large_vec_with, large_zeros};
pub use lru::Lru;
pub use prefetch::{LINE_BYTES, prefetch, prefetch_all};
pub use rng::{Permutation, Rng, mix, unit_normal};
pub use upcoming::Upcoming;

/// No block, no unit, nothing.
pub const NONE: u32 = u32::MAX;
