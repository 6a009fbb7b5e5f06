//! Which blocks are in the cache, and where each stands.

use crate::ids::{BlockId, ById, DomainId, Ids, ScopeId};
use std::collections::VecDeque;

/// Where a block stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stage {
    /// Not in the cache.
    #[default]
    Normal,
    /// In the cache, being filled.
    Filling,
    /// In the cache, full.
    Cached,
    /// What it holds is being moved away, or it waits to be erased.
    Leaving,
    /// What its cells can hold besides is being programmed to them.
    Switching,
}

/// Where a block lies: its scope of write points, and its domain of garbage collection.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    pub scope: ScopeId,
    pub domain: DomainId,
}

/// The cache in the planes of a scope.
#[derive(Debug, Clone, Default)]
struct Part {
    /// Full blocks that hold valid data, in the order in which they became full.
    cached: VecDeque<BlockId>,
    /// Full blocks that hold none.
    dead: VecDeque<BlockId>,
    /// Blocks in the cache, open ones among them.
    used: u32,
}

/// The blocks of a drive as the cache sees them.
#[derive(Debug, Clone)]
pub struct Blocks {
    stages: ById<BlockId, Stage>,
    parts: ById<ScopeId, Part>,
    in_domain: ById<DomainId, u32>,
}

impl Blocks {
    /// Those of a drive whose cache is empty.
    pub fn new(blocks: u32, scopes: u32, domains: u32) -> Self {
        Self {
            stages: ById::filled(Stage::default(), blocks),
            parts: ById::filled(Part::default(), scopes),
            in_domain: ById::filled(0, domains),
        }
    }

    /// Where a block stands.
    #[inline]
    pub fn stage(&self, block: BlockId) -> Stage {
        self.stages[block]
    }

    /// True for a block whose word lines hold one page each.
    #[inline]
    pub fn is_slc(&self, block: BlockId) -> bool {
        !matches!(self.stage(block), Stage::Normal | Stage::Switching)
    }

    /// Scopes of write points.
    pub fn scopes(&self) -> Ids<ScopeId> {
        self.parts.ids()
    }

    /// Blocks of a scope in the cache.
    pub fn used(&self, scope: ScopeId) -> u32 {
        self.parts[scope].used
    }

    /// Blocks of a domain in the cache.
    pub fn in_domain(&self, domain: DomainId) -> u32 {
        self.in_domain[domain]
    }

    /// Full blocks of a scope without valid data.
    pub fn dead(&self, scope: ScopeId) -> impl Iterator<Item = BlockId> {
        self.parts[scope].dead.iter().copied()
    }

    /// Full blocks of a scope that hold valid data, the oldest first.
    pub fn cached(
        &self,
        scope: ScopeId,
    ) -> impl DoubleEndedIterator<Item = BlockId> + ExactSizeIterator {
        self.parts[scope].cached.iter().copied()
    }

    /// Up to `count` full blocks of a scope that leave first: those without valid data, then the oldest.
    pub fn first(&self, scope: ScopeId, count: u32) -> Vec<BlockId> {
        self.dead(scope).chain(self.cached(scope)).take(count as usize).collect()
    }

    /// A block takes its first data.
    pub fn begin(&mut self, site: Site, block: BlockId) {
        debug_assert_eq!(self.stage(block), Stage::Normal);
        self.stages[block] = Stage::Filling;
        self.enter(site);
    }

    /// A block is full, or stays after all.
    pub fn keep(&mut self, site: Site, block: BlockId, holds_data: bool) {
        let comes_back = self.stage(block) == Stage::Leaving;
        if comes_back {
            self.enter(site);
        }
        self.stages[block] = Stage::Cached;
        let part = &mut self.parts[site.scope];
        match (holds_data, comes_back) {
            (false, _) => part.dead.push_back(block),
            (true, true) => part.cached.push_front(block),
            (true, false) => part.cached.push_back(block),
        }
    }

    /// Nothing on a full block is valid any more.
    pub fn die(&mut self, scope: ScopeId, block: BlockId) {
        let part = &mut self.parts[scope];
        remove(&mut part.cached, block);
        part.dead.push_back(block);
    }

    /// A full block is to be erased, or to hold more data.
    pub fn leave(&mut self, site: Site, block: BlockId, to: Stage) {
        debug_assert_eq!(self.stage(block), Stage::Cached);
        self.stages[block] = to;
        let part = &mut self.parts[site.scope];
        let _ = remove(&mut part.cached, block) || remove(&mut part.dead, block);
        part.used -= 1;
        self.in_domain[site.domain] -= 1;
    }

    /// A block is no longer one of the cache's.
    pub fn release(&mut self, block: BlockId) {
        debug_assert!(!matches!(self.stage(block), Stage::Filling | Stage::Cached));
        self.stages[block] = Stage::Normal;
    }

    fn enter(&mut self, site: Site) {
        self.parts[site.scope].used += 1;
        self.in_domain[site.domain] += 1;
    }
}

/// Removes a block from a queue, if it is there.
fn remove(queue: &mut VecDeque<BlockId>, block: BlockId) -> bool {
    match queue.iter().position(|&other| other == block) {
        Some(at) => queue.remove(at).is_some(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocks, Site, Stage};
    use crate::ids::{BlockId, DomainId, ScopeId};

    #[test]
    fn a_block_that_stays_after_all_is_the_oldest_still() {
        let site = Site { scope: ScopeId(0), domain: DomainId(0) };
        let mut blocks = Blocks::new(3, 1, 1);
        for block in [0, 1, 2].map(BlockId) {
            blocks.begin(site, block);
            blocks.keep(site, block, true);
        }
        blocks.leave(site, BlockId(0), Stage::Leaving);
        assert_eq!((blocks.first(site.scope, 1), blocks.used(site.scope)), (vec![BlockId(1)], 2));
        blocks.keep(site, BlockId(0), true);
        assert_eq!((blocks.first(site.scope, 1), blocks.used(site.scope)), (vec![BlockId(0)], 3));
    }

    #[test]
    fn every_block_that_leaves_is_one_less_of_its_scope_and_of_its_domain() {
        let site = Site { scope: ScopeId(1), domain: DomainId(1) };
        let mut blocks = Blocks::new(3, 2, 2);
        for block in [0, 1, 2].map(BlockId) {
            blocks.begin(site, block);
            blocks.keep(site, block, true);
        }
        let held = |blocks: &Blocks| (blocks.used(site.scope), blocks.in_domain(site.domain));
        assert_eq!(held(&blocks), (3, 3));
        blocks.leave(site, BlockId(0), Stage::Leaving);
        assert_eq!(held(&blocks), (2, 2));
        blocks.keep(site, BlockId(0), false);
        assert_eq!(held(&blocks), (3, 3));
        blocks.leave(site, BlockId(1), Stage::Switching);
        blocks.leave(site, BlockId(2), Stage::Normal);
        assert_eq!(held(&blocks), (1, 1));
        assert_eq!((blocks.used(ScopeId(0)), blocks.in_domain(DomainId(0))), (0, 0));
    }
}
