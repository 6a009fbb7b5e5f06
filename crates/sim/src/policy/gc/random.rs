//! Any full block.

use super::{Candidates, Entry, VictimPolicy};
use crate::declare::PolicyDecl;
use crate::drive::Orders;
use crate::ids::{BlockId, DomainId};
use crate::theory::Cleaning;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl { summary: "any full block, all alike", keys: &[] },
    build: |_| Box::new(Random),
};

struct Random;

impl VictimPolicy for Random {
    fn orders(&self) -> Orders {
        Orders { at_random: true, ..Orders::default() }
    }

    fn cleaning(&self) -> Option<Cleaning> {
        Some(Cleaning::Random)
    }

    fn select(&mut self, domain: DomainId, candidates: &mut Candidates<'_>) -> Option<BlockId> {
        candidates.victims.draw(domain, candidates.rng)
    }
}
