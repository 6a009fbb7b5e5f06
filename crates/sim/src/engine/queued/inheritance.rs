//! What must be done now lends its priority to whatever it waits for, which might otherwise wait for ever
//! behind the host's reads.

use super::Queued;
use super::rules::URGENT;
use super::shared::Shared;
use super::slab::Slab;
use crate::ids::BlockId;
use crate::nand::Kind;
use std::collections::BTreeSet;

impl Queued {
    /// All that operation `last`, the last one issued, waits for becomes urgent.
    #[cold]
    pub(super) fn hurry(&mut self, last: u32) {
        let Self { dies, shared: Shared { slab, .. }, .. } = self;
        let mut waiting = Waiting::default();
        waiting.add(last, slab);
        for before in slab.indices_last_first() {
            let entry = slab.get(before);
            if entry.class == URGENT || !waiting.waits_for(before, slab) {
                continue;
            }
            let (class, die, is_queued) = (entry.class, entry.op.die, entry.is_queued());
            slab.get_mut(before).class = URGENT;
            if is_queued {
                dies[die].queues.raise(class, URGENT, before, slab);
            }
            waiting.add(before, slab);
        }
    }
}

/// Operations that must go on and cannot yet. What one waits for was issued before it, so that a single pass from the
/// last to the first finds all.
#[derive(Default)]
struct Waiting {
    operations: BTreeSet<u32>,
    /// What those change that are no reads: reads of these blocks begin before.
    blocks: BTreeSet<BlockId>,
}

impl Waiting {
    fn add(&mut self, index: u32, slab: &Slab) {
        let entry = slab.get(index);
        if entry.waiting == 0 {
            return;
        }
        self.operations.insert(index);
        if entry.op.kind != Kind::Read {
            self.blocks.extend(slab.blocks_of(index));
        }
    }

    /// Whether one of them waits for operation `index`, issued before them all.
    fn waits_for(&self, index: u32, slab: &Slab) -> bool {
        let entry = slab.get(index);
        let is_read = entry.op.kind == Kind::Read && !entry.has_begun();
        slab.waiters_of(index).any(|waiter| self.operations.contains(&waiter))
            || is_read && slab.blocks_of(index).any(|block| self.blocks.contains(&block))
    }
}

impl Slab {
    /// The blocks on which an operation works.
    fn blocks_of(&self, index: u32) -> impl Iterator<Item = BlockId> {
        let others = self.others(index).iter().map(|other| other.span.block);
        std::iter::once(self.get(index).op.span.block).chain(others)
    }
}
