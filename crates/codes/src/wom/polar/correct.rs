//! Joint use with an error-correcting polar code: what a second write puts down is a codeword of
//! both, up to dither and layout (Jiang et al., ISIT 2013). The sub-channels that are bad for reading
//! hold zero and bear no bit of the message.

use super::Polar;
use super::reliability::{Erasure, sub_channels, worst_first};
use crate::bits::{WORD_BITS, get};
use crate::wom::Damaged;

/// What a place beyond the last cell is believed, beside 1 for a cell: it is zero for sure. Sums
/// over 2^20 places stay within an `i32`.
const SURE: i32 = 1 << 10;

/// The sub-channels to fix at zero so that successive cancellation reads back what was written to
/// `cells` cells of which each is wrong with the probability `rber`: no more than `failure_rate` of
/// the reads fail, by the union bound over Bhattacharyya's parameters, of which the recursion for
/// erasures is an upper bound (Arıkan, IEEE Trans. Inf. Theory 55(7), 2009, Proposition 5).
///
/// # Panics
/// When `cells` is not in [`CELLS`](super::CELLS) or `rber` not between 0 and 1/2.
pub fn fixed_for(cells: usize, rber: f64, failure_rate: f64) -> Vec<u32> {
    assert!(super::CELLS.contains(&cells), "{cells} cells");
    assert!((0.0..=0.5).contains(&rber), "a bit error rate of {rber}");
    let mut places = vec![Erasure::of_cell(2.0 * (rber * (1.0 - rber)).sqrt()); cells];
    places.resize(cells.next_power_of_two(), Erasure::of_cell(0.0));
    let channels = sub_channels(places);
    let order = worst_first(&channels);
    let mut sum = 0.0;
    let kept = order.iter().rev().take_while(|&&index| {
        sum += channels[index as usize].erased;
        sum <= failure_rate
    });
    let fixed = order.len() - kept.count();
    let mut fixed = order[..fixed].to_vec();
    fixed.sort_unstable();
    fixed
}

/// Finds the codeword that stands in cells of which some are wrong.
pub(super) struct Corrector<'a> {
    tree: Tree<'a>,
    found: Vec<u8>,
}

impl<'a> Corrector<'a> {
    /// Of a code with fixed sub-channels.
    pub fn new(code: &'a Polar) -> Self {
        let places = code.places();
        Self { tree: Tree { code, beliefs: vec![0; 2 * places] }, found: vec![0; places] }
    }

    /// Turns `seen`, of which the dither was taken, into a codeword; returns in how many cells that
    /// differs.
    ///
    /// # Errors
    /// [`Damaged`] where the codeword found has a one beyond the last cell.
    pub fn correct(&mut self, seen: &mut [u64]) -> Result<usize, Damaged> {
        let cells = self.tree.code.spec.cells;
        let places = self.found.len();
        for (place, belief) in self.tree.beliefs[places..].iter_mut().enumerate() {
            let size = if place < cells { 1 } else { SURE };
            *belief = if get(seen, place) { -size } else { size };
        }
        self.tree.decide(0, &mut self.found);
        if self.found[cells..].contains(&1) {
            return Err(Damaged);
        }
        let mut wrong = 0;
        for (word, bits) in seen.iter_mut().zip(self.found.chunks_exact(WORD_BITS)) {
            let found = bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
            wrong += (*word ^ found).count_ones() as usize;
            *word = found;
        }
        Ok(wrong)
    }
}

/// Successive cancellation by min-sum: hard decisions need no more than whole numbers.
struct Tree<'a> {
    code: &'a Polar,
    /// At every level of the tree, the level of 2^L places from index 2^L on.
    beliefs: Vec<i32>,
}

