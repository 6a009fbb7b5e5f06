//! How long writes and reads take, on this machine.

use super::SecondWrite;
use super::trials::Pages;
use crate::bits::{fill_random, last_mask, words};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Pages that are written in turn, so that no branch is learnt by heart.
const PAGES: u64 = 64;

/// Times of one thread, the mean over pages. Of each page the shortest of several rounds counts:
/// other work on the machine only ever adds to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// Of a write, all its attempts included.
    pub write_us: f64,
    /// Of a read.
    pub read_us: f64,
    /// Attempts of a write, on average.
    pub attempts: f64,
    /// Writes that failed, of all in a round.
    pub failed: u64,
    /// Pages in a round.
    pub pages: u64,
}

/// Measures `code` on `pages` for about `duration`, at least one round.
///
/// # Panics
/// When `pages` are not the code's.
pub fn measure(code: &dyn SecondWrite, pages: &Pages, duration: Duration) -> Speed {
    assert_eq!(pages.cells, code.cells(), "pages of another code");
    let work: Vec<(Vec<u64>, Vec<u64>)> = (0..PAGES).map(|page| pair(code, pages, page)).collect();
    let mut worker = code.worker();
    let mut target = vec![0; words(code.cells())];
    let mut message = vec![0; words(code.message_bits())];
    let (mut attempts, mut failed) = (0, 0);
    let mut write = [Duration::MAX; PAGES as usize];
    let mut read = write;
    let begin = Instant::now();
    while write[0] == Duration::MAX || begin.elapsed() < duration {
        (attempts, failed) = (0, 0);
        for ((used, message), best) in work.iter().zip(&mut write) {
            let start = Instant::now();
            let outcome = black_box(worker.write(used, message, &mut target));
            *best = start.elapsed().min(*best);
            attempts += outcome.map_or(code.tries(), |attempt| attempt + 1);
            failed += u64::from(outcome.is_none());
        }
        for ((used, _), best) in work.iter().zip(&mut read) {
            let start = Instant::now();
            // Any cells take the same time to read, or the most where errors are corrected.
            let _ = black_box(worker.read(used, 0, &mut message));
            *best = start.elapsed().min(*best);
        }
    }
    let mean = |times: &[Duration]| {
        times.iter().sum::<Duration>().as_secs_f64() * 1e6 / times.len() as f64
    };
    Speed {
        write_us: mean(&write),
        read_us: mean(&read),
        attempts: f64::from(attempts) / PAGES as f64,
        failed,
        pages: PAGES,
    }
}

fn pair(code: &dyn SecondWrite, pages: &Pages, page: u64) -> (Vec<u64>, Vec<u64>) {
    let mut used = vec![0; words(code.cells())];
    pages.fill(page, &mut used);
    let mut message = vec![0; words(code.message_bits())];
    fill_random(&mut message, page);
    if let Some(last) = message.last_mut() {
        *last &= last_mask(code.message_bits());
    }
    (used, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wom::polar::{Polar, Size, Spec};

    #[test]
    fn one_round_is_measured_even_without_time() {
        let code = Polar::new(Spec::new(1 << 10, Size::Bits(100))).unwrap();
        let speed = measure(&code, &Pages::random(1 << 10, 1), Duration::ZERO);
        assert!(speed.write_us > 0.0 && speed.read_us > 0.0);
        assert_eq!((speed.attempts, speed.failed), (1.0, 0));
    }
}
