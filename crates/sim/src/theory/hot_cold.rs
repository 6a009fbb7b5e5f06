//! Writes of several temperatures, in one FIFO log or in one log each.

use super::{bisect, fifo};

/// A class of logical units that are written with equal probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Class {
    /// Share of the logical units, f; the shares of all classes sum to 1.
    pub space: f64,
    /// Share of the writes, r; the shares of all classes sum to 1.
    pub writes: f64,
}

/// Write amplification when all classes share one log under FIFO cleaning: the root of
/// A = Σ r_k / (1 − e^(−r_k·α / (f_k·A))).
///
/// As [`fifo`], with a probability of survival for each class. Desnoyers, "Analytic models of SSD
/// write performance", ACM TOS 10(2), 2014.
pub fn mixed_fifo(alpha: f64, classes: &[Class]) -> f64 {
    if alpha <= 1.0 {
        return f64::INFINITY;
    }
    let amplification = |a: f64| -> f64 {
        let of = |k: &Class| k.writes / -(-k.writes * alpha / (k.space * a)).exp_m1();
        classes.iter().filter(|k| k.writes > 0.0).map(of).sum()
    };
    bisect(1.0, alpha / (alpha - 1.0), |a| amplification(a) > a)
}

/// Write amplification when each class has a log of its own under FIFO cleaning and class k gets
/// the share `spare[k]` of the spare space (α − 1)·U: A = Σ r_k · A_FIFO(α_k).
///
/// Desnoyers, "Analytic models of SSD write performance", ACM TOS 10(2), 2014.
pub fn separate_fifo(alpha: f64, classes: &[Class], spare: &[f64]) -> f64 {
    let of = |(class, spare): (&Class, &f64)| {
        class.writes * fifo(1.0 + (alpha - 1.0) * spare / class.space)
    };
    classes.iter().zip(spare).filter(|(class, _)| class.writes > 0.0).map(of).sum()
}

/// The least [`separate_fifo`] over all splits of the spare space, and that split.
///
/// With x = α/A, FIFO's form is the curve A = 1/(1 − e^(−x)), α = x/(1 − e^(−x)), whose slope is
/// dA/dα = −1/(eˣ − 1 − x). It rises, so A is convex and the split is best where another unit of
/// spare space is worth the same to every class: (r_k/f_k) / (eˣ − 1 − x) = λ (own derivation; two
/// classes: Stoica and Ailamaki, "Improving flash write performance by using update frequency",
/// VLDB 2013).
pub fn separate_fifo_optimal(alpha: f64, classes: &[Class]) -> (f64, Vec<f64>) {
    let spare_for = |log_worth: f64| -> Vec<f64> {
        let of = |k: &Class| k.space * (alpha_at(k.writes / k.space * log_worth.exp()) - 1.0);
        classes.iter().map(of).collect()
    };
    let log_worth = bisect(-200.0, 200.0, |w| spare_for(w).iter().sum::<f64>() < alpha - 1.0);
    let spare = spare_for(log_worth);
    let total: f64 = spare.iter().sum();
    let split: Vec<f64> = spare.iter().map(|s| s / total).collect();
    (separate_fifo(alpha, classes, &split), split)
}

/// The α at which eˣ − 1 − x = `y` on FIFO's curve. Newton's method for x from above, where the
/// convex left side makes every step stay above the root; x = ln(1 + x + y) and x² < 2y bound it.
fn alpha_at(y: f64) -> f64 {
    if y <= 0.0 {
        return 1.0;
    }
    let mut x = (y + (2.0 * y).sqrt()).ln_1p();
    for _ in 0..50 {
        let step = (x.exp_m1() - x - y) / x.exp_m1();
        x -= step;
        if step <= 1e-14 * x {
            break;
        }
    }
    x / -(-x).exp_m1()
}
