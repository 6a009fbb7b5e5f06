//! Construction of base matrices: columns one after another, each the best of many candidates, as
//! in progressive edge growth (Hu, Eleftheriou & Arnold, IEEE Trans. Inf. Theory 51, 2005).
//!
//! A candidate puts its circulants into the emptiest rows. One that would close a cycle of length 4
//! is dropped; among the others that with the fewest cycles of length 6 wins, where those through
//! parity columns of weight 2 count more: they leave fewer checks outside of the cycle that could
//! correct it (Tian et al., IEEE Trans. Commun. 52, 2004).

use super::block::SIZE;
use super::matrix::{BaseMatrix, Circulant};
use crate::bits::random_word;

/// Circulants in a data column.
const WEIGHT: usize = 4;
/// Candidates for each column.
const CANDIDATES: usize = 4000;
/// What a cycle counts for each of its parity columns.
const PARITY_COST: u32 = 4;

/// The base matrix with `data_columns` and `rows` that `seed` leads to; `None` where no further
/// column without a cycle of length 4 was found.
///
/// # Panics
/// When `rows` is not in 4 to 64.
pub fn construct(rows: usize, data_columns: usize, seed: u64) -> Option<BaseMatrix> {
    let mut draws = Draws { seed, drawn: 0 };
    let outer_shift = 1 + draws.below(SIZE - 1) as u8;
    let mut cycles = Cycles::new(rows);
    for column in BaseMatrix::with_parity(rows, Vec::new(), outer_shift).columns() {
        cycles.add(column, PARITY_COST);
    }
    let mut filled = vec![0; rows];
    let mut columns = Vec::with_capacity(data_columns);
    for _ in 0..data_columns {
        let candidates = (0..CANDIDATES).filter_map(|_| {
            let column = draws.column(&filled);
            Some((cycles.cost(&column)?, column))
        });
        let (_, best) = candidates.min_by_key(|(cost, _)| *cost)?;
        cycles.add(&best, 1);
        best.iter().for_each(|circulant| filled[circulant.row] += 1);
        columns.push(best);
    }
    Some(BaseMatrix::with_parity(rows, columns, outer_shift))
}

struct Draws {
    seed: u64,
    drawn: u64,
}

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        ((u128::from(random_word(self.seed, self.drawn)) * bound as u128) >> 64) as usize
    }

    /// Circulants in the emptiest rows, at random among equals, with random shifts.
    fn column(&mut self, filled: &[usize]) -> Vec<Circulant> {
        let mut order: Vec<(usize, usize, usize)> =
            (0..filled.len()).map(|row| (filled[row], self.below(1 << 20), row)).collect();
        order.sort_unstable();
        let mut rows: Vec<usize> = order.iter().take(WEIGHT).map(|&(_, _, row)| row).collect();
        rows.sort_unstable();
        rows.into_iter().map(|row| Circulant { row, shift: self.below(SIZE) as u8 }).collect()
    }
}

/// What the columns so far connect. The difference of two circulants' shifts in a column is a step
/// from one row to another; a cycle is a closed walk of steps.
struct Cycles {
    rows: usize,
    /// Steps from one row to another, by pair of rows: difference and cost.
    steps: Vec<Vec<(u8, u32)>>,
    /// Sum of the costs of the walks of two steps, by pair of rows and difference.
    walks: Vec<[u32; SIZE]>,
}

impl Cycles {
    fn new(rows: usize) -> Self {
        let pairs = rows * rows;
        Self { rows, steps: vec![Vec::new(); pairs], walks: vec![[0; SIZE]; pairs] }
    }

    fn pair(&self, from: usize, to: usize) -> usize {
        from * self.rows + to
    }

    /// The cost of the cycles of length 6 that `column` would close; `None` where it would close
    /// one of length 4.
    fn cost(&self, column: &[Circulant]) -> Option<u32> {
        let mut cost = 0;
        for (from, to, difference) in steps_of(column).filter(|(from, to, _)| from < to) {
            let pair = self.pair(from, to);
            if self.steps[pair].iter().any(|&(other, _)| other == difference) {
                return None;
            }
            cost += self.walks[pair][usize::from(difference)];
        }
        Some(cost)
    }

    fn add(&mut self, column: &[Circulant], cost: u32) {
        for (from, to, difference) in steps_of(column) {
            for third in (0..self.rows).filter(|&third| third != from && third != to) {
                let (on, whole) = (self.pair(to, third), self.pair(from, third));
                for &(next, next_cost) in &self.steps[on] {
                    let sum = usize::from(difference.wrapping_add(next));
                    self.walks[whole][sum] += cost * next_cost;
                }
                let (before, whole) = (self.pair(third, from), self.pair(third, to));
                for &(first, first_cost) in &self.steps[before] {
                    let sum = usize::from(first.wrapping_add(difference));
                    self.walks[whole][sum] += cost * first_cost;
                }
            }
        }
        for (from, to, difference) in steps_of(column) {
            let pair = self.pair(from, to);
            self.steps[pair].push((difference, cost));
        }
    }
}

/// The steps that a column makes: row, other row, difference of the shifts.
fn steps_of(column: &[Circulant]) -> impl Iterator<Item = (usize, usize, u8)> {
    column.iter().flat_map(move |a| {
        let others = column.iter().filter(|b| b.row != a.row);
        others.map(|b| (a.row, b.row, a.shift.wrapping_sub(b.shift)))
    })
}
