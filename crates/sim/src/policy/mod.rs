//! One slot, one file each.

pub mod alloc;
pub mod gc;
pub mod hotness;
pub mod map_cache;
pub mod wear;
