//! Division by a number known only at run time, in one multiplication.

/// A divisor in 1..2^32, for dividends of which the next one's product with it is 2^64 at most: all below 2^32, and
/// larger ones where it is smaller (after Lemire, Kaser & Kurz, 2019, who round up and need no next one, but a case of
/// its own for 1).
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
        Self { magic: u64::MAX / u64::from(divisor), divisor }
    }

    /// `n / divisor`.
    #[inline]
    pub fn div(self, n: u64) -> u64 {
        debug_assert!(n < self.magic, "{n} / {}", self.divisor);
        ((u128::from(self.magic) * u128::from(n + 1)) >> 64) as u64
    }

    /// `(n / divisor, n % divisor)`.
    #[inline]
    pub fn div_rem(self, n: u64) -> (u64, u32) {
        let quotient = self.div(n);
        (quotient, (n - quotient * u64::from(self.divisor)) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::FastDiv;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_hardware(n: u64, d in 1u32.., bits in 0..64u32) {
            let n = n >> bits.max(u32::BITS - d.leading_zeros());
            let (quotient, rest) = FastDiv::new(d).div_rem(n);
            prop_assert_eq!((quotient, u64::from(rest)), (n / u64::from(d), n % u64::from(d)));
        }
    }

    #[test]
    fn holds_at_the_edges() {
        for d in [1, 2, 3, 7, 64, 2112, u32::MAX] {
            let wide = u64::from(d);
            let last = u64::MAX / wide - 1;
            for n in [0, 1, wide - 1, wide, u32::MAX.into(), last - last % wide - 1, last] {
                assert_eq!(FastDiv::new(d).div(n), n / wide, "{n} / {d}");
            }
        }
    }
}
