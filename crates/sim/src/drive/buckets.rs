//! Full blocks by what it costs to reclaim them: of each domain a list for each cost.
//!
//! Where nobody asks but for the cheapest, the lists hold those up to some cost, the others just when they changed:
//! nearly every write makes some block cheaper, and a list's neighbours are rarely in the cache.

use crate::ids::{BlockId, ById, DomainId, Id, Ids};
use crate::nand::{Block, BlockState};

/// At least so many blocks of a domain are listed, and so large a share of them, when lists are made.
const LISTED_MIN: u32 = 32;
const LISTED_SHARE: u32 = 8;

/// What is known of a domain.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// No listed block costs less.
    lowest: u32,
    /// Blocks that cost more are not listed.
    ceiling: u32,
    /// Full blocks.
    blocks: u32,
    /// Those of them that are listed.
    listed: u32,
    /// Changes of any domain until the lists were made.
    made_at: u64,
}

/// Doubly linked lists of blocks by domain and cost, the one that changed last at the tail.
#[derive(Debug)]
pub(super) struct Buckets {
    width: usize,
    ends: Vec<(BlockId, BlockId)>,
    domains: ById<DomainId, Known>,
    /// Whether all blocks are listed.
    all: bool,
    /// Changes of blocks.
    changes: u64,
}

impl Buckets {
    /// Empty lists for costs up to `cost_max`: of all blocks, or of the cheapest only.
    pub fn new(domains: u32, cost_max: u32, all: bool) -> Self {
        let width = cost_max as usize + 1;
        let ceiling = if all { cost_max } else { 0 };
        let known = Known { lowest: cost_max, ceiling, blocks: 0, listed: 0, made_at: 0 };
        Self {
            width,
            ends: vec![(BlockId::NONE, BlockId::NONE); width * domains as usize],
            domains: ById::filled(known, domains),
            all,
            changes: 0,
        }
    }

    /// The listed block of `domain` with the lowest cost; of equals, the one that has been so the longest.
    pub fn cheapest(&mut self, domain: DomainId) -> Option<BlockId> {
        let base = domain.index() * self.width;
        let Known { lowest, ceiling, .. } = &mut self.domains[domain];
        while lowest <= ceiling {
            let (head, _) = self.ends[base + *lowest as usize];
            if head.is_some() {
                return Some(head);
            }
            *lowest += 1;
        }
        None
    }

