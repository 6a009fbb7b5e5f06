//! Any specification gives a code that writes and reads, or an error.

use wordline_codes::bits::{fill_random, last_mask, words};
use wordline_codes::wom::SecondWrite;
use wordline_codes::wom::ldgm::{self, Effort, Ldgm};
use wordline_codes::wom::polar::{self, Polar, Size};

/// Codes beyond take too long to build.
const MOST_CELLS: usize = 4096;

/// Which family of codes and its parameters, and the seed of the pages.
pub type Input = (bool, usize, f64, usize, f64, (u32, bool, u64), Vec<u32>, u64);

/// Tries one input.
pub fn run(input: Input) {
    let (is_polar, cells, writable, bits, rate, (tries, shuffle, seed), fixed, pages) = input;
    if cells > MOST_CELLS && cells <= *polar::CELLS.end() {
        return;
    }
    let size = if rate.is_nan() { Size::Bits(bits) } else { Size::FailureRate(rate) };
    let spec = polar::Spec { cells, writable, size, tries, shuffle, seed, fixed };
    let effort = if shuffle { Effort::MessagePassing } else { Effort::Complete(bits) };
    if is_polar {
        let _ = Polar::new(spec).map(|code| round_trip(&code, pages));
    } else {
        let spec = ldgm::Spec { cells, message_bits: bits, effort, tries, seed };
        let _ = Ldgm::new(spec).map(|code| round_trip(&code, pages));
    }
}

fn round_trip(code: &dyn SecondWrite, seed: u64) {
    if code.tries() > 16 {
        return; // writes that fail would take too long
    }
    let mut used = vec![0; words(code.cells())];
    fill_random(&mut used, seed);
    let mut message = vec![0; words(code.message_bits())];
    fill_random(&mut message, !seed);
    if let Some(last) = message.last_mut() {
        *last &= last_mask(code.message_bits());
    }
    let (mut target, mut read) = (vec![0; used.len()], vec![0; message.len()]);
    let mut worker = code.worker();
    if let Some(attempt) = worker.write(&used, &message, &mut target) {
        assert!(target.iter().zip(&used).all(|(after, before)| after & !before == 0));
        assert_eq!(worker.read(&target, attempt, &mut read), Ok(0));
        assert_eq!(read, message);
        // Wrong cells are read as something, or refused.
        target.iter_mut().zip(&message).for_each(|(cells, noise)| *cells ^= noise & noise >> 3);
        let _ = worker.read(&target, attempt, &mut read);
    }
}
