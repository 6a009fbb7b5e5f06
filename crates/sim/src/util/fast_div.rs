//! Division by a number known only at run time, in one multiplication.

/// A divisor in 1..2^32, for dividends below 2^32 (Lemire, Kaser & Kurz, 2019).
#[derive(Debug, Clone, Copy)]
pub struct FastDiv {
    magic: u64,
    divisor: u32,
}

impl FastDiv {
    /// Prepares division by `divisor`.
    ///
    /// # Panics
    /// If `divisor` is zero.
    pub fn new(divisor: u32) -> Self {
        assert!(divisor > 0, "division by zero");
        let magic = if divisor == 1 { 0 } else { u64::MAX / u64::from(divisor) + 1 };
        Self { magic, divisor }
    }

    /// `n / divisor`.
    #[inline]
    pub fn div(self, n: u32) -> u32 {
        if self.divisor == 1 {
            return n;
        }
        ((u128::from(self.magic) * u128::from(n)) >> 64) as u32
    }

    /// `(n / divisor, n % divisor)`.
    #[inline]
    pub fn div_rem(self, n: u32) -> (u32, u32) {
        let quotient = self.div(n);
        (quotient, n - quotient * self.divisor)
    }
}

#[cfg(test)]
mod tests {
    use super::FastDiv;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_hardware(n: u32, d in 1u32..) {
            prop_assert_eq!(FastDiv::new(d).div_rem(n), (n / d, n % d));
        }
    }

    #[test]
    fn holds_at_the_edges() {
        for d in [1, 2, 3, 7, 64, 2112, u32::MAX] {
            for n in [0, 1, d - 1, d, u32::MAX - 1, u32::MAX] {
                assert_eq!(FastDiv::new(d).div(n), n / d, "{n} / {d}");
            }
        }
    }
}
