//! The places of errors: the roots of the locator.

mod chien;
mod closed;
mod planes;
mod split;
mod subspace;
mod transform;
mod vector;

use super::kernel::Kernel;
use crate::ecc::field::Field;
use transform::Transform;

pub use transform::Scratch;

/// A search for roots in one field.
#[derive(Debug)]
pub enum Roots {
    /// Small fields: every place is tried.
    Chien,
    /// GF(2^13) to GF(2^16): all values at once.
    Transform13(Transform<13>),
    /// …
    Transform14(Transform<14>),
    /// …
    Transform15(Transform<15>),
    /// …
    Transform16(Transform<16>),
}

impl Roots {
    /// The search in `field` for locators of degree up to `t`.
    pub fn new(field: &Field, t: usize) -> Self {
        match field.degree() {
            13 => Self::Transform13(Transform::new(field, t)),
            14 => Self::Transform14(Transform::new(field, t)),
            15 => Self::Transform15(Transform::new(field, t)),
            16 => Self::Transform16(Transform::new(field, t)),
            _ => Self::Chien,
        }
    }

    /// Puts into `places` every e below `length` with σ(α^−e) = 0.
    pub fn find(
        &self,
        kernel: Kernel,
        field: &Field,
        locator: &[u16],
        length: usize,
        scratch: &mut Scratch,
        places: &mut Vec<usize>,
    ) {
        places.clear();
        match self {
            _ if locator.len() == 2 => {
                places.push(field.log(field.div(locator[1], locator[0]))); // 1 − X x
            }
            _ if closed::roots(field, locator, places) => {}
            _ if split::roots(field, locator, places) => {}
            Self::Chien => chien::search(field, locator, length, places),
            Self::Transform13(transform) => {
                transform.roots(kernel, field, locator, scratch, places)
            }
            Self::Transform14(transform) => {
                transform.roots(kernel, field, locator, scratch, places)
            }
            Self::Transform15(transform) => {
                transform.roots(kernel, field, locator, scratch, places)
            }
            Self::Transform16(transform) => {
                transform.roots(kernel, field, locator, scratch, places)
            }
        }
        places.retain(|&place| place < length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::random_word;

    /// Coefficients of Π (1 − X_l x) for error places, and then a factor without roots.
    fn locator(field: &Field, places: &[usize]) -> Vec<u16> {
        let mut product = vec![1u16];
        for &place in places {
            product.push(0);
            for k in (1..product.len()).rev() {
                product[k] ^= field.mul(field.power(place), product[k - 1]);
            }
        }
        product
    }

    #[test]
    fn all_values_at_once_and_place_by_place_agree() {
        for degree in 13..=16 {
            let field = Field::new(degree);
            for t in [1, 5, 31, 72, 200] {
                let roots = Roots::new(&field, t);
                for errors in [1, 2, 6, 15, 16, t / 2, t].into_iter().filter(|&n| n <= t) {
                    let mut wanted: Vec<usize> = (0..errors as u64)
                        .map(|i| random_word(t as u64, i) as usize % field.order())
                        .collect();
                    wanted.sort_unstable();
                    wanted.dedup();
                    let mut polynomial = locator(&field, &wanted);
                    for _ in 0..2 {
                        let mut by_place = Vec::new();
                        chien::search(&field, &polynomial, field.order(), &mut by_place);
                        for kernel in Kernel::ALL.into_iter().filter(|k| k.is_available()) {
                            let mut found = Vec::new();
                            let (length, scratch) = (field.order(), &mut Scratch::default());
                            roots.find(kernel, &field, &polynomial, length, scratch, &mut found);
                            found.sort_unstable();
                            assert_eq!(found, by_place, "GF(2^{degree}), t {t}, {kernel:?}");
                        }
                        polynomial[0] ^= 3; // other roots, and fewer
                    }
                }
            }
        }
    }
}
