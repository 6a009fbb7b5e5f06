//! A fill that several drives have in common: those of an array are filled once.

use super::Ftl;
use crate::drive::{DriveContents, DriveState};
use crate::engine::Scheduler;
use crate::schema::Config;
use crate::technique::Technique;

/// What a fill is known by, besides what it left in the drive.
#[derive(Debug, Clone)]
pub(super) struct Fill {
    /// The closed form's write amplification, where a steady state was set.
    pub expected: Option<f64>,
    /// Logical units of the host that are written, the first ones where a steady state was set.
    pub written: u32,
    /// The blocks that hold data, in the order in which they got it.
    pub blocks: Vec<u32>,
}

/// The last fill of several drives.
#[derive(Debug, Default)]
pub struct LastFill {
    is_kept: bool,
    kept: Option<(Config, Fill, DriveContents)>,
}

impl LastFill {
    /// Keeps the last fill, for drives that may be filled alike; the default keeps none.
    pub fn kept() -> Self {
        Self { is_kept: true, kept: None }
    }

    /// Fills an empty drive: by a copy, where the last one had the same configuration, and otherwise
    /// by `fill`.
    pub(super) fn get(
        &mut self,
        config: &Config,
        state: &mut DriveState,
        fill: impl FnOnce(&mut DriveState) -> Fill,
    ) -> Fill {
        if let Some((of, fill, contents)) = &self.kept
            && of == config
        {
            state.set_contents(contents);
            return fill.clone();
        }
        let fill = fill(state);
        if self.is_kept {
            self.kept = Some((config.clone(), fill.clone(), state.contents()));
        }
        fill
    }
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
