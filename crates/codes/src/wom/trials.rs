//! How often second writes fail: random messages over random pages.

use super::SecondWrite;
use crate::bits::{WORD_BITS, fill_random, flip, last_mask, random_word, stream, words};
use crate::ecc::WrongBits;
use crate::monte_carlo::{Stop, Tally, run_counted};
use std::ops::ControlFlow;

/// Random pages as a first write leaves them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pages {
    /// Cells of a page.
    pub cells: usize,
    /// The first so many of them hold data; the others are erased.
    pub data_cells: usize,
    /// Share of the data's cells that are ones, that is, still writable.
    pub writable: f64,
    /// From which pages and messages are drawn.
    pub seed: u64,
}

/// Steps of 2^-16 in which [`Pages::writable`] counts.
const SHARE_BITS: u64 = 16;

impl Pages {
    /// Pages of random bits.
    pub fn random(cells: usize, seed: u64) -> Self {
        Self { cells, data_cells: cells, writable: 0.5, seed }
    }

    /// Fills `page` with the page of a trial.
    pub fn fill(&self, trial: u64, page: &mut [u64]) {
        let seed = stream(self.seed, 2 * trial);
        let threshold = (self.writable * (1u64 << SHARE_BITS) as f64).round() as u64;
        for (index, word) in page.iter_mut().enumerate() {
            *word = biased(seed, index as u64, threshold);
        }
        let (first, used) = (self.data_cells / WORD_BITS, words(self.cells));
        if self.data_cells < self.cells {
            if !self.data_cells.is_multiple_of(WORD_BITS) {
                page[first] |= !last_mask(self.data_cells);
            }
            page[words(self.data_cells)..used].fill(u64::MAX);
        }
        page[used - 1] &= last_mask(self.cells);
    }

    /// The least failure probability that any code for messages of `message_bits` can have here: a
    /// page with fewer writable cells than that holds no more than half of the messages.
    pub fn least_failure(&self, message_bits: usize) -> f64 {
        let erased = self.cells - self.data_cells;
        let needed = message_bits.saturating_sub(erased);
        let (n, k) = (self.data_cells as f64, needed as f64);
        if needed == 0 {
            0.0
        } else if needed > self.data_cells {
            1.0
        } else {
            // At most k − 1 of n: the binomial distribution as an incomplete beta function.
            0.5 * wordline_stats::incomplete_beta(n - k + 1.0, k, 1.0 - self.writable)
        }
    }

    /// Fills `message` with the message of a trial.
    fn fill_message(&self, trial: u64, bits: usize, message: &mut [u64]) {
        fill_random(message, stream(self.seed, 2 * trial + 1));
        message[words(bits) - 1] &= last_mask(bits);
    }
}

/// A word whose bits are ones with a chance of `threshold` / 2^16: each bit compares a binary
/// fraction with it, from its last digit to its first.
fn biased(seed: u64, index: u64, threshold: u64) -> u64 {
    if threshold >> SHARE_BITS != 0 {
        return u64::MAX;
    }
    (threshold.trailing_zeros() as u64..SHARE_BITS).fold(0, |below, digit| {
        let random = random_word(seed, index * SHARE_BITS + digit);
        if threshold >> digit & 1 == 1 { below | !random } else { below & !random }
    })
}

/// How many writes succeeded at each attempt, and how many failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempts {
    /// By attempt, and last those that failed.
    pub counts: Vec<u64>,
}

impl Attempts {
    /// None yet, for a code that makes `tries`.
    pub fn none(tries: u32) -> Self {
        Self { counts: vec![0; tries as usize + 1] }
    }

    /// Writes that would have failed with `tries` attempts.
    pub fn tally(&self, tries: u32) -> Tally {
        let trials = self.counts.iter().sum();
        let within: u64 = self.counts.iter().take(tries as usize).sum();
        Tally { trials, failures: trials - within }
    }
}

/// Goes on from `attempts` until there are `trials` writes or `failures` of them failed. Each is
/// read back. `progress` is called between rounds and may stop early.
///
/// # Panics
/// When a write programs a zero back to a one, or is not read as it was written; that is a defect
/// of the code, and the message names the trial. When `pages` or `attempts` are not the code's.
pub fn run(
    code: &dyn SecondWrite,
    pages: &Pages,
    attempts: &mut Attempts,
    trials: u64,
    failures: u64,
    progress: &mut dyn FnMut(&Attempts) -> ControlFlow<()>,
) {
    assert_eq!(pages.cells, code.cells(), "pages of another code");
    assert_eq!(attempts.counts.len(), code.tries() as usize + 1, "attempts of another code");
    let room = || vec![0; words(code.cells())];
    let message = || vec![0; words(code.message_bits())];
    let tries = code.tries();
    let mut counts = std::mem::take(&mut attempts.counts);
    run_counted(
        &mut counts,
        trials,
        || (code.worker(), room(), room(), message(), message()),
        |(worker, used, target, message, read), trial| {
            pages.fill(trial, used);
            pages.fill_message(trial, code.message_bits(), message);
            let Some(attempt) = worker.write(used, message, target) else { return tries as usize };
            let rises = target.iter().zip(used).any(|(target, used)| *target & !*used != 0);
            let is_read = worker.read(target, attempt, read) == Ok(0) && read == message;
            assert!(!rises && is_read, "seed {}, trial {trial}: written wrongly", pages.seed);
            attempt as usize
        },
        &mut |counts| {
            let so_far = Attempts { counts: counts.to_vec() };
            let enough = so_far.tally(tries).failures >= failures;
            if enough { ControlFlow::Break(()) } else { progress(&so_far) }
        },
    );
    attempts.counts = counts;
}

