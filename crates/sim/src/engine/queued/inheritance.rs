//! What must be done now lends its priority to whatever it waits for, which might otherwise wait for ever
//! behind the host's reads.

use super::Queued;
use super::rules::URGENT;
use super::shared::Shared;
use super::slab::{Entry, Slab};
use crate::ids::BlockId;
use crate::nand::Kind;

impl Queued {
    /// All that operation `index` waits for becomes urgent.
    #[cold]
    pub(super) fn hurry(&mut self, index: u32) {
        let Self { dies, shared: Shared { slab, .. }, .. } = self;
        let mut raised = vec![index];
        while let Some(waiting) = raised.pop() {
            for before in slab.before(waiting) {
                let entry = slab.get_mut(before);
                if entry.class == URGENT {
                    continue;
                }
                let class = std::mem::replace(&mut entry.class, URGENT);
                let (die, is_queued) = (entry.op.die, entry.is_queued());
                if is_queued {
                    dies[die].queues.raise(class, URGENT, before, slab);
                }
                raised.push(before);
            }
        }
    }
}

impl Slab {
    /// What operation `index` waits for, one step back.
    fn before(&self, index: u32) -> Vec<u32> {
        let waits_for =
            |&before: &u32| self.has_waiter(before, index) || self.reads_before(before, index);
        self.indices().filter(waits_for).collect()
    }

    /// True where a read must begin before a change may.
    fn reads_before(&self, read: u32, change: u32) -> bool {
        let blocks = (self.blocks_of(read), self.blocks_of(change));
        let (read, change) = (self.get(read), self.get(change));
        let is_read = |entry: &Entry| entry.op.kind == Kind::Read;
        is_read(read)
            && !is_read(change)
            && !read.has_begun()
            && read.number < change.number
            && blocks.1.iter().any(|block| blocks.0.contains(block))
    }

    /// The blocks on which an operation works.
    fn blocks_of(&self, index: u32) -> Vec<BlockId> {
        let others = self.others(index).iter().map(|other| other.span.block);
        std::iter::once(self.get(index).op.span.block).chain(others).collect()
    }
}
