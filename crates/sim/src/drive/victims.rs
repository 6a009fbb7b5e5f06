//! The index of full blocks from which victims are chosen. A policy says which orders it needs;
//! only those are kept.

use crate::ids::{BlockId, ById, DomainId, Id};
use crate::nand::Block;
use crate::util::{NONE, Rng, prefetch};
use std::collections::VecDeque;

/// The orders that a policy needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Orders {
    /// By cost of reclamation.
    pub by_cost: bool,
    /// By the time at which they became full.
    pub by_age: bool,
    /// In none, so that one can be drawn at random.
    pub at_random: bool,
    /// By the time at which they changed last.
    pub by_change: bool,
}

/// Doubly linked lists of blocks by domain and cost, the one that changed last at the tail.
#[derive(Debug)]
struct Buckets {
    width: usize,
    ends: Vec<(BlockId, BlockId)>,
    /// No block of the domain costs less.
    lowest: ById<DomainId, u32>,
}

/// Blocks in no order, so that one can be drawn at random.
#[derive(Debug)]
struct Lists {
    blocks: ById<DomainId, Vec<BlockId>>,
    /// Where each block stands in the list of its domain; `NONE`: nowhere.
    places: ById<BlockId, u32>,
}

/// Full blocks by domain.
#[derive(Debug)]
pub struct Victims {
    buckets: Option<Buckets>,
    ages: Option<ById<DomainId, VecDeque<BlockId>>>,
    lists: Option<Lists>,
    /// When each block changed last, in changes since the start.
    changed: ById<BlockId, u64>,
    changes: u64,
}

impl Victims {
    /// An empty index for `blocks` blocks in `domains` domains, with costs up to `cost_max`.
    pub fn new(orders: Orders, domains: u32, blocks: u32, cost_max: u32) -> Self {
        let width = cost_max as usize + 1;
        Self {
            buckets: orders.by_cost.then(|| Buckets {
                width,
                ends: vec![(BlockId::NONE, BlockId::NONE); width * domains as usize],
                lowest: ById::filled(cost_max, domains),
            }),
            ages: orders.by_age.then(|| ById::filled(VecDeque::new(), domains)),
            lists: orders.at_random.then(|| Lists {
                blocks: ById::filled(Vec::new(), domains),
                places: ById::filled(NONE, blocks),
            }),
            changed: ById::filled(0, if orders.by_change { blocks } else { 0 }),
            changes: 0,
        }
    }

