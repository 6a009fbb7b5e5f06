//! Generator polynomials, and arithmetic with polynomials over GF(2) in words.

use crate::bits;
use crate::ecc::field::Field;

/// The generator of the BCH code that corrects `t` errors: the product of the minimal polynomials
/// of α, α^3, …, α^(2t−1), bit k being the coefficient of x^k.
pub fn generator(field: &Field, t: usize) -> Vec<bool> {
    let order = field.order();
    let mut covered = vec![false; order];
    let mut product = vec![true];
    for root in (1..2 * t).step_by(2).map(|root| root % order) {
        if covered[root] {
            continue;
        }
        let conjugates = conjugates(root, order);
        for &exponent in &conjugates {
            covered[exponent] = true;
        }
        product = times(&product, &minimal_polynomial(field, &conjugates));
    }
    product
}

/// The exponents of the conjugates of α^`exponent`: it, doubled again and again.
fn conjugates(exponent: usize, order: usize) -> Vec<usize> {
    let mut found = vec![exponent];
    let mut next = exponent * 2 % order;
    while next != exponent {
        found.push(next);
        next = next * 2 % order;
    }
    found
}

/// Π (x − α^e): its coefficients lie in GF(2).
fn minimal_polynomial(field: &Field, exponents: &[usize]) -> Vec<bool> {
    let mut product = vec![1u16];
    for &exponent in exponents {
        let root = field.power(exponent);
        product.insert(0, 0);
        for k in 0..product.len() - 1 {
            product[k] ^= field.mul(root, product[k + 1]);
        }
    }
    product.into_iter().map(|coefficient| coefficient == 1).collect()
}

fn times(a: &[bool], b: &[bool]) -> Vec<bool> {
    let mut product = vec![false; a.len() + b.len() - 1];
    for (i, _) in a.iter().enumerate().filter(|(_, set)| **set) {
        for (j, &set) in b.iter().enumerate() {
            product[i + j] ^= set;
        }
    }
    product
}

/// Powers of x modulo a polynomial of degree `degree`, bit k of a vector being its coefficient of
/// x^k: an endless iterator that begins with x^`degree`.
pub fn residues(generator: &[bool]) -> impl Iterator<Item = Vec<u64>> {
    let degree = generator.len() - 1;
    let mut tail = vec![0; bits::words(degree)];
    for (k, &set) in generator[..degree].iter().enumerate() {
        bits::set(&mut tail, k, set);
    }
    let first = tail.clone();
    std::iter::successors(Some(first), move |power| {
        let mut next = power.clone();
        let overflow = bits::get(power, degree - 1);
        bits::set(&mut next, degree - 1, false);
        shift_up(&mut next);
        if overflow {
            next.iter_mut().zip(&tail).for_each(|(word, tail)| *word ^= tail);
        }
        Some(next)
    })
}

fn shift_up(words: &mut [u64]) {
    let mut carry = 0;
    for word in words {
        (*word, carry) = (*word << 1 | carry, *word >> 63);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octal(digits: &str) -> Vec<bool> {
        let bits = digits.chars().flat_map(|digit| {
            let value = digit.to_digit(8).unwrap();
            (0..3).rev().map(move |bit| value >> bit & 1 == 1)
        });
        let mut bits: Vec<bool> = bits.skip_while(|bit| !bit).collect();
        bits.reverse();
        bits
    }

    /// Lin & Costello, Error Control Coding, 2nd edition, appendix C, for the same polynomials.
    #[test]
    fn generators_are_the_published_ones() {
        let field = Field::new(4);
        for (t, published) in [(1, "23"), (2, "721"), (3, "2467")] {
            assert_eq!(generator(&field, t), octal(published), "n = 15, t = {t}");
        }
        let field = Field::new(5);
        for (t, published) in [(1, "45"), (2, "3551"), (3, "107657"), (5, "5423325")] {
            assert_eq!(generator(&field, t), octal(published), "n = 31, t = {t}");
        }
        let field = Field::new(6);
        for (t, published) in [(1, "103"), (2, "12471"), (3, "1701317")] {
            assert_eq!(generator(&field, t), octal(published), "n = 63, t = {t}");
        }
    }

    #[test]
    fn residues_are_powers_of_x() {
        // Modulo x^3 + x + 1: x^3 = x + 1, x^4 = x^2 + x, x^5 = x^2 + x + 1, x^6 = x^2 + 1, x^7 = 1.
        let powers: Vec<u64> =
            residues(&[true, true, false, true]).take(5).map(|power| power[0]).collect();
        assert_eq!(powers, [0b011, 0b110, 0b111, 0b101, 0b001]);
    }
}
