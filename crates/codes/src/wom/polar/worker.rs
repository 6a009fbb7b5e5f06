//! Writing and reading by a polar WOM code.

use super::Polar;
use super::correct::Corrector;
use super::solve::{Planes, solve};
use super::transform::transform;
use crate::bits::{WORD_BITS, fill_random, last_mask, stream, words};
use crate::cpu::for_each_isa;
use crate::wom::arrange::Arrangement;
use crate::wom::{Damaged, Worker};

/// Buffers, each of one word for 64 places.
pub(super) struct PolarWorker<'a> {
    code: &'a Polar,
    planes: Planes,
    /// The codeword of the message, with zeros on the sub-channels that bear none.
    offset: Vec<u64>,
    dither: Vec<u64>,
    cells: Vec<u64>,
    solution: Vec<u64>,
    /// Where sub-channels are fixed.
    corrector: Option<Corrector<'a>>,
}

impl<'a> PolarWorker<'a> {
    pub fn new(code: &'a Polar) -> Self {
        let room = || vec![0; code.places() / WORD_BITS];
        Self {
            code,
            planes: Planes::new(code.places() / WORD_BITS),
            offset: room(),
            dither: room(),
            cells: room(),
            solution: room(),
            corrector: (code.fixed() > 0).then(|| Corrector::new(code)),
        }
    }

    fn arrangement(&self, attempt: u32) -> Arrangement {
        let spec = &self.code.spec;
        if spec.shuffle {
            Arrangement::shuffled(spec.cells, stream(!spec.seed, u64::from(attempt)))
        } else {
            Arrangement::InOrder
        }
    }

    /// Puts the codeword, up to errors, that `attempt` left in `cells` into `solution`.
    fn undither(&mut self, cells: &[u64], attempt: u32) {
        let isa = self.code.isa;
        let arrangement = self.arrangement(attempt);
        let seed = stream(self.code.spec.seed, u64::from(attempt));
        let sum = &mut self.solution;
        undither(isa, arrangement, self.code.spec.cells, seed, cells, &mut self.dither, sum);
    }

    fn attempt(&mut self, used: &[u64], attempt: u32, target: &mut [u64]) -> bool {
        let isa = self.code.isa;
        let arrangement = self.arrangement(attempt);
        let seed = stream(self.code.spec.seed, u64::from(attempt));
        let bits = self.code.spec.cells;
        let (planes, cells) = (&mut self.planes, &mut self.cells);
        prepare(isa, arrangement, bits, seed, used, &self.offset, cells, &mut self.dither, planes);
        if !solve(isa, &self.code.program, planes, &mut self.solution) {
            return false;
        }
        combine(isa, &mut self.solution, &self.offset, &self.dither);
        arrangement.undo(bits, &self.solution, target);
        true
    }
}

impl Worker for PolarWorker<'_> {
    fn write(&mut self, used: &[u64], message: &[u64], target: &mut [u64]) -> Option<u32> {
        // The code is linear: what is left to find is a codeword with a message of zeros.
        self.code.message.scatter(self.code.isa, message, &mut self.offset);
        transform(self.code.isa, &mut self.offset);
        (0..self.code.spec.tries).find(|&attempt| self.attempt(used, attempt, target))
    }

    fn read(&mut self, cells: &[u64], attempt: u32, message: &mut [u64]) -> Result<usize, Damaged> {
        let code = self.code;
        self.undither(cells, attempt);
        let sum = &mut self.solution;
        transform(code.isa, sum);
        let mut wrong = 0;
        if let Some(corrector) = &mut self.corrector
            && code.fixed.has_any(sum)
        {
            transform(code.isa, sum); // back to the cells
            wrong = corrector.correct(sum)?;
            transform(code.isa, sum);
        }
        code.message.gather(code.isa, sum, message);
        Ok(wrong)
    }
}

for_each_isa! {
    /// Lays the used cells out and says what is known of the codeword that is left to find: in a
    /// cell that was programmed, dither and offset.
    fn prepare(
        arrangement: Arrangement,
        bits: usize,
        seed: u64,
        used: &[u64],
        offset: &[u64],
        cells: &mut [u64],
        dither: &mut [u64],
        planes: &mut Planes,
    ) = prepare_body
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn prepare_body(
    arrangement: Arrangement,
    bits: usize,
    seed: u64,
    used: &[u64],
    offset: &[u64],
    cells: &mut [u64],
    dither: &mut [u64],
    planes: &mut Planes,
) {
    arrangement.apply(bits, used, cells);
    draw(bits, seed, dither);
    let count = cells.len();
    let (known, value) = (&mut planes.known[count..], &mut planes.value[count..]);
    for i in 0..count {
        known[i] = !cells[i];
        value[i] = (dither[i] ^ offset[i]) & known[i];
    }
}

/// The dither of a seed; there is none beyond the last cell.
#[inline(always)]
fn draw(bits: usize, seed: u64, dither: &mut [u64]) {
    let used = words(bits);
    fill_random(&mut dither[..used], seed);
    dither[used - 1] &= last_mask(bits);
    dither[used..].fill(0);
}

for_each_isa! {
    /// What to write: the codeword that was found, moved to the message's, and the dither.
    fn combine(solution: &mut [u64], offset: &[u64], dither: &[u64]) = combine_body
}

#[inline(always)]
fn combine_body(solution: &mut [u64], offset: &[u64], dither: &[u64]) {
    for ((word, offset), dither) in solution.iter_mut().zip(offset).zip(dither) {
        *word ^= offset ^ dither;
    }
}

for_each_isa! {
    /// The codeword that stands in the cells.
    fn undither(
        arrangement: Arrangement,
        bits: usize,
        seed: u64,
        cells: &[u64],
        dither: &mut [u64],
        sum: &mut [u64],
    ) = undither_body
}

#[inline(always)]
fn undither_body(
    arrangement: Arrangement,
    bits: usize,
    seed: u64,
    cells: &[u64],
    dither: &mut [u64],
    sum: &mut [u64],
) {
    arrangement.apply(bits, cells, sum);
    draw(bits, seed, dither);
    for (word, dither) in sum.iter_mut().zip(dither) {
        *word ^= *dither;
    }
}
