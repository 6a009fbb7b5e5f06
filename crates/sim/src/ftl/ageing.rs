//! How old a drive is.

use super::Ftl;
use crate::engine::Scheduler;
use crate::metrics::Age;
use crate::nand::BlockState;
use crate::technique::{Hooks, Phase};

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Tells all who report something that it counts from here on.
    pub fn count_anew(&mut self) {
        self.technique.begin(&self.state, Phase::Measured);
        self.eraser.scheme.count_anew();
        if let Some(model) = &mut self.reader.model {
            model.count_anew();
        }
    }

    /// How old the blocks are.
    pub fn age(&self) -> Age {
        let blocks = &self.state.blocks;
        let count = blocks.count() as u64;
        Age {
            blocks: count,
            bad: blocks.iter().filter(|block| block.state == BlockState::Bad).count() as u64,
            pec: blocks.iter().map(|block| u64::from(block.erases)).sum(),
            errors: self.eraser.scheme.errors_mean().map(|mean| mean * count as f64),
        }
    }
}
