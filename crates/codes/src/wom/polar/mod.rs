//! Polar WOM codes for a second write.
//!
//! Burshtein and Strugatski, *Polar write once memory codes*, IEEE Trans. Inf. Theory 59(8), 2013.
//! What is written is x ⊕ g, where g is a dither known to the reader and x = u G a vector of the
//! polar transform. A used cell must stay zero, so x is known there (it equals g) and unknown in a
//! cell that is still writable: a binary erasure channel. The message stands on the sub-channels u
//! that are the most surely erased; the others follow by successive cancellation. If a sub-channel
//! of the message turns out known, and contradicts its bit, the attempt fails. The reader computes
//! u = (cells ⊕ g) G, for G is its own inverse. Where sub-channels are fixed at zero it corrects wrong
//! cells besides ([`fixed_for`]).
//!
//! Any number of cells will do: the transform is that of the next power of two, and what is beyond
//! the last cell counts as known to be zero (shortening).

mod correct;
mod lanes;
mod program;
mod reliability;
mod small;
mod solve;
mod subset;
mod transform;
mod worker;

pub use correct::fixed_for;

use super::{MOST_TRIES, SecondWrite, SpecError, Worker};
use crate::bits::{WORD_BITS, set};
use crate::cpu::Isa;
use program::Program;
use reliability::{Erasure, failure_bounds, sub_channels, worst_first};
use subset::Subset;

/// Fewest and most cells of a code.
pub const CELLS: std::ops::RangeInclusive<usize> = 1 << 8..=1 << 20;

/// How long a message is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// So many bits.
    Bits(usize),
    /// As many as keep the bound of the failure probability of one attempt at or below this.
    FailureRate(f64),
}

/// What a polar WOM code is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// Cells that a message is written over.
    pub cells: usize,
    /// The share of them that is expected to be writable. A page with more of them is written all
    /// the more surely, one with fewer fails more often.
    pub writable: f64,
    /// Length of the message.
    pub size: Size,
    /// Attempts that a write may make.
    pub tries: u32,
    /// Whether each attempt lays the cells out anew besides taking a new dither.
    pub shuffle: bool,
    /// From which dithers and layouts are drawn.
    pub seed: u64,
    /// Sub-channels that hold zero for the sake of an error-correcting polar code that the cells
    /// are to be a codeword of, up to dither and layout: [`fixed_for`]. Reads then correct errors.
    pub fixed: Vec<u32>,
}

impl Spec {
    /// A code over `cells` cells of which half are writable: one attempt, in order, none fixed.
    pub fn new(cells: usize, size: Size) -> Self {
        Self { cells, writable: 0.5, size, tries: 1, shuffle: false, seed: 0, fixed: Vec::new() }
    }
}

/// A polar WOM code.
#[derive(Debug, Clone)]
pub struct Polar {
    spec: Spec,
    isa: Isa,
    failure_bound: f64,
    message: Subset,
    fixed: Subset,
    program: Program,
}

impl Polar {
    /// Builds the code, for the best instructions that this processor has.
    ///
    /// # Errors
    /// Says what in `spec` cannot be had.
    pub fn new(spec: Spec) -> Result<Self, SpecError> {
        check(&spec)?;
        let channels = channels(&spec);
        let mut pinned = vec![0; channels.len() / WORD_BITS];
        for &index in &spec.fixed {
            set(&mut pinned, index as usize, true);
        }
        let fixed = Subset::new(pinned.clone());
        let for_fixed: f64 =
            spec.fixed.iter().map(|&index| 0.5 * channels[index as usize].known).sum();
        let mut order = worst_first(&channels);
        order.retain(|&index| !crate::bits::get(&pinned, index as usize));
        let bounds = failure_bounds(&channels, &order);
        let bits = match spec.size {
            Size::Bits(bits) if bits > spec.cells || bits > order.len() => {
                return Err(too_long(bits, spec.cells.min(order.len())));
            }
            Size::Bits(bits) => bits,
            Size::FailureRate(rate) => bounds.partition_point(|bound| bound + for_fixed <= rate),
        };
        let bits =
            if matches!(spec.size, Size::FailureRate(_)) { bits.saturating_sub(1) } else { bits };
        if bits == 0 {
            return Err(empty(&spec));
        }
        let mut mask = vec![0; pinned.len()];
        for &index in &order[..bits] {
            set(&mut mask, index as usize, true);
            set(&mut pinned, index as usize, true);
        }
        Ok(Self {
            isa: Isa::best(),
            failure_bound: (bounds[bits] + for_fixed).min(1.0),
            message: Subset::new(mask),
            fixed,
            program: Program::new(&pinned),
            spec,
        })
    }