/// Reads of pages with wrong cells, by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reads {
    /// Reads that gave the message.
    pub right: u64,
    /// Reads that gave another one, or none.
    pub lost: u64,
    /// Reads that were not made, because the write had failed.
    pub unwritten: u64,
}

impl Reads {
    fn of(counts: &[u64]) -> Self {
        Self { right: counts[0], lost: counts[1], unwritten: counts[2] }
    }

    /// Reads, and those lost.
    pub fn tally(&self) -> Tally {
        Tally { trials: self.right + self.lost, failures: self.lost }
    }
}

/// Goes on from `reads` until `stop`: writes random messages over random pages, spoils each cell with
/// the probability `rber`, above 0 and below 1, and reads. `progress` is called between rounds and
/// may stop early.
///
/// # Panics
/// When `pages` are not the code's, or `rber` is no such probability.
pub fn spoiled_reads(
    code: &dyn SecondWrite,
    pages: &Pages,
    rber: f64,
    reads: &mut Reads,
    stop: Stop,
    progress: &mut dyn FnMut(&Reads) -> ControlFlow<()>,
) {
    assert_eq!(pages.cells, code.cells(), "pages of another code");
    assert!(rber > 0.0 && rber < 1.0, "a bit error rate of {rber}");
    let room = || vec![0; words(code.cells())];
    let message = || vec![0; words(code.message_bits())];
    let mut counts = [reads.right, reads.lost, reads.unwritten];
    run_counted(
        &mut counts,
        stop.trials,
        || (code.worker(), room(), room(), message(), message()),
        |(worker, used, target, message, read), trial| {
            pages.fill(trial, used);
            pages.fill_message(trial, code.message_bits(), message);
            let Some(attempt) = worker.write(used, message, target) else { return 2 };
            let seed = stream(!pages.seed, trial);
            WrongBits::new(code.cells(), rber, seed).for_each(|cell| flip(target, cell));
            let is_read = worker.read(target, attempt, read).is_ok() && read == message;
            usize::from(!is_read)
        },
        &mut |counts| {
            let so_far = Reads::of(counts);
            let enough = so_far.lost >= stop.failures;
            if enough { ControlFlow::Break(()) } else { progress(&so_far) }
        },
    );
    *reads = Reads::of(&counts);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{get, ones};
    use crate::wom::polar::{Polar, Size, Spec, fixed_for};

    #[test]
    fn pages_have_the_share_of_ones_that_was_asked_for() {
        for writable in [0.0, 0.1, 0.5, 0.575, 1.0] {
            let pages = Pages { writable, ..Pages::random(1 << 16, 1) };
            let mut page = vec![0; 1 << 10];
            pages.fill(0, &mut page);
            let share = ones(&page) as f64 / 65536.0;
            assert!((share - writable).abs() < 0.01, "{writable}: {share}");
        }
    }

    #[test]
    fn spare_cells_are_erased_and_nothing_lies_beyond_the_last() {
        let pages = Pages { cells: 300, data_cells: 200, writable: 0.0, seed: 1 };
        let mut page = vec![0; words(300)];
        pages.fill(5, &mut page);
        assert!((0..320).all(|cell| get(&page, cell) == (200..300).contains(&cell)));
    }

    #[test]
    fn no_code_beats_the_number_of_writable_cells() {
        // 4 cells with even odds: at most 1 writable in 5 of 16 pages.
        let pages = Pages { data_cells: 4, ..Pages::random(4, 0) };
        assert!((pages.least_failure(2) - 0.5 * 5.0 / 16.0).abs() < 1e-12);
        let pages = Pages { cells: 10, ..pages };
        assert!((pages.least_failure(8) - 0.5 * 5.0 / 16.0).abs() < 1e-12);
        assert_eq!((pages.least_failure(6), pages.least_failure(11)), (0.0, 1.0));
    }

    #[test]
    fn fewer_tries_are_counted_from_the_same_run() {
        let spec = Spec { tries: 8, shuffle: true, ..Spec::new(1 << 10, Size::Bits(380)) };
        let counted = |tries| {
            let code = Polar::new(Spec { tries, ..spec.clone() }).unwrap();
            let mut attempts = Attempts::none(tries);
            let go_on = &mut |_: &Attempts| ControlFlow::Continue(());
            run(&code, &Pages::random(1 << 10, 3), &mut attempts, 500, u64::MAX, go_on);
            attempts
        };
        let all = counted(8);
        for tries in [1, 3] {
            assert_eq!(counted(tries).tally(tries), all.tally(tries));
        }
        assert!(all.tally(8).failures < all.tally(1).failures);
    }

    #[test]
    fn a_code_that_corrects_errors_loses_fewer_reads_and_goes_on_where_it_stopped() {
        let (cells, rber) = (1 << 11, 1e-3);
        let spec = Spec { tries: 2, ..Spec::new(cells, Size::Bits(500)) };
        let measure = |code: &Polar, reads: &mut Reads, trials| {
            let stop = Stop { trials, failures: u64::MAX };
            let go_on = &mut |_: &Reads| ControlFlow::Continue(());
            spoiled_reads(code, &Pages::random(cells, 5), rber, reads, stop, go_on);
        };
        let (mut plain, mut whole, mut parts) = <(Reads, Reads, Reads)>::default();
        measure(&Polar::new(spec.clone()).unwrap(), &mut plain, 300);
        let fixed = fixed_for(cells, rber, 1e-2);
        let code = Polar::new(Spec { fixed, ..spec }).unwrap();
        measure(&code, &mut whole, 300);
        measure(&code, &mut parts, 100);
        measure(&code, &mut parts, 300);
        assert_eq!(whole, parts);
        // Without correction two wrong cells of 2,048 leave no message as it was.
        assert!(plain.tally().rate().unwrap() > 0.8 && whole.tally().rate().unwrap() <= 0.02);
    }
}
