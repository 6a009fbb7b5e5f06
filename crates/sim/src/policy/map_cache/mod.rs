//! Where the map lives: whole in DRAM, or demand-paged.

mod dftl;

pub use dftl::{Access, MapCache};
