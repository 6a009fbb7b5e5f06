//! Roots of polynomials of degree 2 to 4 without a search: they come down to affine polynomials,
//! whose roots are the solutions of linear equations over GF(2) (Berlekamp, Rumsey & Solomon,
//! Information and Control 10, 1967).

use crate::ecc::field::Field;

/// Appends to `places` every e with σ(α^−e) = 0; false, and nothing appended, where the degree is
/// not 2 to 4 or the roots are not all different.
pub fn roots(field: &Field, locator: &[u16], places: &mut Vec<usize>) -> bool {
    let Some(&leading) = locator.first() else { return false };
    // The reversed polynomial, which has the roots α^e: from the second highest power down.
    let monic = |at: usize| field.div(locator[at], leading);
    let mut append = |root: u16| places.push(field.log(root));
    match locator.len() {
        3 => affine(field, [0, 1, monic(1)], monic(2)).for_each(append),
        4 => {
            let [a, b, c] = [1, 2, 3].map(monic);
            // Times x + a, which has the one root more.
            let (ab, ac) = (field.mul(a, b), field.mul(a, c));
            if ab == c {
                return false;
            }
            affine(field, [1, field.mul(a, a) ^ b, ab ^ c], ac)
                .filter(|&root| root != a)
                .for_each(append);
        }
        5 => {
            let [a, b, c, d] = [1, 2, 3, 4].map(monic);
            if a == 0 {
                affine(field, [1, b, c], d).for_each(append);
                return true;
            }
            // x = e + 1/z, where e is such that the linear term goes.
            let e = square_root(field, field.div(c, a));
            let value = [a, b, c, d].iter().fold(1, |sum, &next| field.mul(sum, e) ^ next);
            if value == 0 {
                return false;
            }
            affine(field, [value, field.mul(a, e) ^ b, a], 1)
                .for_each(|z| append(e ^ field.div(1, z)));
        }
        _ => return false,
    }
    true
}

/// Every z with k_4 z^4 + k_2 z^2 + k_1 z = `wanted`.
fn affine(field: &Field, [k4, k2, k1]: [u16; 3], wanted: u16) -> impl Iterator<Item = u16> {
    let image = |z: u16| {
        let square = field.mul(z, z);
        field.mul(k4, field.mul(square, square)) ^ field.mul(k2, square) ^ field.mul(k1, z)
    };
    // By the highest bit of an image: it, and what has it.
    let mut pivots = [(0, 0); 16];
    let (mut kernel, mut dimension) = ([0; 2], 0);
    for bit in 0..field.degree() {
        let (rest, z) = reduced(&pivots, image(1 << bit), 1 << bit);
        if rest != 0 {
            pivots[rest.ilog2() as usize] = (rest, z);
        } else if dimension < kernel.len() {
            kernel[dimension] = z;
            dimension += 1;
        }
    }
    let (rest, first) = reduced(&pivots, wanted, 0);
    let count = if rest == 0 { 1 << dimension } else { 0 };
    (0..count).map(move |choice| {
        (0..2).filter(|k| choice >> k & 1 == 1).fold(first, |z, k| z ^ kernel[k])
    })
}

/// `image` less images of `pivots`, as far as its highest bit is that of one; `z` less what has those.
fn reduced(pivots: &[(u16, u16); 16], mut image: u16, mut z: u16) -> (u16, u16) {
    while image != 0 {
        let (pivot, its) = pivots[image.ilog2() as usize];
        if pivot == 0 {
            break;
        }
        image ^= pivot;
        z ^= its;
    }
    (image, z)
}

fn square_root(field: &Field, a: u16) -> u16 {
    let log = field.log(a);
    if a == 0 {
        0
    } else {
        field.power(if log.is_multiple_of(2) { log } else { log + field.order() } / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::super::chien;
    use super::*;
    use crate::bits::random_word;

    /// Every polynomial of a small field, and random ones of a larger one.
    #[test]
    fn roots_are_those_that_a_search_finds() {
        let mut answered = 0;
        for (degree, length, count) in [(4, 3, 4096), (4, 4, 65536), (4, 5, 65536), (12, 5, 300)] {
            let field = Field::new(degree);
            for word in 0..count {
                let number = if degree == 4 { word } else { random_word(1, word) };
                let mask = field.order() as u64;
                let polynomial: Vec<u16> =
                    (0..length).map(|at| (number >> (degree * at) & mask) as u16).collect();
                // The first of a locator is one, up to a factor, and the last is never zero.
                if polynomial[0] == 0 || polynomial[length - 1] == 0 {
                    continue;
                }
                let (mut found, mut wanted) = (Vec::new(), Vec::new());
                chien::search(&field, &polynomial, field.order(), &mut wanted);
                if roots(&field, &polynomial, &mut found) {
                    found.sort_unstable();
                    found.dedup();
                    assert_eq!(found, wanted, "{polynomial:?} in GF(2^{degree})");
                    answered += 1;
                } else {
                    assert!(found.is_empty() && wanted.len() < length - 1, "{polynomial:?}");
                }
            }
        }
        assert!(answered > 50_000, "{answered}");
    }
}
