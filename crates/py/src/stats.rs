//! Distributions for Python.

use pyo3::prelude::*;

/// What Student's t of `degrees` degrees of freedom stays below, by its size, with probability
/// `confidence`.
#[pyfunction]
pub fn student_quantile(degrees: usize, confidence: f64) -> f64 {
    wordline_stats::student_quantile(0.5 + 0.5 * confidence, degrees)
}

/// The probability that it is further from zero than `t`.
#[pyfunction]
pub fn student_tails(t: f64, degrees: usize) -> f64 {
    wordline_stats::student_tails(t, degrees)
}
