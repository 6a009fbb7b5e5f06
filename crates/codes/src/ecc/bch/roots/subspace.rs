//! Subspace polynomials, and polynomials in the basis that they make (Lin, Chung & Han, FOCS 2014).
//!
//! s_i(x) is the product of x − a over all a below 2^i, divided by its value at 2^i: a linear map
//! that is 0 below 2^i and 1 at 2^i. The basis polynomial X_j is the product of the s_i of the bits
//! of j, so its degree is j.

use crate::ecc::field::Field;

/// s_0, s_1, … of a field.
#[derive(Debug)]
pub struct Subspaces {
    /// Coefficient k of s_i is that of x^(2^k); the last one is not zero.
    maps: Vec<Vec<u16>>,
}

impl Subspaces {
    /// The first `count` of them.
    pub fn new(field: &Field, count: usize) -> Self {
        let mut maps = Vec::with_capacity(count);
        let mut raw = vec![1u16]; // before the division
        for i in 0..count {
            let scale = evaluate(field, &raw, 1 << i);
            maps.push(raw.iter().map(|&c| field.div(c, scale)).collect());
            // The product over twice the elements: s² + s(2^i) s.
            let mut next: Vec<u16> = raw.iter().map(|&c| field.mul(c, scale)).collect();
            next.push(0);
            for (k, &c) in raw.iter().enumerate() {
                next[k + 1] ^= field.mul(c, c);
            }
            raw = next;
        }
        Self { maps }
    }

    /// s_`i` at `x`.
    pub fn value(&self, field: &Field, i: usize, x: u16) -> u16 {
        evaluate(field, &self.maps[i], x)
    }

    /// X_`j` at `x`.
    pub fn basis(&self, field: &Field, j: usize, x: u16) -> u16 {
        let set = (0..self.maps.len()).filter(|i| j >> i & 1 == 1);
        set.fold(1, |product, i| field.mul(product, self.value(field, i, x)))
    }

    /// Turns coefficients of powers of x into those of the basis; the number of coefficients is a
    /// power of two. By division by s_i, the largest first.
    pub fn change_basis(&self, field: &Field, coefficients: &mut [u16]) {
        for i in (0..coefficients.len().trailing_zeros() as usize).rev() {
            for block in coefficients.chunks_exact_mut(2 << i) {
                divide(field, &self.maps[i], block, 1 << i);
            }
        }
    }
}

fn evaluate(field: &Field, map: &[u16], mut x: u16) -> u16 {
    map.iter().fold(0, |sum, &c| {
        let term = field.mul(c, x);
        x = field.mul(x, x);
        sum ^ term
    })
}

/// Divides a polynomial of 2·`half` coefficients by s of degree `half`; leaves the remainder in the
/// lower half and the quotient in the upper one.
fn divide(field: &Field, map: &[u16], block: &mut [u16], half: usize) {
    let Some((&lead, lower)) = map.split_last() else { return };
    for at in (half..2 * half).rev() {
        if block[at] == 0 {
            continue;
        }
        let quotient = field.div(block[at], lead);
        block[at] = quotient;
        for (k, &c) in lower.iter().enumerate() {
            block[at - half + (1 << k)] ^= field.mul(quotient, c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subspace_polynomials_vanish_below_and_are_1_at_their_power_of_two() {
        let field = Field::new(8);
        let subspaces = Subspaces::new(&field, 7);
        for i in 0..7 {
            assert!((0..1 << i).all(|x| subspaces.value(&field, i, x) == 0), "s_{i}");
            assert_eq!(subspaces.value(&field, i, 1 << i), 1, "s_{i}");
        }
    }

    #[test]
    fn changing_the_basis_keeps_the_polynomial() {
        let field = Field::new(10);
        let subspaces = Subspaces::new(&field, 5);
        let powers: Vec<u16> = (0..32).map(|k| (k * 997 + 5) % 1024).collect();
        let mut changed = powers.clone();
        subspaces.change_basis(&field, &mut changed);
        for x in 0..1024 {
            let horner = powers.iter().rev().fold(0, |sum, &c| field.mul(sum, x) ^ c);
            let terms = changed.iter().enumerate();
            let other =
                terms.fold(0, |sum, (j, &c)| sum ^ field.mul(c, subspaces.basis(&field, j, x)));
            assert_eq!(other, horner, "at {x}");
        }
    }
}
