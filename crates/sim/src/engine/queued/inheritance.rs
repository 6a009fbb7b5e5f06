//! What must be done now lends its priority to whatever it waits for, which might otherwise wait for ever
//! behind the host's reads.

use super::Queued;
use super::rules::URGENT;
use super::slab::{Entry, Slab};
use crate::nand::Kind;

impl Queued {
    /// All that operation `index` waits for becomes urgent.
    #[cold]
    pub(super) fn hurry(&mut self, index: u32) {
        let mut raised = vec![index];
        while let Some(waiting) = raised.pop() {
            for before in self.slab.before(waiting) {
                let entry = self.slab.get_mut(before);
                if entry.class == URGENT {
                    continue;
                }
                let class = std::mem::replace(&mut entry.class, URGENT);
                let (die, number, is_queued) = (entry.op.die, entry.number, entry.is_queued());
                if is_queued {
                    self.dies[die].queues.raise(class, URGENT, number, before);
                }
                raised.push(before);
            }
        }
    }
}

impl Slab {
    /// What operation `index` waits for, one step back.
    fn before(&self, index: u32) -> Vec<u32> {
        let waits_for = |&before: &u32| {
            self.has_waiter(before, index) || reads_before(self.get(before), self.get(index))
        };
        self.indices().filter(waits_for).collect()
    }
}

/// True where `read` must begin before `change` may.
fn reads_before(read: &Entry, change: &Entry) -> bool {
    let is_read = |entry: &Entry| entry.op.kind == Kind::Read;
    let blocks =
        |entry: &Entry| (0..entry.sites()).map(|at| entry.site(at).span.block).collect::<Vec<_>>();
    is_read(read)
        && !is_read(change)
        && !read.has_begun()
        && read.number < change.number
        && blocks(change).iter().any(|block| blocks(read).contains(block))
}
