//! What a direct fill leaves to be done: the drive takes note of the blocks that it set.

use super::Ftl;
use crate::engine::Scheduler;
use crate::technique::Technique;

/// What a fill is known by, besides what it left in the drive.
#[derive(Debug)]
pub(super) struct Fill {
    /// The closed form's write amplification, where a steady state was set.
    pub expected: Option<f64>,
    /// Logical units of the host that are written, the first ones where a steady state was set.
    pub written: u32,
    /// The blocks that hold data, in the order in which they got it.
    pub blocks: Vec<u32>,
}

impl<T: Technique, S: Scheduler> Ftl<T, S> {
    /// Takes note of blocks that were filled directly: the technique is told of each, and full ones
    /// may be reclaimed.
    pub(super) fn take_filled(&mut self, blocks: &[u32]) {
        for &block in blocks {
            self.technique.preset(&self.state, block);
            let units = self.state.geometry.of(block).units_per_block;
            if self.state.blocks[block as usize].next == units {
                self.fill(block);
            }
        }
    }
}
