//! The sparse generator of an LDGM code, as lists of which variables a cell sums.
//!
//! A code over n cells with m bits of message has k = n − m variables. The first m cells sum
//! variables at random; cell m + j sums variables j and j − 1, so that a running sum over the last
//! k cells gives the variables back (the dual of an irregular repeat-accumulate code: Jin,
//! Khandekar and McEliece, Symp. on Turbo Codes, 2000).

use crate::bits::{random_word, stream};

/// The share of message cells with each number of variables.
///
/// By a linear program over the density evolution of [`super::density`], for message passing at
/// half of the cells writable and a largest degree of 30; it promises a rate of 0.487.
pub(super) const DEGREES: [(usize, f64); 3] = [(3, 0.7452), (11, 0.1874), (30, 0.0674)];

/// Which variables every cell sums, and which cells every variable is in.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    pub message_cells: usize,
    pub variables: usize,
    of_cell: Lists,
    of_variable: Lists,
}

impl Graph {
    /// The graph that `seed` names. Variables are in as equally many cells as possible.
    pub fn new(cells: usize, message_cells: usize, seed: u64) -> Self {
        let variables = cells - message_cells;
        let degrees = degrees(message_cells, variables);
        let sockets = shuffled(degrees.iter().sum(), variables, seed);
        let mut of_cell = Lists::default();
        let mut from = 0;
        for (cell, &degree) in degrees.iter().enumerate() {
            let mut members = sockets[from..from + degree].to_vec();
            from += degree;
            make_distinct(&mut members, variables, stream(!seed, cell as u64));
            of_cell.push(&members);
        }
        for variable in 0..variables as u32 {
            let both = [variable, variable.wrapping_sub(1)];
            of_cell.push(if variable == 0 { &both[..1] } else { &both });
        }
        let of_variable = of_cell.transposed(variables);
        Self { message_cells, variables, of_cell, of_variable }
    }

    /// The variables that `cell` sums.
    #[inline(always)]
    pub fn of_cell(&self, cell: usize) -> &[u32] {
        self.of_cell.get(cell)
    }

    /// The cells that sum `variable`.
    #[inline(always)]
    pub fn of_variable(&self, variable: usize) -> &[u32] {
        self.of_variable.get(variable)
    }
}

/// Lists of numbers, one after another.
#[derive(Debug, Clone)]
struct Lists {
    ends: Vec<u32>,
    members: Vec<u32>,
}

impl Default for Lists {
    fn default() -> Self {
        Self { ends: vec![0], members: Vec::new() }
    }
}

impl Lists {
    fn push(&mut self, members: &[u32]) {
        self.members.extend_from_slice(members);
        self.ends.push(self.members.len() as u32);
    }

    #[inline(always)]
    fn get(&self, index: usize) -> &[u32] {
        &self.members[self.ends[index] as usize..self.ends[index + 1] as usize]
    }

    /// For every number below `count`, the lists that it is in.
    fn transposed(&self, count: usize) -> Self {
        let mut ends = vec![0; count + 1];
        for &member in &self.members {
            ends[member as usize + 1] += 1;
        }
        for index in 0..count {
            ends[index + 1] += ends[index];
        }
        let mut next = ends.clone();
        let mut members = vec![0; self.members.len()];
        for list in 0..self.ends.len() - 1 {
            for &member in self.get(list) {
                members[next[member as usize] as usize] = list as u32;
                next[member as usize] += 1;
            }
        }
        Self { ends, members }
    }
}

/// The number of variables of each message cell; never more than there are.
fn degrees(message_cells: usize, variables: usize) -> Vec<usize> {
    let mut degrees = Vec::with_capacity(message_cells);
    let mut share = 0.0;
    for (degree, part) in DEGREES {
        share += part;
        let end = (share * message_cells as f64).round() as usize;
        degrees.resize(end.min(message_cells), degree.min(variables));
    }
    degrees.resize(message_cells, DEGREES[0].0.min(variables));
    degrees
}

/// `count` numbers below `variables`, each as often as any other give or take one, shuffled.
fn shuffled(count: usize, variables: usize, seed: u64) -> Vec<u32> {
    let mut sockets: Vec<u32> = (0..count).map(|index| (index % variables) as u32).collect();
    for end in (1..sockets.len()).rev() {
        sockets.swap(end, below(end as u64 + 1, seed, end as u64));
    }
    sockets
}

/// Replaces repeated members by random ones.
fn make_distinct(members: &mut [u32], variables: usize, seed: u64) {
    let mut drawn = 0;
    for index in 1..members.len() {
        while members[..index].contains(&members[index]) {
            members[index] = below(variables as u64, seed, drawn) as u32;
            drawn += 1;
        }
    }
}

fn below(bound: u64, seed: u64, index: u64) -> usize {
    ((u128::from(random_word(seed, index)) * u128::from(bound)) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_views_are_the_same_graph_without_double_edges() {
        let graph = Graph::new(1000, 450, 7);
        let mut edges = 0;
        for cell in 0..1000 {
            let members = graph.of_cell(cell);
            edges += members.len();
            for (index, &variable) in members.iter().enumerate() {
                assert!(!members[..index].contains(&variable), "cell {cell}");
                assert!(graph.of_variable(variable as usize).contains(&(cell as u32)));
            }
        }
        let back: usize = (0..550).map(|variable| graph.of_variable(variable).len()).sum();
        assert_eq!(back, edges);
    }

    #[test]
    fn variables_are_in_nearly_equally_many_cells() {
        let graph = Graph::new(20_000, 9_000, 1);
        let counts: Vec<usize> = (0..11_000).map(|v| graph.of_variable(v).len()).collect();
        let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        let far = counts.iter().filter(|&&count| (count as f64 - mean).abs() > 3.0).count();
        assert!(far < 5, "{far} of {mean}");
    }

    #[test]
    fn tiny_codes_have_a_graph() {
        for message_cells in 1..64 {
            let graph = Graph::new(64, message_cells, 3);
            assert!((0..64).all(|cell| !graph.of_cell(cell).is_empty()));
        }
    }
}
