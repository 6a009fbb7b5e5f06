//! The erased blocks of a plane.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Erased blocks, in the order in which they are used.
#[derive(Debug)]
pub enum FreeList {
    /// The one that was erased first.
    Fifo(VecDeque<u32>),
    /// The least worn one; of equals, the one that was erased first.
    LeastWorn {
        /// `(P/E cycles, arrival, block)`.
        heap: BinaryHeap<Reverse<(u32, u64, u32)>>,
        /// Arrivals so far.
        arrivals: u64,
    },
}

impl FreeList {
    /// An empty list; `by_wear` chooses the least worn block.
    pub fn new(by_wear: bool) -> Self {
        if by_wear {
            Self::LeastWorn { heap: BinaryHeap::new(), arrivals: 0 }
        } else {
            Self::Fifo(VecDeque::new())
        }
    }

    /// Adds an erased block.
    pub fn push(&mut self, block: u32, erases: u32) {
        match self {
            Self::Fifo(queue) => queue.push_back(block),
            Self::LeastWorn { heap, arrivals } => {
                heap.push(Reverse((erases, *arrivals, block)));
                *arrivals += 1;
            }
        }
    }

    /// Takes the next block.
    pub fn pop(&mut self) -> Option<u32> {
        match self {
            Self::Fifo(queue) => queue.pop_front(),
            Self::LeastWorn { heap, .. } => heap.pop().map(|Reverse((_, _, block))| block),
        }
    }

    /// Blocks in the list.
    pub fn len(&self) -> usize {
        match self {
            Self::Fifo(queue) => queue.len(),
            Self::LeastWorn { heap, .. } => heap.len(),
        }
    }

    /// True without blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
