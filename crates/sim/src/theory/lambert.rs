//! The Lambert W function.

/// The principal branch W₀ of the Lambert function: the w ≥ −1 with w·eʷ = `x`, for `x` ≥ −1/e.
/// NaN for smaller `x`.
///
/// Halley's method from the series at the branch point or the asymptote (Corless et al., "On the
/// Lambert W function", Advances in Computational Mathematics 5, 1996, eqs. 4.19, 4.22, 5.9).
pub fn lambert_w0(x: f64) -> f64 {
    /// −1/e as it can be represented; a rounding error beyond it still counts as −1/e.
    const BRANCH_POINT: f64 = -0.367_879_441_171_442_33;
    if x < BRANCH_POINT * (1.0 + 4.0 * f64::EPSILON) {
        return f64::NAN;
    }
    let mut w = first_guess(x);
    for _ in 0..50 {
        let exp = w.exp();
        let residual = w * exp - x;
        let slope = exp * (w + 1.0);
        if residual == 0.0 || slope == 0.0 {
            break;
        }
        let step = residual / (slope - 0.5 * residual * (w + 2.0) / (w + 1.0));
        w -= step;
        if step.abs() <= 1e-15 * (1.0 + w.abs()) {
            break;
        }
    }
    w.max(-1.0)
}

fn first_guess(x: f64) -> f64 {
    if x < -0.2 {
        let p = (2.0 * (std::f64::consts::E * x + 1.0)).max(0.0).sqrt();
        -1.0 + p - p * p / 3.0
    } else if x < 3.0 {
        x.ln_1p()
    } else {
        let log = x.ln();
        log - log.ln()
    }
}
