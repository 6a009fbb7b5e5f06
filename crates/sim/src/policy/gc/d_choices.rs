//! The cheapest of d random blocks (Van Houdt, SIGMETRICS 2013; also called random greedy).

use super::{Candidates, Entry, VictimPolicy};
use crate::declare::PolicyDecl;
use crate::drive::Orders;
use crate::ids::{BlockId, DomainId};
use crate::theory::Cleaning;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "of d blocks drawn at random, the one with the fewest valid units",
        keys: &["d"],
    },
    build: |config| Box::new(DChoices { d: config.d }),
};

struct DChoices {
    d: u64,
}

impl VictimPolicy for DChoices {
    fn orders(&self) -> Orders {
        Orders { at_random: true, ..Orders::default() }
    }

    fn cleaning(&self) -> Option<Cleaning> {
        Some(Cleaning::DChoices(self.d.min(u64::from(u32::MAX)) as u32))
    }

    fn select(&mut self, domain: DomainId, candidates: &mut Candidates<'_>) -> Option<BlockId> {
        let mut best = candidates.victims.draw(domain, candidates.rng)?;
        for _ in 1..self.d {
            let other = candidates.victims.draw(domain, candidates.rng)?;
            if candidates.blocks[other].valid < candidates.blocks[best].valid {
                best = other;
            }
        }
        Some(best)
    }
}
