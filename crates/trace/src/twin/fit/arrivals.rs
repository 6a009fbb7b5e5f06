//! Arrivals: a Markov chain over the operation and the order of magnitude of the gap behind it.

use super::rounded;
use crate::twin::model::{Arrivals, GapLaw, Operation};

/// Gaps are told apart by powers of ten from 1 µs on, with none below: 0 for less.
const MAGNITUDES: usize = 9;

const STATES: usize = 2 * MAGNITUDES;

#[derive(Default)]
pub(super) struct Meter {
    first_ns: Option<u64>,
    last: Option<(Operation, u64)>,
    last_state: Option<usize>,
    count: [u64; STATES],
    sum_ns: [u64; STATES],
    next: [[u64; STATES]; STATES],
    gaps: u64,
    span_ns: u64,
}

fn state(operation: Operation, gap_ns: u64) -> usize {
    let magnitude = if gap_ns < 1000 { 0 } else { (gap_ns / 1000).ilog10() as usize + 1 };
    let side = if operation == Operation::Write { MAGNITUDES } else { 0 };
    side + magnitude.min(MAGNITUDES - 1)
}

impl Meter {
    pub fn add(&mut self, operation: Operation, arrival_ns: u64) {
        let first_ns = *self.first_ns.get_or_insert(arrival_ns);
        if let Some((before, at_ns)) = self.last.replace((operation, arrival_ns)) {
            let gap_ns = arrival_ns - at_ns;
            let state = state(before, gap_ns);
            self.count[state] += 1;
            self.sum_ns[state] += gap_ns;
            if let Some(from) = self.last_state.replace(state) {
                self.next[from][state] += 1;
            }
            self.gaps += 1;
        }
        self.span_ns = arrival_ns - first_ns;
    }

    /// The chain, and the mean gap in microseconds.
    pub fn finish(self) -> (Arrivals, f64) {
        let used: Vec<usize> = (0..STATES).filter(|&state| self.count[state] > 0).collect();
        if used.is_empty() {
            return (Arrivals::at_once(), 0.0);
        }
        let row = |&from: &usize| -> Vec<f64> {
            let total: u64 = self.next[from].iter().sum();
            let share = |&to: &usize| match total {
                // The last state of the trace may have no successor: then any.
                0 => self.count[to] as f64 / self.gaps as f64,
                _ => self.next[from][to] as f64 / total as f64,
            };
            used.iter().map(share).map(rounded).collect()
        };
        let gap_us =
            |&state: &usize| rounded(self.sum_ns[state] as f64 / self.count[state] as f64 / 1000.0);
        let operation = |&state: &usize| {
            if state >= MAGNITUDES { Operation::Write } else { Operation::Read }
        };
        let arrivals = Arrivals {
            law: GapLaw::Uniform,
            gaps_us: used.iter().map(gap_us).collect(),
            operations: used.iter().map(operation).collect(),
            next: used.iter().map(row).collect(),
        };
        (arrivals, self.span_ns as f64 / self.gaps as f64 / 1000.0)
    }
}
