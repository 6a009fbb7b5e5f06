//! How likely each sub-channel of a polar transform is erased, exactly.
//!
//! A second write sees a binary erasure channel: what a used cell holds is known, what a writable
//! one will hold is not. Arıkan's recursion (IEEE Trans. Inf. Theory 55(7), 2009, Section III.B) is
//! exact for erasures.

use std::cmp::Ordering;

/// An erasure probability with its complement. Both are carried, for on the sub-channels that bear
/// the message it is `1 - erased` that matters, far below the spacing of numbers near one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Erasure {
    pub erased: f64,
    pub known: f64,
}

impl Erasure {
    /// A cell that is writable with probability `writable`.
    pub fn of_cell(writable: f64) -> Self {
        Self { erased: writable, known: 1.0 - writable }
    }

    /// Of the sum of two bits: known only if both are.
    fn sum(self, other: Self) -> Self {
        Self { erased: self.erased + other.erased * self.known, known: self.known * other.known }
    }

    /// Of a bit that is seen twice: erased only if both are.
    fn twice(self, other: Self) -> Self {
        Self { erased: self.erased * other.erased, known: self.known + other.known * self.erased }
    }
}

/// The sub-channels of the transform of `cells`, whose number is a power of two, in the order in
/// which successive cancellation decides them.
pub(super) fn sub_channels(mut cells: Vec<Erasure>) -> Vec<Erasure> {
    let mut half = cells.len() / 2;
    while half > 0 {
        for block in cells.chunks_exact_mut(2 * half) {
            let (left, right) = block.split_at_mut(half);
            for (a, b) in left.iter_mut().zip(right) {
                (*a, *b) = (a.sum(*b), a.twice(*b));
            }
        }
        half /= 2;
    }
    cells
}

/// Indices of the sub-channels, the one most surely erased first. Only products and sums of
/// doubles lead here, so that every machine finds the same order; equal ones go by index.
pub(super) fn worst_first(channels: &[Erasure]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..channels.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| {
        let (x, y) = (channels[a as usize], channels[b as usize]);
        let by_known = x.known.partial_cmp(&y.known).unwrap_or(Ordering::Equal);
        let by_erased = y.erased.partial_cmp(&x.erased).unwrap_or(Ordering::Equal);
        by_known.then(by_erased).then(a.cmp(&b))
    });
    order
}

/// An upper bound of the probability that a try fails with the message on the first `count` of
/// `order`, for every count from 0: a sub-channel that turns out known contradicts its message bit
/// half of the time, and the bound adds that up.
pub(super) fn failure_bounds(channels: &[Erasure], order: &[u32]) -> Vec<f64> {
    let mut sum = 0.0;
    let known = order.iter().map(|&index| channels[index as usize].known);
    std::iter::once(0.0)
        .chain(known.map(|known| {
            sum += 0.5 * known;
            sum
        }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniform(cells: usize, writable: f64) -> Vec<Erasure> {
        sub_channels(vec![Erasure::of_cell(writable); cells])
    }

    #[test]
    fn two_cells_by_hand() {
        let channels = uniform(2, 0.25);
        assert_eq!(channels[0].erased, 1.0 - 0.75 * 0.75);
        assert_eq!(channels[1].erased, 0.25 * 0.25);
    }

    #[test]
    fn capacity_is_conserved_and_complements_stay_complements() {
        for writable in [0.1, 0.5, 0.575] {
            let channels = uniform(4096, writable);
            let mean = channels.iter().map(|c| c.erased).sum::<f64>() / 4096.0;
            assert!((mean - writable).abs() < 1e-12, "{mean}");
            for channel in channels {
                assert!((channel.erased + channel.known - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_worst_stay_apart_beyond_the_spacing_of_numbers_near_one() {
        let channels = uniform(1 << 12, 0.5);
        let order = worst_first(&channels);
        assert_eq!(order[0], 0);
        assert!(channels[0].known == 0.0 || channels[0].known < 1e-300);
        let tiny = order.iter().filter(|&&i| (1e-300..1e-17).contains(&channels[i as usize].known));
        assert!(tiny.count() > 100);
    }
}
