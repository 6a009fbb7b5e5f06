//! Closed forms that studies set beside runs.

use pyo3::prelude::*;
use wordline_sim::theory::{Cleaning, Reuse};

/// Erases with reuse over those without it, and the least share of hot writes at which reuse pays, with
/// greedy GC: see `wordline_sim::theory::Reuse`.
#[pyfunction]
pub fn reuse(
    hot: f64,
    left_out: f64,
    alpha: f64,
    alpha_reserved: f64,
    units_per_block: usize,
    live: f64,
) -> (f64, f64) {
    let of = Reuse { hot, left_out, alpha, alpha_reserved, units_per_block, live };
    (of.erases(Cleaning::Greedy), of.least_hot(Cleaning::Greedy))
}
