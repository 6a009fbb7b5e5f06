//! The erased blocks of a plane.

use crate::ids::{BlockId, Id};
use crate::schema::{FreeBlockOrder, FtlConfig, WearChoice};
use std::collections::{BTreeSet, VecDeque};

/// Erased blocks, in the order in which they are used.
#[derive(Debug)]
pub enum FreeList {
    /// The one that was erased first.
    Fifo(VecDeque<BlockId>),
    /// The least worn one; of equals, the one that was erased first.
    ByWear {
        /// `(P/E cycles, arrival, block)`.
        blocks: BTreeSet<(u32, u64, BlockId)>,
        /// Arrivals so far.
        arrivals: u64,
    },
    /// The next one by number, round and round.
    Circular {
        /// The blocks.
        blocks: BTreeSet<BlockId>,
        /// Where the search begins.
        from: BlockId,
    },
}

impl FreeList {
    /// An empty list, used in the order that `config` says.
    pub fn new(config: &FtlConfig) -> Self {
        match (config.wear.policy, config.free_block_order) {
            (WearChoice::Dynamic | WearChoice::Static, _) => {
                Self::ByWear { blocks: BTreeSet::new(), arrivals: 0 }
            }
            (WearChoice::None | WearChoice::Bet, FreeBlockOrder::Circular) => {
                Self::Circular { blocks: BTreeSet::new(), from: BlockId(0) }
            }
            (WearChoice::None | WearChoice::Bet, FreeBlockOrder::Fifo) => {
                Self::Fifo(VecDeque::new())
            }
        }
    }

    /// Adds an erased block.
    pub fn push(&mut self, block: BlockId, erases: u32) {
        match self {
            Self::Fifo(queue) => queue.push_back(block),
            Self::ByWear { blocks, arrivals } => {
                blocks.insert((erases, *arrivals, block));
                *arrivals += 1;
            }
            Self::Circular { blocks, .. } => {
                blocks.insert(block);
            }
        }
    }

    /// Takes the next block, or for data that will stay the most worn one.
    pub fn pop(&mut self, for_cold_data: bool) -> Option<BlockId> {
        match self {
            Self::Fifo(queue) => queue.pop_front(),
            Self::ByWear { blocks, .. } if for_cold_data => blocks.pop_last().map(|(_, _, b)| b),
            Self::ByWear { blocks, .. } => blocks.pop_first().map(|(_, _, block)| block),
            Self::Circular { blocks, from } => {
                let block = blocks.range(*from..).next().or_else(|| blocks.first()).copied()?;
                blocks.remove(&block);
                *from = BlockId(block.number() + 1);
                Some(block)
            }
        }
    }

    /// Every block is at `erases` P/E cycles.
    pub fn forget_wear(&mut self, erases: u32) {
        if let Self::ByWear { blocks, .. } = self {
            *blocks = blocks.iter().map(|&(_, arrival, block)| (erases, arrival, block)).collect();
        }
    }

    /// Blocks in the list.
    pub fn len(&self) -> usize {
        match self {
            Self::Fifo(queue) => queue.len(),
            Self::ByWear { blocks, .. } => blocks.len(),
            Self::Circular { blocks, .. } => blocks.len(),
        }
    }

    /// True without blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
