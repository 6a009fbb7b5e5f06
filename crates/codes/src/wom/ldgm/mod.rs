//! LDGM WOM codes for a second write.
//!
//! En Gad, Huang, Li and Bruck, *Rewriting flash memories by message passing*, ISIT 2015
//! (arXiv:1502.00189). The vectors that hold a message are a coset of a code with a sparse
//! generator; a write looks for one that is zero in the used cells, which is the quantisation of
//! erasures (Martinian and Yedidia, Allerton 2003), by message passing. Where that gets stuck, the
//! rest can be solved exactly instead of given up: [`Effort::Complete`], which is ours, not
//! theirs.

mod dense;
mod density;
mod graph;
mod solve;
mod worker;

use super::{SecondWrite, SpecError, Worker};
use crate::cpu::Isa;
pub use density::threshold;
use graph::Graph;

/// Fewest and most cells of a code.
pub const CELLS: std::ops::RangeInclusive<usize> = 1 << 8..=1 << 20;

/// What a write does when message passing is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// The attempt fails, as in the publication.
    MessagePassing,
    /// The equations that are left are solved by elimination: an attempt fails only where the used
    /// cells leave no vector that holds the message, or more than so many equations are left.
    Complete(usize),
}

/// What an LDGM WOM code is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// Cells that a message is written over.
    pub cells: usize,
    /// Bits of a message.
    pub message_bits: usize,
    /// What is done about stuck messages.
    pub effort: Effort,
    /// Attempts that a write may make, each with another layout of the cells.
    pub tries: u32,
    /// From which graph, dithers and layouts are drawn.
    pub seed: u64,
}

/// An LDGM WOM code.
#[derive(Debug, Clone)]
pub struct Ldgm {
    spec: Spec,
    isa: Isa,
    graph: Graph,
}

impl Ldgm {
    /// Builds the code.
    ///
    /// # Errors
    /// Says what in `spec` cannot be had.
    pub fn new(spec: Spec) -> Result<Self, SpecError> {
        let error = |what: String, help: String| Err(SpecError { what, help });
        if !CELLS.contains(&spec.cells) {
            let help = format!("give {} to {} cells", CELLS.start(), CELLS.end());
            return error(format!("no code has {} cells", spec.cells), help);
        }
        let most = spec.cells - spec.cells / 16;
        if !(1..=most).contains(&spec.message_bits) {
            let what = format!("a message of {} bits does not fit", spec.message_bits);
            return error(what, format!("give 1 to {most} bits"));
        }
        if !(1..=super::MOST_TRIES).contains(&spec.tries) {
            let what = format!("{} tries cannot be made", spec.tries);
            return error(what, format!("give 1 to {}", super::MOST_TRIES));
        }
        let graph = Graph::new(spec.cells, spec.message_bits, spec.seed);
        Ok(Self { isa: Isa::best(), graph, spec })
    }

    /// Computes the code on other instructions, with the same result.
    pub fn with_isa(mut self, isa: Isa) -> Self {
        self.isa = isa;
        self
    }
}

impl SecondWrite for Ldgm {
    fn cells(&self) -> usize {
        self.spec.cells
    }

    fn message_bits(&self) -> usize {
        self.spec.message_bits
    }

    fn tries(&self) -> u32 {
        self.spec.tries
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(worker::LdgmWorker::new(self))
    }
}

#[cfg(test)]
mod tests;
