//! Wear that no run shows: blocks age as in so many further windows like the last one.

use super::Ftl;
use crate::engine::Scheduler;
use crate::metrics::Age;
use crate::nand::BlockState;
use crate::technique::Technique;

/// Blocks that may wear out, of all, before the drive is simulated again: it loses room with each.
const WORN_SHARE: f64 = 0.01;

impl<T: Technique, S: Scheduler> Ftl<T, S> {
    /// A window ends: its cycles are those by which blocks age from here on.
    pub fn end_window(&mut self) {
        for (block, noted) in self.state.blocks.iter().zip(&mut self.window_pec) {
            *noted = block.erases - *noted;
        }
    }

    /// Every block ages by the P/E cycles of the window that ended; false once so many are worn out
    /// that the drive would change.
    pub fn skip_window(&mut self) -> bool {
        let mut worn = 0;
        for block in 0..self.state.geometry.blocks() {
            let cycles = self.window_pec[block as usize];
            let entry = &self.state.blocks[block as usize];
            if cycles == 0 || entry.state == BlockState::Bad {
                continue;
            }
            let is_worn = self.erase_scheme.age(&self.state, block, cycles);
            let entry = &mut self.state.blocks[block as usize];
            entry.erases = entry.erases.saturating_add(cycles);
            worn += u32::from(is_worn);
        }
        self.level_skipped();
        worn < (WORN_SHARE * f64::from(self.state.geometry.blocks())).ceil() as u32
    }

    /// What static wear levelling would have done on the way: the least erased block of a domain takes
    /// over the work of the most erased one, once it lies too far behind.
    fn level_skipped(&mut self) {
        let Some(threshold) = self.wear.threshold_pec else { return };
        for domain in 0..self.state.layout.domains() {
            let blocks = &self.state.blocks;
            let is_alive = |&block: &u32| blocks[block as usize].state != BlockState::Bad;
            let mut order: Vec<u32> =
                self.state.blocks_of_domain(domain).filter(is_alive).collect();
            order.sort_by_key(|&block| blocks[block as usize].erases);
            let pairs = order.iter().zip(order.iter().rev()).take(order.len() / 2);
            for (&least, &most) in pairs {
                let (least, most) = (least as usize, most as usize);
                let behind = blocks[most].erases - blocks[least].erases;
                if behind > threshold && self.window_pec[most] > self.window_pec[least] {
                    self.window_pec.swap(least, most);
                }
            }
        }
    }

    /// The next window begins.
    pub fn begin_window(&mut self) {
        let blocks = &self.state.blocks;
        for free in &mut self.state.free {
            free.set_wear(|block| blocks[block as usize].erases);
        }
        self.window_pec.clear();
        self.window_pec.extend(blocks.iter().map(|block| block.erases));
    }

    /// How old the blocks are.
    pub fn age(&self) -> Age {
        let blocks = &self.state.blocks;
        let count = blocks.len() as u64;
        Age {
            blocks: count,
            bad: blocks.iter().filter(|block| block.state == BlockState::Bad).count() as u64,
            pec: blocks.iter().map(|block| u64::from(block.erases)).sum(),
            errors: self.erase_scheme.errors_mean().map(|mean| mean * count as f64),
        }
    }
}
