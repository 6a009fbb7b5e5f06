//! Elementary functions that are the same on every machine, and steady where they cancel.

pub(crate) use libm::{exp, expm1, log, log1p, pow};

/// ln(1 + x) / x, also near zero.
#[inline]
pub(crate) fn log1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { log1p(x) / x } else { 1.0 - x * (0.5 - x / 3.0) }
}

/// (e^x − 1) / x, also near zero.
#[inline]
pub(crate) fn expm1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { expm1(x) / x } else { 1.0 + x * (0.5 + x / 6.0) }
}
