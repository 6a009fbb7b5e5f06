//! The error locator polynomial, by Berlekamp and Massey's algorithm for binary codes (Massey, IEEE
//! Trans. Inf. Theory 15, 1969): every second discrepancy is zero, so that t steps suffice.

use crate::ecc::field::Field;

/// Working memory, and the locator when it was found.
#[derive(Debug, Clone, Default)]
pub struct Locator {
    /// Coefficients of Π (1 − X_l x), the constant one first, up to any factor.
    pub coefficients: Vec<u16>,
    previous: Vec<u16>,
    saved: Vec<u16>,
}

impl Locator {
    /// Finds the shortest recurrence of the syndromes S_1 to S_2t; false where it is longer than t
    /// or its degree is not its length, so that it cannot be a locator of at most t errors.
    pub fn find(&mut self, field: &Field, syndromes: &[u16]) -> bool {
        let t = syndromes.len() / 2;
        self.coefficients.clear();
        self.coefficients.push(1);
        self.previous.clear();
        self.previous.push(1);
        // `previous` stands for x^gap · previous; `scale` is the discrepancy it had.
        let (mut length, mut gap, mut scale) = (0, 1, 1);
        for step in (0..2 * t).step_by(2) {
            let discrepancy = self.discrepancy(field, syndromes, step);
            if discrepancy == 0 {
                gap += 2;
                continue;
            }
            let grows = 2 * length <= step;
            if grows {
                self.saved.clone_from(&self.coefficients);
            }
            self.subtract(field, field.div(discrepancy, scale), gap);
            if grows {
                length = step + 1 - length;
                if length > t {
                    return false;
                }
                std::mem::swap(&mut self.previous, &mut self.saved);
                (scale, gap) = (discrepancy, 2);
            } else {
                gap += 2;
            }
        }
        while self.coefficients.last() == Some(&0) {
            self.coefficients.pop();
        }
        self.coefficients.len() == length + 1
    }

    /// Σ σ_i S_(step + 1 − i).
    fn discrepancy(&self, field: &Field, syndromes: &[u16], step: usize) -> u16 {
        let terms = self.coefficients.iter().zip(syndromes[..=step].iter().rev());
        terms.fold(0, |sum, (&a, &b)| sum ^ field.mul(a, b))
    }

    fn subtract(&mut self, field: &Field, factor: u16, gap: usize) {
        let needed = self.previous.len() + gap;
        if self.coefficients.len() < needed {
            self.coefficients.resize(needed, 0);
        }
        field.add_multiple(&mut self.coefficients[gap..], factor, &self.previous);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_product_of_the_error_places() {
        let (field, t) = (Field::new(8), 10);
        for errors in 0..=t {
            let places: Vec<usize> = (0..errors).map(|i| (i * 23 + 5) % 255).collect();
            let syndromes: Vec<u16> = (1..=2 * t)
                .map(|power| places.iter().fold(0, |sum, place| sum ^ field.power(place * power)))
                .collect();
            let mut wanted = vec![1u16];
            for &place in &places {
                wanted.push(0);
                for k in (1..wanted.len()).rev() {
                    wanted[k] ^= field.mul(field.power(place), wanted[k - 1]);
                }
            }
            let mut locator = Locator::default();
            assert!(locator.find(&field, &syndromes));
            assert_eq!(locator.coefficients, wanted, "{errors} errors");
        }
    }
}
