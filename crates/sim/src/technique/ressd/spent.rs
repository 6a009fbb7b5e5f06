//! Reprogrammable blocks that are spent: each word line was reprogrammed as often as it can be. What
//! is still valid in them is moved to normal blocks like that of candidates, and until then GC does not
//! come to them, so that they are erased without migration (Sections 4 and 7.2.2).

use crate::drive::DriveState;
use std::collections::BTreeSet;

/// Spent blocks that may hold data, by plane.
#[derive(Debug)]
pub(super) struct SpentBlocks {
    of_plane: Vec<Vec<u32>>,
    /// Planes that may have one.
    planes: BTreeSet<u32>,
}

impl SpentBlocks {
    /// None yet.
    pub fn new(planes: u32) -> Self {
        Self { of_plane: vec![Vec::new(); planes as usize], planes: BTreeSet::new() }
    }

    /// A block of a plane is spent.
    pub fn add(&mut self, plane: u32, block: u32) {
        self.of_plane[plane as usize].push(block);
        self.planes.insert(plane);
    }

    /// True for a block of a plane that is to be emptied and holds data: GC would have to move it.
    pub fn keeps(&self, plane: u32, block: u32, state: &DriveState) -> bool {
        state.blocks[block as usize].valid > 0 && self.of_plane[plane as usize].contains(&block)
    }

    /// The blocks of a plane.
    pub fn of_plane(&self, plane: u32) -> impl Iterator<Item = u32> {
        self.of_plane[plane as usize].iter().copied()
    }

    /// A block of a plane was erased, or given up.
    pub fn forget(&mut self, plane: u32, block: u32) {
        self.of_plane[plane as usize].retain(|&spent| spent != block);
    }

    /// A plane in which there may be something to move.
    pub fn any(&self) -> Option<u32> {
        self.planes.first().copied()
    }

    /// The next page to move in a plane: of the block with the fewest valid ones.
    pub fn next_page(&mut self, state: &DriveState, plane: u32) -> Option<u32> {
        let spent = &mut self.of_plane[plane as usize];
        let valid = |block: &u32| state.blocks[*block as usize].valid;
        spent.retain(|block| valid(block) > 0);
        let Some(&block) = spent.iter().min_by_key(|block| valid(block)) else {
            self.planes.remove(&plane);
            return None;
        };
        Some(state.geometry.first_unit(block) + state.valid.next(block, 0)?)
    }
}