    /// Full blocks of `domain`, oldest first.
    pub fn by_age(&self, domain: DomainId) -> impl Iterator<Item = BlockId> + '_ {
        self.ages.iter().flat_map(move |ages| ages[domain].iter().copied())
    }

    /// A full block of `domain` at random.
    pub fn draw(&self, domain: DomainId, rng: &mut Rng) -> Option<BlockId> {
        let list = &self.lists.as_ref()?.blocks[domain];
        (!list.is_empty()).then(|| list[rng.below(list.len() as u32) as usize])
    }

    /// The full block of `domain` with the lowest cost; of equals, the one that has been so the
    /// longest.
    pub fn cheapest(&mut self, domain: DomainId) -> Option<BlockId> {
        let buckets = self.buckets.as_mut()?;
        let base = domain.index() * buckets.width;
        let lowest = &mut buckets.lowest[domain];
        while (*lowest as usize) < buckets.width {
            let (head, _) = buckets.ends[base + *lowest as usize];
            if head.is_some() {
                return Some(head);
            }
            *lowest += 1;
        }
        *lowest = buckets.width as u32 - 1;
        None
    }

    /// `block`, which is first at its cost, and all others of its domain at that cost.
    pub fn alike<'a>(
        &self,
        blocks: &'a ById<BlockId, Block>,
        block: BlockId,
    ) -> impl Iterator<Item = BlockId> + use<'a> {
        let next = |block: &BlockId| blocks[*block].after.known();
        std::iter::successors(Some(block), next)
    }

    /// For each cost that occurs in `domain`: the cost, and the block that has had it the longest.
    pub fn longest_unchanged(&self, domain: DomainId) -> impl Iterator<Item = (u32, BlockId)> + '_ {
        self.buckets.iter().flat_map(move |buckets| {
            let base = domain.index() * buckets.width;
            buckets.ends[base..base + buckets.width]
                .iter()
                .enumerate()
                .filter(|(_, (head, _))| head.is_some())
                .map(|(cost, (head, _))| (cost as u32, *head))
        })
    }

    /// Changes of any block since `block` changed.
    pub fn age(&self, block: BlockId) -> u64 {
        self.changes - self.changed.get(block).copied().unwrap_or(self.changes)
    }

    /// A block became full.
    pub fn insert(
        &mut self,
        blocks: &mut ById<BlockId, Block>,
        domain: DomainId,
        block: BlockId,
        cost: u32,
    ) {
        self.note_change(block);
        if let Some(buckets) = &mut self.buckets {
            buckets.link(blocks, domain, block, cost);
        }
        if let Some(ages) = &mut self.ages {
            ages[domain].push_back(block);
        }
        if let Some(lists) = &mut self.lists {
            let list = &mut lists.blocks[domain];
            lists.places[block] = list.len() as u32;
            list.push(block);
        }
    }

    /// A full block changed, and costs `cost` now.
    #[inline]
    pub fn change(
        &mut self,
        blocks: &mut ById<BlockId, Block>,
        domain: DomainId,
        block: BlockId,
        cost: u32,
    ) {
        self.note_change(block);
        if let Some(buckets) = &mut self.buckets {
            buckets.unlink(blocks, domain, block);
            buckets.link(blocks, domain, block, cost);
        }
    }

    /// Asks the cache for the blocks that become neighbours of others as a block costs one unit less: its own
    /// neighbours, and the one behind which it comes then.
    #[inline]
    pub fn prefetch_neighbours(
        &self,
        blocks: &ById<BlockId, Block>,
        domain: DomainId,
        block: BlockId,
    ) {
        let Some(buckets) = &self.buckets else { return };
        let Block { before, after, cost, .. } = blocks[block];
        let less = cost.saturating_sub(1) as usize;
        let (_, tail) = buckets.ends[domain.index() * buckets.width + less];
        for other in [before, after, tail] {
            prefetch(blocks.as_slice(), other.index());
        }
    }

    /// A block is no longer a candidate.
    pub fn remove(&mut self, blocks: &mut ById<BlockId, Block>, domain: DomainId, block: BlockId) {
        if let Some(buckets) = &mut self.buckets {
            buckets.unlink(blocks, domain, block);
        }
        if let Some(ages) = &mut self.ages {
            let ages = &mut ages[domain];
            if let Some(at) = ages.iter().position(|&b| b == block) {
                ages.remove(at);
            }
        }
        if let Some(Lists { blocks, places }) = &mut self.lists {
            let list = &mut blocks[domain];
            let at = places[block];
            list.swap_remove(at as usize);
            if let Some(&moved) = list.get(at as usize) {
                places[moved] = at;
            }
            places[block] = NONE;
        }
    }

    #[inline]
    fn note_change(&mut self, block: BlockId) {
        if let Some(changed) = self.changed.get_mut(block) {
            self.changes += 1;
            *changed = self.changes;
        }
    }
}

impl Buckets {
    #[inline]
    fn link(
        &mut self,
        blocks: &mut ById<BlockId, Block>,
        domain: DomainId,
        block: BlockId,
        cost: u32,
    ) {
        debug_assert!((cost as usize) < self.width, "a block costs more than all of its units");
        let ends = &mut self.ends[domain.index() * self.width + cost as usize];
        let tail = ends.1;
        ends.1 = block;
        let entry = &mut blocks[block];
        (entry.before, entry.after, entry.cost) = (tail, BlockId::NONE, cost);
        match tail {
            BlockId::NONE => ends.0 = block,
            tail => blocks[tail].after = block,
        }
        let lowest = &mut self.lowest[domain];
        *lowest = (*lowest).min(cost);
    }

    #[inline]
    fn unlink(&mut self, blocks: &mut ById<BlockId, Block>, domain: DomainId, block: BlockId) {
        let Block { before, after, cost, .. } = blocks[block];
        let ends = &mut self.ends[domain.index() * self.width + cost as usize];
        match before {
            BlockId::NONE => ends.0 = after,
            before => blocks[before].after = after,
        }
        match after {
            BlockId::NONE => ends.1 = before,
            after => blocks[after].before = before,
        }
    }
}
