//! The dense end of the elimination: the equations that were put aside, over the free variables.

use crate::bits::{get, set, words};
use crate::cpu::for_each_isa;

/// Columns that are tried beyond the number of equations. Random equations over that many more
/// unknowns are solvable but for a chance of 2^-128.
const SPARE_COLUMNS: usize = 128;

/// Equations, kept by variable while others are substituted into them: for each variable, which
/// equations it is in.
#[derive(Debug, Clone, Default)]
pub(super) struct Dense {
    equations: usize,
    /// Words for one bit per equation.
    width: usize,
    members: Vec<u64>,
    wanted: Vec<u64>,
    substituted: Vec<u64>,
    matrix: Vec<u64>,
    columns: Vec<u32>,
}

impl Dense {
    /// Makes room for `equations` over `variables`, none of which is in any yet.
    pub fn begin(&mut self, equations: usize, variables: usize) {
        self.equations = equations;
        self.width = words(equations);
        self.members.clear();
        self.members.resize(variables * self.width, 0);
        self.wanted.clear();
        self.wanted.resize(self.width, 0);
    }

    /// Equation `row`: `members` sum to `wanted`.
    pub fn set(&mut self, row: usize, members: &[u32], wanted: bool) {
        for &variable in members {
            set(&mut self.members[variable as usize * self.width..], row, true);
        }
        set(&mut self.wanted, row, wanted);
    }

    /// Replaces `variable` by what makes its equation true: `members` sum to `wanted`.
    pub fn substitute(&mut self, variable: u32, members: &[u32], wanted: bool) {
        let width = self.width;
        let at = variable as usize * width;
        if self.members[at..at + width].iter().all(|&word| word == 0) {
            return;
        }
        self.substituted.clear();
        self.substituted.extend_from_slice(&self.members[at..at + width]);
        for &member in members {
            let at = member as usize * width;
            add(&mut self.members[at..at + width], &self.substituted);
        }
        if wanted {
            add(&mut self.wanted, &self.substituted);
        }
    }

    /// Sets those of `free` that the equations need; false if they cannot be solved.
    pub fn solve(
        &mut self,
        isa: crate::cpu::Isa,
        free: impl Iterator<Item = u32>,
        variables: &mut [bool],
    ) -> bool {
        self.columns.clear();
        self.columns.extend(free.take(self.equations + SPARE_COLUMNS));
        let width = words(self.columns.len() + 1);
        self.matrix.clear();
        self.matrix.resize(self.equations * width, 0);
        for (column, &variable) in self.columns.iter().enumerate() {
            let members = &self.members[variable as usize * self.width..][..self.width];
            for row in (0..self.equations).filter(|&row| get(members, row)) {
                set(&mut self.matrix[row * width..], column, true);
            }
        }
        let last = self.columns.len();
        for row in (0..self.equations).filter(|&row| get(&self.wanted, row)) {
            set(&mut self.matrix[row * width..], last, true);
        }
        let mut pivots = Vec::new();
        if !triangulate(isa, &mut self.matrix, width, last, &mut pivots) {
            return false;
        }
        for (row, &column) in pivots.iter().enumerate().rev() {
            let equation = &self.matrix[row * width..][..width];
            let later = (column + 1..last).filter(|&c| get(equation, c));
            let sum =
                later.fold(get(equation, last), |sum, c| sum ^ variables[self.columns[c] as usize]);
            variables[self.columns[column] as usize] = sum;
        }
        true
    }
}

#[inline(always)]
fn add(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}

for_each_isa! {
    /// Brings the rows of `matrix`, each of `width` words with its right side in bit `last`, into
    /// echelon form. `pivots` tells the leading column of each row that has one; false if a row
    /// without one asks for a one.
    fn triangulate(matrix: &mut [u64], width: usize, last: usize, pivots: &mut Vec<usize>) -> bool
        = triangulate_body
}

#[inline(always)]
fn triangulate_body(
    matrix: &mut [u64],
    width: usize,
    last: usize,
    pivots: &mut Vec<usize>,
) -> bool {
    let rows = matrix.len() / width;
    for column in 0..last {
        let top = pivots.len();
        let has = |row: &usize| matrix[row * width + column / 64] >> (column % 64) & 1 == 1;
        let Some(found) = (top..rows).find(has) else { continue };
        let from = column / 64; // everything before is zero
        let (above, below) = matrix.split_at_mut((top + 1) * width);
        let pivot = &mut above[top * width + from..];
        if found > top {
            pivot.swap_with_slice(&mut below[(found - top - 1) * width + from..][..width - from]);
        }
        for row in below.chunks_exact_mut(width) {
            if row[from] >> (column % 64) & 1 == 1 {
                add(&mut row[from..], pivot);
            }
        }
        pivots.push(column);
    }
    (pivots.len()..rows).all(|row| !get(&matrix[row * width..], last))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More equations than bits of a word, each over its own variable and a few of those before it.
    #[test]
    fn every_equation_holds_over_what_is_found() {
        const COUNT: usize = 150;
        let members = |row: usize| {
            let before = [row / 2, row / 3, row.saturating_sub(67)].map(|it| it as u32);
            let mut members: Vec<u32> =
                before.into_iter().filter(|&it| (it as usize) < row).collect();
            members.sort_unstable();
            members.dedup();
            members.push(row as u32);
            members
        };
        let wanted = |row: usize| row % 3 == 1 || row % 7 == 2;
        let mut dense = Dense::default();
        dense.begin(COUNT, COUNT);
        (0..COUNT).for_each(|row| dense.set(row, &members(row), wanted(row)));
        let mut variables = vec![false; COUNT];
        assert!(dense.solve(crate::cpu::Isa::best(), 0..COUNT as u32, &mut variables));
        for row in 0..COUNT {
            let sum = members(row).iter().fold(false, |sum, &it| sum ^ variables[it as usize]);
            assert_eq!(sum, wanted(row), "{row}");
        }
    }
}
