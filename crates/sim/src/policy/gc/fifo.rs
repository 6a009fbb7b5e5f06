//! The block that became full first.

use super::{Candidates, Entry, VictimPolicy};
use crate::declare::PolicyDecl;
use crate::drive::Orders;
use crate::ids::{BlockId, DomainId};
use crate::theory::Cleaning;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "the block that became full first (also called LRU cleaning)",
        keys: &[],
    },
    build: |_| Box::new(Fifo),
};

struct Fifo;

impl VictimPolicy for Fifo {
    fn orders(&self) -> Orders {
        Orders { by_age: true, ..Orders::default() }
    }

    fn cleaning(&self) -> Option<Cleaning> {
        Some(Cleaning::Fifo)
    }

    fn select(&mut self, domain: DomainId, candidates: &mut Candidates<'_>) -> Option<BlockId> {
        candidates.victims.by_age(domain).next()
    }
}
