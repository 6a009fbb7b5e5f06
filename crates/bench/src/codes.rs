//! Benchmarks of the codes for a second write.

use crate::case::Measured;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use wordline_codes::bits::{fill_random, get, words};
use wordline_codes::cpu::Isa;
use wordline_codes::wom::SecondWrite;
use wordline_codes::wom::ldgm::{self, Effort, Ldgm};
use wordline_codes::wom::polar::{Polar, Size, Spec, fixed_for};
use wordline_codes::wom::speed::{Speed, measure};
use wordline_codes::wom::trials::{Attempts, Pages, run};

/// The failure rate that LLH-FTL and ReusableSSD assume (Margaglia et al., FAST 2016, Section 4).
const FAILURE_RATE: f64 = 0.0025;

fn cells(tiny: bool) -> usize {
    if tiny { 1 << 12 } else { 1 << 16 }
}

fn polar(cells: usize) -> Result<Polar, String> {
    Polar::new(Spec::new(cells, Size::FailureRate(FAILURE_RATE))).map_err(|e| e.to_string())
}

fn speed(code: &dyn SecondWrite, tiny: bool) -> Speed {
    let duration = Duration::from_secs(if tiny { 0 } else { 2 });
    measure(code, &Pages::random(code.cells(), 1), duration)
}

fn measured(value: f64) -> Measured {
    Measured { value, peak_rss_mib: wordline_sim::peak_rss_mib() }
}

/// Microseconds of one try to write, by these instructions.
pub fn polar_write(isa: Isa, tiny: bool) -> Result<Measured, String> {
    let speed = speed(&polar(cells(tiny))?.with_isa(isa), tiny);
    Ok(measured(speed.write_us / speed.attempts))
}

/// Microseconds of a read, by these instructions.
pub fn polar_read(isa: Isa, tiny: bool) -> Result<Measured, String> {
    Ok(measured(speed(&polar(cells(tiny))?.with_isa(isa), tiny).read_us))
}

/// Microseconds of a read that corrects wrong cells, of a code for one in a thousand.
pub fn polar_correct(tiny: bool) -> Result<Measured, String> {
    let cells = cells(tiny);
    let fixed = fixed_for(cells, 1e-3, 1e-3);
    let spec = Spec { fixed, ..Spec::new(cells, Size::FailureRate(FAILURE_RATE)) };
    let code = Polar::new(spec).map_err(|error| error.to_string())?;
    Ok(measured(speed(&code, tiny).read_us))
}

/// Microseconds of a write by message passing, at a rate that it holds at this length.
pub fn ldgm_write(tiny: bool) -> Result<Measured, String> {
    let (cells, effort) = (cells(tiny), Effort::MessagePassing);
    let message_bits = (0.42 * cells as f64) as usize;
    let code = Ldgm::new(ldgm::Spec { cells, message_bits, effort, tries: 1, seed: 1 })
        .map_err(|error| error.to_string())?;
    Ok(measured(speed(&code, tiny).write_us))
}

/// How many times as long successive cancellation bit by bit takes, on the same pages.
pub fn against_bit_by_bit(tiny: bool) -> Result<Measured, String> {
    let cells = cells(tiny);
    let code = polar(cells)?;
    let mut used = vec![0; words(cells)];
    fill_random(&mut used, 1);
    let known: Vec<u8> =
        (0..cells).map(|cell| if get(&used, cell) { UNKNOWN } else { 0 }).collect();
    let mut scalar = BitByBit::new((0..cells).map(|index| code.is_message(index)).collect());
    let mut best = Duration::MAX;
    for _ in 0..if tiny { 1 } else { 50 } {
        let start = Instant::now();
        black_box(scalar.write(&known));
        best = best.min(start.elapsed());
    }
    let speed = speed(&code, tiny);
    Ok(measured(best.as_secs_f64() * 1e6 / (speed.write_us / speed.attempts)))
}

/// Thousand pages a second that are drawn, written, and verified to be read as they were written,
/// on all processors.
pub fn round_trips(tiny: bool) -> Result<Measured, String> {
    let cells = 1 << 12;
    let spec = Spec { tries: 8, shuffle: true, ..Spec::new(cells, Size::Bits(1700)) };
    let code = Polar::new(spec).map_err(|error| error.to_string())?;
    let trials = if tiny { 2_000 } else { 4_000_000 };
    let mut attempts = Attempts::none(8);
    let start = Instant::now();
    let go_on = &mut |_: &Attempts| ControlFlow::Continue(());
    run(&code, &Pages::random(cells, 1), &mut attempts, trials, u64::MAX, go_on);
    Ok(measured(trials as f64 / start.elapsed().as_secs_f64() / 1e3))
}

/// Successive cancellation as textbooks have it: a byte for every bit, zero, one or unknown.
struct BitByBit {
    is_message: Vec<bool>,
    /// What is known at every level of the tree, the level of 2^L cells from place 2^L on.
    seen: Vec<u8>,
    out: Vec<u8>,
}

const UNKNOWN: u8 = 2;

impl BitByBit {
    fn new(is_message: Vec<bool>) -> Self {
        let cells = is_message.len();
        Self { is_message, seen: vec![0; 2 * cells], out: vec![0; cells] }
    }

    /// Finds a codeword with a message of zeros; the number of contradictions is the result.
    fn write(&mut self, known: &[u8]) -> usize {
        self.seen[known.len()..].copy_from_slice(known);
        self.decide(0, known.len())
    }

    fn decide(&mut self, at: usize, size: usize) -> usize {
        if size == 1 {
            let seen = self.seen[1];
            self.out[at] = if self.is_message[at] || seen == UNKNOWN { 0 } else { seen };
            return usize::from(self.is_message[at] && seen == 1);
        }
        let half = size / 2;
        for i in 0..half {
            let (l, r) = (self.seen[size + i], self.seen[size + half + i]);
            self.seen[half + i] = if l == UNKNOWN || r == UNKNOWN { UNKNOWN } else { l ^ r };
        }
        let conflicts = self.decide(at, half);
        for i in 0..half {
            let (l, r) = (self.seen[size + i], self.seen[size + half + i]);
            let from_left = if l == UNKNOWN { UNKNOWN } else { l ^ self.out[at + i] };
            self.seen[half + i] = if r == UNKNOWN { from_left } else { r };
        }
        let more = self.decide(at + half, half);
        for i in 0..half {
            self.out[at + i] ^= self.out[at + half + i];
        }
        conflicts + more
    }
}
