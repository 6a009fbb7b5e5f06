//! Reprogrammable blocks that are spent: each word line was reprogrammed as often as it can be. What
//! is still valid in them is moved to normal blocks like that of candidates, and until then GC does not
//! come to them, so that they are erased without migration (Sections 4 and 7.2.2). Only so many wait as GC keeps free
//! of a plane: a drive without idle time would lose all of its spare blocks to them.

use crate::drive::DriveState;
use crate::ids::{BlockId, ById, PlaneId, Unit};
use std::collections::BTreeSet;

/// A spent block, and from when on its data is to be moved.
#[derive(Debug, Clone, Copy)]
struct Spent {
    block: BlockId,
    from_ns: u64,
}

/// Spent blocks that may hold data, by plane.
#[derive(Debug)]
pub(super) struct SpentBlocks {
    of_plane: ById<PlaneId, Vec<Spent>>,
    /// So many of a plane may wait.
    most: usize,
    /// Planes that may have data to move.
    planes: BTreeSet<PlaneId>,
    /// Planes that will have some, and from when on.
    later: BTreeSet<(u64, PlaneId)>,
    now_ns: u64,
}

impl SpentBlocks {
    /// None yet.
    pub fn new(planes: u32, most: usize) -> Self {
        Self {
            most,
            of_plane: ById::filled(Vec::new(), planes),
            planes: BTreeSet::new(),
            later: BTreeSet::new(),
            now_ns: 0,
        }
    }

    /// A block of a plane is spent, and what is valid in it at that time is to be moved, unless as many wait as may: then
    /// it is left to GC.
    pub fn add(&mut self, plane: PlaneId, block: BlockId, from_ns: u64) {
        if self.of_plane[plane].len() < self.most {
            self.of_plane[plane].push(Spent { block, from_ns });
            self.later.insert((from_ns, plane));
        }
    }

    /// The present.
    pub fn advance(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        while let Some(&(from_ns, plane)) = self.later.first()
            && from_ns <= now_ns
        {
            self.later.pop_first();
            self.planes.insert(plane);
        }
    }

    /// True for a block of a plane that is to be emptied and holds data: GC would have to move it.
    pub fn keeps(&self, plane: PlaneId, block: BlockId, state: &DriveState) -> bool {
        state.blocks[block].valid > 0 && self.of_plane(plane).any(|spent| spent == block)
    }

    /// The blocks of a plane.
    pub fn of_plane(&self, plane: PlaneId) -> impl Iterator<Item = BlockId> {
        self.of_plane[plane].iter().map(|spent| spent.block)
    }

    /// A block of a plane was erased, or given up.
    pub fn forget(&mut self, plane: PlaneId, block: BlockId) {
        self.of_plane[plane].retain(|spent| spent.block != block);
    }

    /// A plane in which there may be something to move.
    pub fn any(&self) -> Option<PlaneId> {
        self.planes.first().copied()
    }

    /// The next page to move in a plane: of the block with the fewest valid ones.
    pub fn next_page(&mut self, state: &DriveState, plane: PlaneId) -> Option<Unit> {
        let spent = &mut self.of_plane[plane];
        spent.retain(|spent| state.blocks[spent.block].valid > 0);
        let cooled = spent.iter().filter(|spent| spent.from_ns <= self.now_ns);
        let Some(block) = state.least_valid(cooled.map(|spent| spent.block)) else {
            self.planes.remove(&plane);
            return None;
        };
        Some(state.geometry.first_unit(block).plus(state.valid.next(block, 0)?))
    }
}

#[cfg(test)]
mod tests {
    use super::SpentBlocks;
    use crate::engine::Count;
    use crate::ftl::Ftl;
    use crate::ids::{BlockId, Lpn, PlaneId};
    use crate::schema::Config;
    use crate::technique::Conventional;

    /// A block with a valid page, spent at 10 ns and cool at 25.
    #[test]
    fn a_spent_block_is_emptied_from_the_moment_on_at_which_it_has_cooled() {
        let mut ftl = Ftl::<_, Count>::new(&Config::default(), Conventional).expect("it works");
        let state = &mut ftl.state;
        let plane = PlaneId(3);
        let block = state.take_free(plane, false).expect("all are erased");
        let unit = state.geometry.first_unit(block);
        state.bind(Lpn(0), state.geometry.located(unit));
        let mut spent = SpentBlocks::new(state.geometry.planes().count(), 1);
        spent.add(plane, block, 25);
        // As many wait as may.
        let other = BlockId(block.0 + 1);
        spent.add(plane, other, 0);
        assert_eq!(spent.of_plane(plane).collect::<Vec<_>>(), [block]);
        for (now_ns, page) in [(24, None), (25, Some(unit)), (26, Some(unit))] {
            spent.advance(now_ns);
            let next = spent.any().and_then(|plane| spent.next_page(state, plane));
            assert_eq!(next, page, "at {now_ns} ns");
        }
        assert!(spent.keeps(plane, block, state), "it holds data");
    }
}