impl Tree<'_> {
    /// Decides the places of the sub-channels from `first`, as many as `out` has.
    fn decide(&mut self, first: usize, out: &mut [u8]) {
        let size = out.len();
        let fixed = self.code.fixed.count(first, size);
        if fixed == size {
            out.fill(0);
            return;
        }
        if fixed == 0 {
            let beliefs = &self.beliefs[size..2 * size];
            out.iter_mut().zip(beliefs).for_each(|(bit, &belief)| *bit = u8::from(belief < 0));
            return;
        }
        let half = size / 2;
        let (below, here) = self.beliefs.split_at_mut(size);
        let (a, b) = here[..size].split_at(half);
        for ((sum, a), b) in below[half..].iter_mut().zip(a).zip(b) {
            *sum = a.abs().min(b.abs()) * a.signum() * b.signum();
        }
        let (left, right) = out.split_at_mut(half);
        self.decide(first, left);
        let (below, here) = self.beliefs.split_at_mut(size);
        let (a, b) = here[..size].split_at(half);
        for (((twice, a), b), &bit) in below[half..].iter_mut().zip(a).zip(b).zip(&*left) {
            *twice = if bit == 1 { b - a } else { b + a };
        }
        self.decide(first + half, right);
        left.iter_mut().zip(&*right).for_each(|(left, right)| *left ^= right);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Size, Spec};
    use super::*;
    use crate::bits::{fill_random, flip, words};
    use crate::ecc::WrongBits;
    use crate::wom::SecondWrite;

    /// Writes over random pages, spoils cells, reads; returns failed writes, failed reads, writes.
    fn campaign(spec: Spec, rber: f64, writes: u64) -> (u64, u64) {
        let code = Polar::new(spec).unwrap();
        let (cells, bits) = (code.cells(), code.message_bits());
        let mut worker = code.worker();
        let (mut used, mut target) = (vec![0; words(cells)], vec![0; words(cells)]);
        let (mut message, mut read) = (vec![0; words(bits)], vec![0; words(bits)]);
        let (mut unwritten, mut lost) = (0, 0);
        for seed in 0..writes {
            fill_random(&mut used, seed);
            fill_random(&mut message, !seed);
            *message.last_mut().unwrap() &= crate::bits::last_mask(bits);
            let Some(attempt) = worker.write(&used, &message, &mut target) else {
                unwritten += 1;
                continue;
            };
            assert_eq!(worker.read(&target, attempt, &mut read), Ok(0));
            assert!(read == message, "an undamaged page was misread");
            let wrong: Vec<usize> = WrongBits::new(cells, rber, seed).collect();
            wrong.iter().for_each(|&place| flip(&mut target, place));
            let changed = worker.read(&target, attempt, &mut read);
            let is_lost = changed.is_err() || read != message;
            lost += u64::from(is_lost);
            assert!(is_lost || changed == Ok(wrong.len()));
        }
        (unwritten, lost)
    }

    #[test]
    fn wrong_cells_are_corrected_as_often_as_the_bound_says() {
        let rber = 2e-3;
        for (cells, shuffle) in [(1 << 12, false), (5000, true)] {
            let fixed = fixed_for(cells, rber, 1e-2);
            let size = Size::FailureRate(0.01);
            let spec = Spec { fixed, shuffle, tries: 4, ..Spec::new(cells, size) };
            let (unwritten, lost) = campaign(spec, rber, 150);
            assert!(unwritten <= 5 && lost <= 5, "{unwritten} writes, {lost} reads of 150");
        }
    }

    #[test]
    fn far_more_wrong_cells_than_expected_are_not_corrected() {
        let fixed = fixed_for(1 << 10, 1e-3, 1e-2);
        let spec = Spec { fixed, tries: 8, ..Spec::new(1 << 10, Size::Bits(250)) };
        let (unwritten, lost) = campaign(spec, 3e-2, 40);
        assert!(unwritten + lost > 35, "{unwritten} {lost}");
    }

    #[test]
    fn more_errors_and_surer_reads_take_more_sub_channels() {
        let count = |rber, failures| fixed_for(1 << 12, rber, failures).len();
        assert!(count(1e-3, 1e-3) < count(1e-2, 1e-3) && count(1e-3, 1e-3) < count(1e-3, 1e-6));
        assert_eq!(count(0.0, 1e-3), 0);
        assert_eq!(count(0.5, 1e-3), 1 << 12);
    }
}
