//! Roots of polynomials of up to fifteen degrees: Berlekamp's trace algorithm (Math. Comp. 24, 1970)
//! splits them into factors that are solved in closed form.

use super::closed;
use crate::ecc::field::Field;

/// Below this there is a closed form.
const FEWEST: usize = 5;

/// Above this the transform is quicker.
const MOST: usize = 15;

/// Coefficients, the constant one first, and zeros beyond the degree.
type Coefficients = [u16; MOST + 1];

/// A polynomial whose highest coefficient is one.
#[derive(Clone, Copy)]
struct Monic {
    degree: usize,
    coefficients: Coefficients,
}

/// Appends to `places` every e with σ(α^−e) = 0; false, and nothing appended, where the degree is not
/// [`FEWEST`] to [`MOST`], or not the number of roots.
pub fn roots(field: &Field, locator: &[u16], places: &mut Vec<usize>) -> bool {
    if !(FEWEST..=MOST).contains(&(locator.len() - 1)) || locator[0] == 0 {
        return false;
    }
    let degree = locator.len() - 1;
    // The reversed polynomial, which has the roots α^e.
    let mut whole = Monic { degree, coefficients: [0; MOST + 1] };
    for (at, &coefficient) in locator.iter().enumerate() {
        whole.coefficients[degree - at] = field.div(coefficient, locator[0]);
    }
    let mut powers = [[0; MOST + 1]; 17];
    powers[0][1] = 1;
    let reduced = even_powers(field, &whole);
    for at in 0..field.degree() {
        powers[at + 1] = square(field, &powers[at], &reduced, degree);
    }
    // Every element of the field, and none beside them, is its own 2^m-th power.
    if powers[field.degree()] != powers[0] {
        return false;
    }
    split(field, &whole, &powers[..field.degree()], 0, places);
    true
}

/// x^0, x^2, x^4 … modulo `modulus`, one for each coefficient below its degree.
fn even_powers(field: &Field, modulus: &Monic) -> [Coefficients; MOST] {
    let degree = modulus.degree;
    let mut found = [[0; MOST + 1]; MOST];
    let mut power = [0; MOST + 1];
    power[0] = 1;
    for exponent in 0..2 * degree - 1 {
        if exponent % 2 == 0 {
            found[exponent / 2] = power;
        }
        power.copy_within(..degree, 1);
        power[0] = 0;
        let over = std::mem::take(&mut power[degree]);
        field.add_multiple(&mut power[..degree], over, &modulus.coefficients);
    }
    found
}

/// The square of `a`, by the even powers of x.
fn square(field: &Field, a: &Coefficients, even: &[Coefficients], degree: usize) -> Coefficients {
    let mut sum = [0; MOST + 1];
    for (&coefficient, power) in a[..degree].iter().zip(even) {
        field.add_multiple(&mut sum[..degree], field.mul(coefficient, coefficient), power);
    }
    sum
}

/// Appends the logarithms of the roots of a product of different x − r. `powers` are x^(2^i) modulo a
/// multiple of it, and traces of r times a power of α below `first` do not tell its roots apart.
fn split(
    field: &Field,
    product: &Monic,
    powers: &[Coefficients],
    first: usize,
    places: &mut Vec<usize>,
) {
    let degree = product.degree;
    if degree <= 4 {
        let mut locator = [0; 5];
        let reversed = product.coefficients[..=degree].iter().rev();
        locator.iter_mut().zip(reversed).for_each(|(to, &from)| *to = from);
        if degree == 1 {
            places.push(field.log(locator[1]));
        } else {
            closed::roots(field, &locator[..=degree], places);
        }
        return;
    }
    for exponent in first..field.degree() {
        // The trace of α^exponent · x: zero at some of the roots, one at the others.
        let mut trace = [0; MOST + 1];
        let mut factor = field.power(exponent);
        for power in powers {
            field.add_multiple(&mut trace, factor, power);
            factor = field.mul(factor, factor);
        }
        let (zero, one) = common(field, product, trace);
        if zero.degree > 0 && one.degree > 0 {
            split(field, &zero, powers, exponent + 1, places);
            split(field, &one, powers, exponent + 1, places);
            return;
        }
    }
}

/// The greatest common divisor of `product` and `other`, and what `product` is besides.
fn common(field: &Field, product: &Monic, other: Coefficients) -> (Monic, Monic) {
    let (mut a, mut b) = (*product, other);
    let mut one = Monic { degree: 0, coefficients: [0; MOST + 1] };
    one.coefficients[0] = 1;
    loop {
        divide(field, &mut b, &a);
        let Some(degree) = b.iter().rposition(|&coefficient| coefficient != 0) else { break };
        if degree == 0 {
            return (one, *product);
        }
        let leading = b[degree];
        let next = Monic { degree, coefficients: b.map(|c| field.div(c, leading)) };
        b = std::mem::replace(&mut a, next).coefficients;
    }
    let mut rest = product.coefficients;
    let quotient = divide(field, &mut rest, &a);
    (a, Monic { degree: product.degree - a.degree, coefficients: quotient })
}

/// Leaves the remainder in `dividend`; returns the quotient.
fn divide(field: &Field, dividend: &mut Coefficients, divisor: &Monic) -> Coefficients {
    let mut quotient = [0; MOST + 1];
    for at in (0..=MOST - divisor.degree).rev() {
        let factor = dividend[at + divisor.degree];
        quotient[at] = factor;
        let divisor = &divisor.coefficients[..=divisor.degree];
        field.add_multiple(&mut dividend[at..], factor, divisor);
    }
    quotient
}

#[cfg(test)]
mod tests {
    use super::super::chien;
    use super::*;
    use crate::bits::random_word;

    /// Products of random roots, some of them twice or none of the field's.
    #[test]
    fn roots_are_those_that_a_search_finds() {
        let mut refused = 0;
        for (degree, words) in [(4, 2000), (9, 500), (13, 60)] {
            let field = Field::new(degree);
            for word in 0..words {
                let errors = FEWEST + word as usize % (MOST - FEWEST + 1);
                let mut locator = vec![1u16];
                for error in 0..errors as u64 {
                    let root = field.power(random_word(word, error) as usize);
                    locator.push(0);
                    for k in (1..locator.len()).rev() {
                        locator[k] ^= field.mul(root, locator[k - 1]);
                    }
                }
                if word % 5 == 0 {
                    locator[1] ^= 1;
                }
                let (mut found, mut wanted) = (Vec::new(), Vec::new());
                chien::search(&field, &locator, field.order(), &mut wanted);
                if roots(&field, &locator, &mut found) {
                    found.sort_unstable();
                    assert_eq!(found, wanted, "{locator:?} in GF(2^{degree})");
                    assert_eq!(found.len(), errors);
                } else {
                    assert!(found.is_empty() && wanted.len() < errors, "{locator:?}");
                    refused += 1;
                }
            }
        }
        assert!((300..2400).contains(&refused), "{refused}");
    }
}
