//! Solving the sparse equations of the used cells.
//!
//! Each used cell is an equation: its variables sum to what the cell must show. Message passing
//! peels: an equation with a variable that no other equation has left can wait until the others
//! are solved, and then sets that variable. When no equation can be peeled, one of them is put
//! aside and peeling goes on; those put aside are few, dense once the peeled variables are
//! eliminated from them, and solved by Gaussian elimination over the variables that remained free
//! (what decoders of fountain codes call inactivation).

use super::dense::Dense;
use super::graph::Graph;
use crate::cpu::Isa;

/// Room for a solution.
#[derive(Debug, Clone)]
pub(super) struct Solver {
    /// Equations left that a variable is in.
    degree: Vec<u32>,
    /// Exclusive or of their numbers: the last one's when one is left.
    sum: Vec<u32>,
    /// Per cell: whether its equation is left.
    active: Vec<bool>,
    /// Equations left.
    left: usize,
    /// Variables that were seen to be in one equation, and in two.
    alone: Vec<u32>,
    pairs: Vec<u32>,
    /// Equations peeled, each with the variable that it sets, in order.
    peeled: Vec<(u32, u32)>,
    aside: Vec<u32>,
    is_free: Vec<bool>,
    dense: Dense,
}

impl Solver {
    pub fn new(graph: &Graph) -> Self {
        let variables = graph.variables;
        Self {
            degree: vec![0; variables],
            sum: vec![0; variables],
            active: vec![false; graph.message_cells + variables],
            left: 0,
            alone: Vec::with_capacity(variables),
            pairs: Vec::with_capacity(variables),
            peeled: Vec::with_capacity(variables),
            aside: Vec::new(),
            is_free: vec![true; variables],
            dense: Dense::default(),
        }
    }

    /// Finds `variables` so that every cell that is `used` sums to its part of `wanted`;
    /// `most_aside` equations may be put aside. False if it finds none.
    pub fn solve(
        &mut self,
        isa: Isa,
        graph: &Graph,
        used: &[bool],
        wanted: &[bool],
        most_aside: usize,
        variables: &mut [bool],
    ) -> bool {
        self.load(graph, used);
        if self.left > graph.variables {
            return false; // more equations than variables: next to never solvable
        }
        self.peel(graph);
        while self.left > 0 {
            if self.aside.len() == most_aside {
                return false;
            }
            self.put_one_aside(graph);
            self.peel(graph);
        }
        variables.fill(false);
        if !self.aside.is_empty() && !self.solve_aside(isa, graph, wanted, variables) {
            return false;
        }
        for &(cell, variable) in self.peeled.iter().rev() {
            // It is false so far, so that it adds nothing to the sum of the others.
            let members = graph.of_cell(cell as usize).iter();
            let others = members.fold(false, |sum, &member| sum ^ variables[member as usize]);
            variables[variable as usize] = others ^ wanted[cell as usize];
        }
        true
    }

    fn load(&mut self, graph: &Graph, used: &[bool]) {
        self.degree.fill(0);
        self.sum.fill(0);
        self.is_free.fill(true);
        for list in [&mut self.alone, &mut self.pairs, &mut self.aside] {
            list.clear();
        }
        self.peeled.clear();
        self.active.copy_from_slice(used);
        self.left = 0;
        for cell in (0..used.len()).filter(|&cell| used[cell]) {
            self.left += 1;
            for &variable in graph.of_cell(cell) {
                self.degree[variable as usize] += 1;
                self.sum[variable as usize] ^= cell as u32;
            }
        }
        for variable in 0..graph.variables as u32 {
            self.note(variable);
        }
    }

    fn note(&mut self, variable: u32) {
        match self.degree[variable as usize] {
            1 => self.alone.push(variable),
            2 => self.pairs.push(variable),
            _ => {}
        }
    }

    fn peel(&mut self, graph: &Graph) {
        while let Some(variable) = self.alone.pop() {
            if self.degree[variable as usize] == 1 {
                let cell = self.sum[variable as usize];
                self.is_free[variable as usize] = false;
                self.peeled.push((cell, variable));
                self.remove(graph, cell);
            }
        }
    }

    fn remove(&mut self, graph: &Graph, cell: u32) {
        self.active[cell as usize] = false;
        self.left -= 1;
        for &variable in graph.of_cell(cell as usize) {
            self.degree[variable as usize] -= 1;
            self.sum[variable as usize] ^= cell;
            self.note(variable);
        }
    }

    /// Puts aside one of the two equations of some variable, the larger, so that the other can be
    /// peeled; where no variable is in two, the largest of the one that is in the fewest.
    fn put_one_aside(&mut self, graph: &Graph) {
        let in_two = std::iter::from_fn(|| self.pairs.pop())
            .find(|&variable| self.degree[variable as usize] == 2);
        let fewest = || {
            let left = (0..graph.variables as u32).filter(|&v| self.degree[v as usize] > 0);
            left.min_by_key(|&v| self.degree[v as usize])
        };
        let cells = in_two.or_else(fewest).map_or(&[][..], |v| graph.of_variable(v as usize));
        let active = cells.iter().filter(|&&cell| self.active[cell as usize]);
        if let Some(&cell) = active.max_by_key(|&&cell| graph.of_cell(cell as usize).len()) {
            self.aside.push(cell);
            self.remove(graph, cell);
        }
    }

    /// Sets the variables that no peeled equation sets.
    fn solve_aside(
        &mut self,
        isa: Isa,
        graph: &Graph,
        wanted: &[bool],
        variables: &mut [bool],
    ) -> bool {
        self.dense.begin(self.aside.len(), graph.variables);
        for (row, &cell) in self.aside.iter().enumerate() {
            self.dense.set(row, graph.of_cell(cell as usize), wanted[cell as usize]);
        }
        for &(cell, variable) in &self.peeled {
            self.dense.substitute(variable, graph.of_cell(cell as usize), wanted[cell as usize]);
        }
        let is_free = &self.is_free;
        let free = (0..graph.variables as u32).filter(|&v| is_free[v as usize]);
        self.dense.solve(isa, free, variables)
    }
}
