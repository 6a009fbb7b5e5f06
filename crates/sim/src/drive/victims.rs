//! The index of full blocks from which victims are chosen. A policy says which orders it needs;
//! only those are kept.

use super::buckets::Buckets;
use crate::ids::{BlockId, ById, DomainId, Ids};
use crate::nand::Block;
use crate::util::{NONE, Rng};
use std::collections::VecDeque;

/// Whether full blocks stand in the order of what it costs to reclaim them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ByCost {
    /// They do not.
    #[default]
    None,
    /// The cheapest of them do.
    Cheapest,
    /// All do.
    All,
}

/// The orders that a policy needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Orders {
    /// By cost of reclamation.
    pub by_cost: ByCost,
    /// By the time at which they became full.
    pub by_age: bool,
    /// In none, so that one can be drawn at random.
    pub at_random: bool,
    /// By the time at which they changed last.
    pub by_change: bool,
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
        let all_by_cost = orders.by_cost == ByCost::All;
        let buckets = || Buckets::new(domains, cost_max, all_by_cost);
        Self {
            buckets: (orders.by_cost != ByCost::None).then(buckets),
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
    /// longest. [`Self::list`] has to have been called since blocks changed.
    pub fn cheapest(&mut self, domain: DomainId) -> Option<BlockId> {
        self.buckets.as_mut()?.cheapest(domain)
    }

    /// Sees to it that the cheapest of `domain`, whose blocks are `all`, can be told.
    #[inline]
    pub fn list(&mut self, blocks: &mut ById<BlockId, Block>, domain: DomainId, all: Ids<BlockId>) {
        if let Some(buckets) = self.buckets.as_mut().filter(|it| it.want_making(domain)) {
            buckets.make(blocks, domain, all);
        }
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

    /// For each cost that occurs in `domain`, where all stand in order by cost: the cost, and the block that has had it
    /// the longest.
    pub fn longest_unchanged(&self, domain: DomainId) -> impl Iterator<Item = (u32, BlockId)> + '_ {
        self.buckets.iter().flat_map(move |buckets| buckets.longest_unchanged(domain))
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
            buckets.insert(blocks, domain, block, cost);
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
    #[inline(always)]
    pub fn change(
        &mut self,
        blocks: &mut ById<BlockId, Block>,
        domain: DomainId,
        block: BlockId,
        cost: u32,
    ) {
        self.note_change(block);
        if let Some(buckets) = &mut self.buckets {
            buckets.change(blocks, domain, block, cost);
        }
    }

    /// A block is no longer a candidate.
    pub fn remove(&mut self, blocks: &mut ById<BlockId, Block>, domain: DomainId, block: BlockId) {
        if let Some(buckets) = &mut self.buckets {
            buckets.remove(blocks, domain, block);
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
