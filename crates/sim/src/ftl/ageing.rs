//! How old a drive is.

use super::{Backend, Media};
use crate::metrics::Age;
use crate::nand::BlockState;
use crate::technique::{Hooks, Phase};

impl<T: Hooks> Backend<T> {
    /// Tells all who report something that it counts from here on.
    pub fn count_anew(&mut self) {
        let media = &mut self.media;
        media.technique.begin(&media.state, Phase::Measured);
        media.erase_scheme.count_anew();
        if let Some(model) = &mut self.reader.model {
            model.count_anew();
        }
    }
}

impl<T: Hooks> Media<T> {
    /// How old the blocks are.
    pub fn age(&self) -> Age {
        let blocks = &self.state.blocks;
        let count = blocks.count() as u64;
        Age {
            blocks: count,
            bad: blocks.iter().filter(|block| block.state == BlockState::Bad).count() as u64,
            pec: blocks.iter().map(|block| u64::from(block.erases)).sum(),
            errors: self.erase_scheme.errors_mean().map(|mean| mean * count as f64),
        }
    }
}
