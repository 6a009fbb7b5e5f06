//! The erased blocks of a plane.

use std::collections::{BTreeSet, VecDeque};

/// Erased blocks, in the order in which they are used.
#[derive(Debug)]
pub enum FreeList {
    /// The one that was erased first.
    Fifo(VecDeque<u32>),
    /// The least worn one; of equals, the one that was erased first.
    ByWear {
        /// `(P/E cycles, arrival, block)`.
        blocks: BTreeSet<(u32, u64, u32)>,
        /// Arrivals so far.
        arrivals: u64,
    },
}

impl FreeList {
    /// An empty list; `by_wear` chooses the least worn block.
    pub fn new(by_wear: bool) -> Self {
        if by_wear {
            Self::ByWear { blocks: BTreeSet::new(), arrivals: 0 }
        } else {
            Self::Fifo(VecDeque::new())
        }
    }

    /// Adds an erased block.
    pub fn push(&mut self, block: u32, erases: u32) {
        match self {
            Self::Fifo(queue) => queue.push_back(block),
            Self::ByWear { blocks, arrivals } => {
                blocks.insert((erases, *arrivals, block));
                *arrivals += 1;
            }
        }
    }

    /// Takes the next block, or for data that will stay the most worn one.
    pub fn pop(&mut self, for_cold_data: bool) -> Option<u32> {
        match self {
            Self::Fifo(queue) => queue.pop_front(),
            Self::ByWear { blocks, .. } if for_cold_data => blocks.pop_last().map(|(_, _, b)| b),
            Self::ByWear { blocks, .. } => blocks.pop_first().map(|(_, _, block)| block),
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
        }
    }

    /// True without blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