    /// Computes the code on other instructions, with the same result.
    pub fn with_isa(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }

    /// What it was built from.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// An upper bound of the probability that one attempt fails, for random cells.
    pub fn failure_bound(&self) -> f64 {
        self.failure_bound
    }

    /// Whether a sub-channel bears a bit of the message.
    ///
    /// # Panics
    /// When there is no such sub-channel.
    pub fn is_message(&self, index: usize) -> bool {
        self.message.has(index)
    }

    /// Sub-channels fixed at zero for the sake of error correction.
    pub fn fixed(&self) -> usize {
        self.fixed.len()
    }

    /// The length of the transform.
    fn places(&self) -> usize {
        self.spec.cells.next_power_of_two()
    }
}

impl SecondWrite for Polar {
    fn cells(&self) -> usize {
        self.spec.cells
    }

    fn message_bits(&self) -> usize {
        self.message.len()
    }

    fn tries(&self) -> u32 {
        self.spec.tries
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(worker::PolarWorker::new(self))
    }
}

/// The longest messages that keep the failure bound of one attempt at or below each of `rates`.
///
/// # Errors
/// Says what in `spec` cannot be had.
pub fn longest(spec: &Spec, rates: &[f64]) -> Result<Vec<usize>, SpecError> {
    check(spec)?;
    let channels = channels(spec);
    let bounds = failure_bounds(&channels, &worst_first(&channels));
    Ok(rates.iter().map(|rate| bounds.partition_point(|bound| bound <= rate) - 1).collect())
}

fn channels(spec: &Spec) -> Vec<Erasure> {
    let mut cells = vec![Erasure::of_cell(spec.writable); spec.cells];
    cells.resize(spec.cells.next_power_of_two(), Erasure::of_cell(0.0));
    sub_channels(cells)
}

fn check(spec: &Spec) -> Result<(), SpecError> {
    let error = |what: String, help: &str| Err(SpecError { what, help: help.to_owned() });
    if !CELLS.contains(&spec.cells) {
        let help = format!("give {} to {} cells", CELLS.start(), CELLS.end());
        return error(format!("no code has {} cells", spec.cells), &help);
    }
    if !(spec.writable > 0.0 && spec.writable <= 1.0) {
        let what = format!("a writable share of {} cannot be", spec.writable);
        return error(what, "give a share above 0, at most 1; random data leave 0.5");
    }
    if !(1..=MOST_TRIES).contains(&spec.tries) {
        let help = format!("give 1 to {MOST_TRIES}");
        return error(format!("{} tries cannot be made", spec.tries), &help);
    }
    if let Size::FailureRate(rate) = spec.size
        && !(0.0..=1.0).contains(&rate)
    {
        return error(format!("a failure rate of {rate} cannot be"), "give 0 to 1");
    }
    let places = spec.cells.next_power_of_two();
    if let Some(&index) = spec.fixed.iter().find(|&&index| index as usize >= places) {
        let help = format!("the sub-channels are 0 to {}", places - 1);
        return error(format!("there is no sub-channel {index} to be fixed"), &help);
    }
    Ok(())
}

fn empty(spec: &Spec) -> SpecError {
    let (what, help) = match spec.size {
        Size::Bits(_) => ("a message of 0 bits cannot be".into(), "give 1 bit or more"),
        Size::FailureRate(rate) => {
            let what = format!("no message keeps the failure bound at {rate}");
            let help = match spec.fixed.is_empty() {
                true => "give a larger bound",
                false => "correct fewer wrong cells, or give a larger bound",
            };
            (what, help)
        }
    };
    SpecError { what, help: help.into() }
}

fn too_long(bits: usize, most: usize) -> SpecError {
    SpecError {
        what: format!("a message of {bits} bits does not fit"),
        help: format!("the cells have {most} sub-channels for it at most"),
    }
}

#[cfg(test)]
mod tests;
