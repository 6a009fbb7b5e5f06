//! Where host writes go: the order in which they visit the planes of a drive, and the choice of a plane
//! within a die.

mod most_free;
mod order;

pub use most_free::MostFree;
pub use order::{block_order, plane_order};
