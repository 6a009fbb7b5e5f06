//! Powers of two and logarithms to base two: the same bits on every machine, and fewer steps than functions that take
//! any number.

use std::f64::consts::{LN_2, LOG2_E};
use std::sync::LazyLock;

/// Parts into which an octave is divided, of powers and of logarithms.
const PARTS: usize = 64;
const LOG_PARTS: usize = 128;
/// Added to a number, it rounds that to a whole one, which then stands in the lowest bits.
const WHOLE: f64 = 6_755_399_441_055_744.0;
const MANTISSA_BITS: u32 = 52;
const BIAS: i64 = 1023;

/// Powers and logarithms at the ends of each part.
#[derive(Debug)]
pub(super) struct Powers {
    powers: [f64; PARTS],
    /// Of each number its reciprocal and its logarithm.
    logarithms: [(f64, f64); LOG_PARTS + 1],
}

impl Powers {
    /// Those of the process.
    #[inline]
    pub fn get() -> &'static Self {
        static POWERS: LazyLock<Powers> = LazyLock::new(|| Powers {
            powers: std::array::from_fn(|part| libm::exp2(part as f64 / PARTS as f64)),
            logarithms: std::array::from_fn(|part| {
                let number = 1.0 + part as f64 / LOG_PARTS as f64;
                (1.0 / number, libm::log2(number))
            }),
        });
        &POWERS
    }

    /// Two to the power of `x`, which counts as ±1000 beyond that.
    #[inline(always)]
    pub fn exp2(&self, x: f64) -> f64 {
        let parts = x.clamp(-1000.0, 1000.0) * PARTS as f64;
        let rounded = parts + WHOLE;
        let whole = i64::from(rounded.to_bits() as i32);
        let rest = (parts - (rounded - WHOLE)) * (LN_2 / PARTS as f64);
        let series =
            rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
        let part = self.powers[whole as usize % PARTS];
        let octaves = f64::from_bits(((BIAS + (whole >> 6)) as u64) << MANTISSA_BITS);
        (part + part * series) * octaves
    }

    /// The logarithm of `x`, which is a normal number above 0.
    #[inline(always)]
    pub fn log2(&self, x: f64) -> f64 {
        let bits = x.to_bits();
        let octave = (bits >> MANTISSA_BITS) as i64 - BIAS;
        let mantissa = bits & ((1 << MANTISSA_BITS) - 1);
        let part = (((mantissa >> (MANTISSA_BITS - 8)) + 1) >> 1) as usize;
        let (reciprocal, logarithm) = self.logarithms[part.min(LOG_PARTS)];
        let number = f64::from_bits(mantissa | (BIAS as u64) << MANTISSA_BITS);
        let rest = number * reciprocal - 1.0;
        let series = rest
            * (1.0
                - rest
                    * (0.5
                        - rest * (1.0 / 3.0 - rest * (0.25 - rest * (0.2 - rest * (1.0 / 6.0))))));
        octave as f64 + (logarithm + series * LOG2_E)
    }

    /// `x` to the power of `exponent`, neither below 0.
    #[inline]
    pub fn pow(&self, x: f64, exponent: f64) -> f64 {
        match (x >= f64::MIN_POSITIVE, exponent > 0.0) {
            (true, _) => self.exp2(exponent * self.log2(x)),
            (false, true) => 0.0,
            (false, false) => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_logarithms_are_those_of_the_library() {
        let of = Powers::get();
        for n in 0..200_000 {
            let x = f64::from(n) * 0.01 - 1000.0;
            assert!((of.exp2(x) / libm::exp2(x) - 1.0).abs() < 1e-15, "{x}");
            let number = libm::exp2(x) * (1.0 + f64::from(n % 977) / 977.0);
            let logarithm = libm::log2(number);
            assert!((of.log2(number) - logarithm).abs() <= 1e-15 * logarithm.abs().max(1.0), "{x}");
        }
        for (x, exponent) in [(30.0, 0.54), (1e6, 1.71), (1e-9, 0.54), (0.125, 0.0)] {
            assert!((of.pow(x, exponent) / libm::pow(x, exponent) - 1.0).abs() < 2e-14, "{x}");
        }
        assert_eq!(
            (of.pow(0.0, 0.5), of.pow(0.0, 0.0), of.log2(1.0), of.exp2(0.0)),
            (0.0, 1.0, 0.0, 1.0)
        );
        assert!(of.exp2(-1e9) < 1e-300 && of.exp2(1e9) > 1e300);
    }
}
