//! An erased block for a restart. The map is ahead of the flash, where a block that it calls erased may still wait for
//! that, and a restart needs one to which it can move data. So the first program to a block waits until another block of
//! its kind of flash has been erased.

use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::ids::{BlockId, ById};
use std::collections::VecDeque;

/// Erases that may not be over, and what the first programs of blocks wait for.
#[derive(Debug)]
pub(super) struct Spares<J> {
    /// By group, blocks that were erased and not opened since, with the end of that: the oldest first. Blocks that
    /// nothing was ever programmed to are none of them.
    erased: Vec<VecDeque<(BlockId, J)>>,
    /// By block, what its programs wait for: until then no other block is sure to be erased.
    open_after: ById<BlockId, J>,
}

impl<J: Default> Spares<J> {
    /// Every block that is erased has long been so.
    pub fn new(state: &DriveState) -> Self {
        let erased = state.geometry.groups.iter().map(|_| VecDeque::new()).collect();
        Self { erased, open_after: super::joins(state) }
    }

    /// Blocks are erased by a command that ends so.
    pub fn erased<S: Scheduler<Join = J>>(
        &mut self,
        (sched, stamp): (&S, S::Stamp),
        state: &DriveState,
        blocks: impl Iterator<Item = BlockId>,
    ) {
        for block in blocks {
            let mut end = J::default();
            sched.join(&mut end, stamp);
            self.erased[state.geometry.group_of(block)].push_back((block, end));
        }
    }

    /// An erased block was taken to be programmed: of those that are left one has to be erased by then.
    pub fn opened<S: Scheduler<Join = J>>(
        &mut self,
        sched: &S,
        state: &DriveState,
        block: BlockId,
    ) {
        let group = state.geometry.group_of(block);
        let erased = &mut self.erased[group];
        erased.retain(|&(other, _)| other != block);
        self.open_after[block] = J::default();
        let left: usize =
            state.geometry.groups[group].planes.iter().map(|plane| state.free[plane].len()).sum();
        if let Some((_, end)) = erased.front().filter(|_| left == erased.len()) {
            sched.merge(&mut self.open_after[block], end);
        }
    }

    /// What programs to a block wait for.
    pub fn before(&self, block: BlockId) -> &J {
        &self.open_after[block]
    }
}
