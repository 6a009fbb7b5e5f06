//! Distributions in closed form, with the same bits on every machine (`libm`, not the system's).

mod binomial;
mod normal;
mod student;

pub use binomial::{binomial_interval, binomial_tail, incomplete_beta};
pub use normal::{normal_cdf, normal_quantile};
pub use student::{student_quantile, student_tails};
