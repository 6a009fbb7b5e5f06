//! Greedy among the oldest blocks (Hu et al., SYSTOR 2009).

use super::{Candidates, Entry, VictimPolicy};
use crate::declare::PolicyDecl;
use crate::drive::Orders;
use crate::ids::{BlockId, DomainId};
use crate::schema::Ties;
use std::cmp::Reverse;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "the fewest valid units among the `window` blocks that became full first",
        keys: &["ties", "window"],
    },
    build: |config| Box::new(WindowedGreedy { window: config.window as usize, ties: config.ties }),
};

struct WindowedGreedy {
    window: usize,
    ties: Ties,
}

impl VictimPolicy for WindowedGreedy {
    fn orders(&self) -> Orders {
        Orders { by_age: true, ..Orders::default() }
    }

    fn select(&mut self, domain: DomainId, candidates: &mut Candidates<'_>) -> Option<BlockId> {
        let valid = |&block: &BlockId| candidates.blocks[block].valid;
        let oldest = candidates.victims.by_age(domain).take(self.window);
        match self.ties {
            // Of equals, the last one.
            Ties::Newest => oldest.reduce(|a, b| if valid(&b) <= valid(&a) { b } else { a }),
            Ties::Last => oldest.min_by_key(|block| (valid(block), Reverse(*block))),
            Ties::Hottest => {
                oldest.min_by_key(|block| (valid(block), candidates.blocks[*block].stream()))
            }
            Ties::Listed | Ties::Oldest => oldest.min_by_key(valid),
        }
    }
}
