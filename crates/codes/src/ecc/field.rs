//! Finite fields of 2^m elements, m from 3 to 16. An element's bit k is its coefficient of α^k.

/// Primitive polynomials, by degree from 3: with few and low terms, so that reduction is short.
/// From degree 5 to 15 they are those of Linux's `lib/bch`, which makes parities interchangeable.
const PRIMITIVE: [u32; 14] = [
    0xb, 0x13, 0x25, 0x43, 0x83, 0x11d, 0x211, 0x409, 0x805, 0x1053, 0x201b, 0x402b, 0x8003,
    0x1_002d,
];

/// The smallest and the largest degree.
pub const DEGREES: std::ops::RangeInclusive<usize> = 3..=16;

/// A field by its tables of powers and logarithms.
#[derive(Debug, Clone)]
pub struct Field {
    degree: usize,
    exp: Vec<u16>,
    log: Vec<u16>,
}

impl Field {
    /// The field of 2^`degree` elements.
    ///
    /// # Panics
    /// When `degree` is not in [`DEGREES`].
    pub fn new(degree: usize) -> Self {
        let poly = Self::polynomial(degree);
        let order = (1usize << degree) - 1;
        let (mut exp, mut log) = (vec![0; 2 * order], vec![0; order + 1]);
        let mut power = 1u32;
        for exponent in 0..order {
            exp[exponent] = power as u16;
            exp[exponent + order] = power as u16;
            log[power as usize] = exponent as u16;
            power <<= 1;
            if power >> degree != 0 {
                power ^= poly;
            }
        }
        Self { degree, exp, log }
    }

    /// The primitive polynomial that defines the field of 2^`degree` elements.
    ///
    /// # Panics
    /// When `degree` is not in [`DEGREES`].
    pub const fn polynomial(degree: usize) -> u32 {
        assert!(*DEGREES.start() <= degree && degree <= *DEGREES.end());
        PRIMITIVE[degree - *DEGREES.start()]
    }

    /// m, where the field has 2^m elements.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Number of elements other than zero.
    pub fn order(&self) -> usize {
        self.log.len() - 1
    }

    /// α^`exponent`, for any exponent.
    #[inline]
    pub fn power(&self, exponent: usize) -> u16 {
        self.exp[exponent % self.order()]
    }

    /// The logarithm of `a` to the base α.
    ///
    /// # Panics
    /// When `a` is no element. That of zero is not defined, and returned as 0.
    #[inline]
    pub fn log(&self, a: u16) -> usize {
        usize::from(self.log[usize::from(a)])
    }

    /// The product.
    #[inline]
    pub fn mul(&self, a: u16, b: u16) -> u16 {
        if a == 0 || b == 0 { 0 } else { self.exp[self.log(a) + self.log(b)] }
    }

    /// The quotient.
    ///
    /// # Panics
    /// When `b` is zero.
    #[inline]
    pub fn div(&self, a: u16, b: u16) -> u16 {
        assert_ne!(b, 0, "division by zero");
        if a == 0 { 0 } else { self.exp[self.log(a) + self.order() - self.log(b)] }
    }

    /// `target[i] += factor · source[i]`, as far as both reach.
    #[inline]
    pub fn add_multiple(&self, target: &mut [u16], factor: u16, source: &[u16]) {
        if factor == 0 {
            return;
        }
        let shift = self.log(factor);
        for (sum, &term) in target.iter_mut().zip(source) {
            if term != 0 {
                *sum ^= self.exp[shift + self.log(term)];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplication by the definition: of polynomials, modulo the field's.
    fn naive_product(degree: usize, a: u16, b: u16) -> u16 {
        let poly = Field::polynomial(degree);
        let mut product = 0u32;
        for bit in (0..degree).rev() {
            product <<= 1;
            if product >> degree & 1 == 1 {
                product ^= poly;
            }
            if b >> bit & 1 == 1 {
                product ^= u32::from(a);
            }
        }
        product as u16
    }

    #[test]
    fn powers_of_alpha_run_through_every_element_but_zero() {
        for degree in DEGREES {
            let field = Field::new(degree);
            let mut seen = vec![false; field.order() + 1];
            for exponent in 0..field.order() {
                let element = usize::from(field.power(exponent));
                assert!(!std::mem::replace(&mut seen[element], true), "degree {degree}");
            }
            assert!(!seen[0]);
        }
    }

    #[test]
    fn products_are_those_of_polynomials() {
        for degree in DEGREES {
            let field = Field::new(degree);
            let mask = field.order() as u64;
            for i in 0..2_000 {
                let word = crate::bits::random_word(1, i);
                let (a, b) = ((word & mask) as u16, (word >> 32 & mask) as u16);
                let product = field.mul(a, b);
                assert_eq!(product, naive_product(degree, a, b), "{a} · {b}, degree {degree}");
                if b != 0 {
                    assert_eq!(field.div(product, b), a);
                }
            }
        }
    }
}
