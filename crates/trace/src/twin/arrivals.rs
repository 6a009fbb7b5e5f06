//! When requests of a twin arrive.

use super::model::{Arrivals, GapLaw, Operation};
use crate::generate::rng::Rng;

/// Steps in which the chain is brought to its steady state.
const SETTLING_STEPS: usize = 2000;

/// A Markov chain over gaps.
pub(super) struct ArrivalState {
    law: GapLaw,
    gaps_ns: Vec<f64>,
    operations: Vec<Operation>,
    /// Sums of each row's shares, ending at 1.
    upto: Vec<Vec<f64>>,
    state: usize,
    now_ns: f64,
    rng: Rng,
}

impl ArrivalState {
    pub fn new(arrivals: &Arrivals, interval_us: f64, rng: Rng) -> Self {
        let shares = settled(&arrivals.next);
        let mean_us: f64 =
            shares.iter().zip(&arrivals.gaps_us).map(|(share, gap_us)| share * gap_us).sum();
        let scale = if mean_us > 0.0 { 1000.0 * interval_us / mean_us } else { 0.0 };
        Self {
            law: arrivals.law,
            gaps_ns: arrivals.gaps_us.iter().map(|gap_us| gap_us * scale).collect(),
            operations: arrivals.operations.clone(),
            upto: arrivals.next.iter().map(|row| running(row)).collect(),
            state: 0,
            now_ns: 0.0,
            rng,
        }
    }

    /// The arrival of the next request, and its operation where that goes by the state.
    #[inline]
    pub fn next(&mut self) -> (u64, Option<Operation>) {
        // Whole microseconds: every format of traces can hold them.
        let arrival_ns = (self.now_ns / 1000.0) as u64 * 1000;
        let draw = self.rng.unit();
        let row = &self.upto[self.state];
        self.state = row.iter().position(|&upto| draw < upto).unwrap_or(row.len() - 1);
        let factor = match self.law {
            GapLaw::Exponential => self.rng.exponential(),
            GapLaw::Uniform => 0.5 + self.rng.unit(),
        };
        self.now_ns += self.gaps_ns[self.state] * factor;
        (arrival_ns, self.operations.get(self.state).copied())
    }
}

fn running(row: &[f64]) -> Vec<f64> {
    let sum: f64 = row.iter().sum();
    let mut upto = 0.0;
    let shares = row.iter().map(|weight| {
        upto += weight / sum;
        upto
    });
    shares.collect()
}

/// The share of time steps that a chain with these rows spends in each state.
fn settled(rows: &[Vec<f64>]) -> Vec<f64> {
    let n = rows.len();
    let sums: Vec<f64> = rows.iter().map(|row| row.iter().sum()).collect();
    let mut shares = vec![1.0 / n as f64; n];
    for _ in 0..SETTLING_STEPS {
        let mut next = vec![0.0; n];
        for (from, row) in rows.iter().enumerate() {
            for (to, weight) in row.iter().enumerate() {
                next[to] += shares[from] * weight / sums[from];
            }
        }
        // Halfway, so that a chain that alternates settles too.
        for (share, next) in shares.iter_mut().zip(next) {
            *share = (*share + next) / 2.0;
        }
    }
    shares
}
