//! Root search by trying every place (Chien, IEEE Trans. Inf. Theory 10, 1964): for small fields,
//! and the reference for the faster one.

use crate::ecc::field::Field;

/// Appends to `places` every e below `length` with σ(α^−e) = 0.
pub fn search(field: &Field, locator: &[u16], length: usize, places: &mut Vec<usize>) {
    let order = field.order();
    // Logarithms of the terms; each falls by its power of x from one place to the next.
    let mut terms: Vec<(usize, usize)> = (0..locator.len())
        .filter(|&power| locator[power] != 0)
        .map(|power| (field.log(locator[power]), power % order))
        .collect();
    for place in 0..length {
        let mut sum = 0;
        for (log, power) in &mut terms {
            sum ^= field.power(*log);
            *log = if *log >= *power { *log - *power } else { *log + order - *power };
        }
        if sum == 0 {
            places.push(place);
        }
    }
}