    /// For each cost of listed blocks of `domain`: the cost, and the block that has had it the longest.
    pub fn longest_unchanged(&self, domain: DomainId) -> impl Iterator<Item = (u32, BlockId)> + '_ {
        let base = domain.index() * self.width;
        let heads = self.ends[base..base + self.width].iter().map(|&(head, _)| head);
        (0..).zip(heads).filter(|(_, head)| head.is_some())
    }

    /// A block became full.
    pub fn insert(
        &mut self,
        blocks: &mut ById<BlockId, Block>,
        domain: DomainId,
        block: BlockId,
        cost: u32,
    ) {
        self.domains[domain].blocks += 1;
        self.put(blocks, domain, block, cost);
    }

    /// A full block changed, and has a cost now.
    #[inline(always)]
    pub fn change(
        &mut self,
        blocks: &mut ById<BlockId, Block>,
        domain: DomainId,
        block: BlockId,
        cost: u32,
    ) {
        self.take(blocks, domain, block);
        self.put(blocks, domain, block, cost);
    }

    /// A block is full no longer.
    pub fn remove(&mut self, blocks: &mut ById<BlockId, Block>, domain: DomainId, block: BlockId) {
        self.domains[domain].blocks -= 1;
        self.take(blocks, domain, block);
    }

    #[inline(always)]
    fn put(
        &mut self,
        blocks: &mut ById<BlockId, Block>,
        domain: DomainId,
        block: BlockId,
        cost: u32,
    ) {
        self.changes += 1;
        if cost > self.domains[domain].ceiling {
            return blocks[block].set_changed(cost, self.changes);
        }
        self.link(blocks, domain, block, cost);
    }

    #[inline(always)]
    fn take(&mut self, blocks: &mut ById<BlockId, Block>, domain: DomainId, block: BlockId) {
        if blocks[block].cost <= self.domains[domain].ceiling {
            self.unlink(blocks, domain, block);
        }
    }

    #[inline(never)]
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
        let known = &mut self.domains[domain];
        known.lowest = known.lowest.min(cost);
        known.listed += 1;
    }

    #[inline(never)]
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
        self.domains[domain].listed -= 1;
    }

    /// Whether none of a domain's full blocks is listed, or most are, and have been for as many changes as it takes
    /// looks to make the lists of all domains anew.
    pub fn want_making(&self, domain: DomainId) -> bool {
        let Known { blocks, listed, made_at, .. } = self.domains[domain];
        let looks = u64::from(blocks) * u64::from(self.domains.count());
        let lists_most =
            listed > LISTED_MIN && listed > blocks / 2 && self.changes - made_at > looks;
        !self.all && (listed == 0 && blocks > 0 || lists_most)
    }

    /// Lists the cheapest full blocks of a domain, in the order in which they changed, and no others.
    pub fn make(&mut self, blocks: &mut ById<BlockId, Block>, domain: DomainId, all: Ids<BlockId>) {
        let full = || all.into_iter().filter(|&block| blocks[block].state == BlockState::Full);
        let before = self.domains[domain].ceiling;
        let ceiling = self.ceiling_for(full().map(|block| blocks[block].cost));
        let rising = full().filter(|&block| (before + 1..=ceiling).contains(&blocks[block].cost));
        let mut rising: Vec<(u64, BlockId)> =
            rising.map(|block| (blocks[block].changed(), block)).collect();
        rising.sort_unstable();
        for cost in ceiling + 1..=before {
            self.unlist(blocks, domain, cost);
        }
        let made_at = self.changes;
        let known = &mut self.domains[domain];
        (known.ceiling, known.made_at) = (ceiling, made_at);
        for (_, block) in rising {
            self.link(blocks, domain, block, blocks[block].cost);
        }
    }

    /// Up to which cost blocks of these costs are listed.
    fn ceiling_for(&self, costs: impl Iterator<Item = u32>) -> u32 {
        let mut counts = vec![0; self.width];
        costs.for_each(|cost| counts[cost as usize] += 1);
        let wanted = (counts.iter().sum::<u32>() / LISTED_SHARE).max(LISTED_MIN);
        let mut listed = 0;
        let mut is_short = |&count: &u32| {
            listed += count;
            listed < wanted
        };
        (counts.iter().take_while(|count| is_short(count)).count() as u32)
            .min(self.width as u32 - 1)
    }

    /// Blocks of a cost are listed no longer.
    fn unlist(&mut self, blocks: &mut ById<BlockId, Block>, domain: DomainId, cost: u32) {
        let ends = &mut self.ends[domain.index() * self.width + cost as usize];
        let (mut at, _) = std::mem::replace(ends, (BlockId::NONE, BlockId::NONE));
        while let Some(block) = blocks.get_mut(at) {
            at = block.after;
            self.changes += 1;
            block.set_changed(cost, self.changes);
            self.domains[domain].listed -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BLOCKS: u32 = 400;
    const COST_MAX: u32 = 40;
    const DOMAIN: DomainId = DomainId(1);

    /// A domain's blocks, and how each of them came to its cost.
    struct Domain {
        buckets: Buckets,
        blocks: ById<BlockId, Block>,
        /// Of each block its cost, and when it changed; `None`: it is not full.
        expected: Vec<Option<(u32, u32)>>,
        now: u32,
    }

    impl Domain {
        fn new(all: bool) -> Self {
            let buckets = Buckets::new(2, COST_MAX, all);
            let blocks = ById::filled(Block::default(), BLOCKS);
            Self { buckets, blocks, expected: vec![None; BLOCKS as usize], now: 0 }
        }

        /// A block becomes full, or changes.
        fn set(&mut self, block: u32, cost: u32) {
            self.now += 1;
            let changed = Some((cost, self.now));
            let before = std::mem::replace(&mut self.expected[block as usize], changed);
            let Self { buckets, blocks, .. } = self;
            blocks[BlockId(block)].state = BlockState::Full;
            match before {
                None => buckets.insert(blocks, DOMAIN, BlockId(block), cost),
                Some(_) => buckets.change(blocks, DOMAIN, BlockId(block), cost),
            }
        }

        fn remove(&mut self, block: u32) {
            if self.expected[block as usize].take().is_some() {
                self.buckets.remove(&mut self.blocks, DOMAIN, BlockId(block));
                self.blocks[BlockId(block)].state = BlockState::Victim;
            }
        }

        /// All that cost the least, in order; makes lists if that is wanted, and says from which ceiling to which.
        fn cheapest(&mut self) -> (Vec<u32>, Option<(u32, u32)>) {
            let before = self.buckets.domains[DOMAIN].ceiling;
            let makes = self.buckets.want_making(DOMAIN);
            if makes {
                self.buckets.make(&mut self.blocks, DOMAIN, Ids::new(BlockId(0), BLOCKS));
                assert!(!self.buckets.want_making(DOMAIN), "once is enough");
            }
            let first = self.buckets.cheapest(DOMAIN).unwrap_or(BlockId::NONE);
            let next = |&at: &u32| self.blocks.get(BlockId(at))?.after.known().map(|next| next.0);
            let found = std::iter::successors(first.known().map(|first| first.0), next).collect();
            (found, makes.then_some((before, self.buckets.domains[DOMAIN].ceiling)))
        }

        /// The blocks that cost the least, by a look at each.
        fn expected(&self) -> Vec<u32> {
            let full = || (0..).zip(&self.expected).filter_map(|(block, it)| Some((block, (*it)?)));
            let least = full().map(|(_, (cost, _))| cost).min();
            let mut cheapest: Vec<(u32, u32)> = full()
                .filter(|&(_, (cost, _))| Some(cost) == least)
                .map(|(block, (_, changed))| (changed, block))
                .collect();
            cheapest.sort_unstable();
            cheapest.into_iter().map(|(_, block)| block).collect()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_cheapest_are_found_in_the_order_in_which_they_changed(
            all in any::<bool>(),
            steps in prop::collection::vec((0..BLOCKS, 0..=COST_MAX, 0u8..8), 1..2000),
        ) {
            let mut domain = Domain::new(all);
            for (block, cost, what) in steps {
                match what {
                    0 => domain.remove(block),
                    1 => {
                        let (found, made) = domain.cheapest();
                        prop_assert_eq!(&found, &domain.expected());
                        prop_assert!(made.is_none() || !all, "all are listed from the start");
                        found.first().into_iter().for_each(|&victim| domain.remove(victim));
                    }
                    _ => domain.set(block, cost),
                }
            }
        }
    }

    #[test]
    fn lists_are_made_of_an_eighth_and_anew_where_they_are_empty_or_too_long() {
        let mut domain = Domain::new(false);
        // Ten blocks of each cost: an eighth of 400 are those of the five lowest.
        (0..BLOCKS).for_each(|block| domain.set(block, 1 + block % 40));
        let tens =
            |cost: u32| (0..BLOCKS).filter(|block| 1 + block % 40 == cost).collect::<Vec<_>>();
        assert_eq!(domain.cheapest(), (tens(1), Some((0, 5))));
        assert_eq!(domain.buckets.domains[DOMAIN].listed, 50);
        (1..=5).flat_map(tens).for_each(|block| domain.remove(block));
        // Of 350, an eighth is 43: five costs more.
        assert_eq!(domain.cheapest(), (tens(6), Some((5, 10))));
        // Most become cheap, but not many changed so far; then all of them have.
        let full = (0..BLOCKS).filter(|&block| domain.expected[block as usize].is_some());
        let full: Vec<u32> = full.collect();
        for (changes, made) in [(350, None), (350, None), (1, Some((10, 3)))] {
            full[..changes].iter().rev().for_each(|&block| domain.set(block, 3 + block % 5));
            let (found, how) = domain.cheapest();
            assert_eq!((found, how), (domain.expected(), made));
        }
        // Those that were taken out of their lists are listed as they were before.
        domain.expected().into_iter().for_each(|block| domain.remove(block));
        let expected = domain.expected();
        assert!(!expected.is_sorted(), "they changed in another order than that of their numbers");
        assert_eq!(domain.cheapest(), (expected, Some((3, 4))));
    }

    #[test]
    fn a_change_of_a_block_that_is_not_listed_leaves_the_others_alone() {
        let mut domain = Domain::new(false);
        (0..BLOCKS).for_each(|block| domain.set(block, 1 + block % 40));
        domain.cheapest();
        let before = domain.blocks.clone();
        domain.set(39, 20);
        let differs = |block: &BlockId| {
            let (old, new) = (before[*block], domain.blocks[*block]);
            (old.before, old.after) != (new.before, new.after)
        };
        assert_eq!(before.ids().into_iter().filter(differs).collect::<Vec<_>>(), [BlockId(39)]);
    }
}
