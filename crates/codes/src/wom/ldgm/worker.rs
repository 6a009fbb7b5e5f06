//! Writing and reading by an LDGM WOM code.
//!
//! With variables b, what is written is c(b) ⊕ (m, 0) ⊕ g: a codeword, the message on the first
//! cells, and the dither. The reader takes the dither off; the last cells then are differences of
//! neighbouring variables, which a running sum undoes, and the first ones give the message.

use super::solve::Solver;
use super::{Effort, Ldgm};
use crate::bits::{fill_random, get, set, stream, words};
use crate::wom::arrange::Arrangement;
use crate::wom::{Damaged, Worker};

/// Buffers of a code, one entry per cell or per variable.
pub(super) struct LdgmWorker<'a> {
    code: &'a Ldgm,
    solver: Solver,
    dither: Vec<u64>,
    placed: Vec<u64>,
    used: Vec<bool>,
    wanted: Vec<bool>,
    variables: Vec<bool>,
}

impl<'a> LdgmWorker<'a> {
    pub fn new(code: &'a Ldgm) -> Self {
        let cells = code.spec.cells;
        Self {
            code,
            solver: Solver::new(&code.graph),
            dither: vec![0; words(cells)],
            placed: vec![0; words(cells)],
            used: vec![false; cells],
            wanted: vec![false; cells],
            variables: vec![false; code.graph.variables],
        }
    }

    /// Takes on the layout and the dither of an attempt.
    fn begin(&mut self, attempt: u32) -> Arrangement {
        let seed = self.code.spec.seed;
        fill_random(&mut self.dither, stream(seed, u64::from(attempt)));
        Arrangement::shuffled(self.code.spec.cells, stream(!seed, u64::from(attempt)))
    }

    fn attempt(&mut self, used: &[u64], message: &[u64], attempt: u32, target: &mut [u64]) -> bool {
        let arrangement = self.begin(attempt);
        let code = self.code;
        let cells = code.spec.cells;
        arrangement.apply(cells, used, &mut self.placed);
        for cell in 0..cells {
            self.used[cell] = !get(&self.placed, cell);
            let message = cell < code.spec.message_bits && get(message, cell);
            self.wanted[cell] = get(&self.dither, cell) ^ message;
        }
        let most_aside = match code.spec.effort {
            Effort::MessagePassing => 0,
            Effort::Complete(most) => most,
        };
        let variables = &mut self.variables;
        let (used, wanted) = (&self.used, &self.wanted);
        if !self.solver.solve(code.isa, &code.graph, used, wanted, most_aside, variables) {
            return false;
        }
        for cell in 0..cells {
            let bit = self.sum(cell) ^ self.wanted[cell];
            set(&mut self.placed, cell, bit);
        }
        arrangement.undo(cells, &self.placed, target);
        true
    }

    fn sum(&self, cell: usize) -> bool {
        let members = self.code.graph.of_cell(cell).iter();
        members.fold(false, |sum, &variable| sum ^ self.variables[variable as usize])
    }
}

impl Worker for LdgmWorker<'_> {
    fn write(&mut self, used: &[u64], message: &[u64], target: &mut [u64]) -> Option<u32> {
        (0..self.code.spec.tries).find(|&attempt| self.attempt(used, message, attempt, target))
    }

    fn read(&mut self, cells: &[u64], attempt: u32, message: &mut [u64]) -> Result<usize, Damaged> {
        let arrangement = self.begin(attempt);
        arrangement.apply(self.code.spec.cells, cells, &mut self.placed);
        for (word, dither) in self.placed.iter_mut().zip(&self.dither) {
            *word ^= dither;
        }
        let bits = self.code.spec.message_bits;
        let mut running = false;
        for variable in 0..self.variables.len() {
            running ^= get(&self.placed, bits + variable);
            self.variables[variable] = running;
        }
        message[..words(bits)].fill(0);
        for bit in 0..bits {
            set(message, bit, get(&self.placed, bit) ^ self.sum(bit));
        }
        Ok(0)
    }
}
