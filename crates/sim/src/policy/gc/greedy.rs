//! The block with the fewest valid units; of several, the one that `ftl.gc.ties` says.

use super::{Candidates, Entry, VictimPolicy};
use crate::declare::PolicyDecl;
use crate::drive::{ByCost, Orders};
use crate::ids::{BlockId, DomainId};
use crate::schema::Ties;
use crate::theory::Cleaning;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "the block that costs least to reclaim: the fewest valid units",
        keys: &["ties"],
    },
    build: |config| Box::new(Greedy { ties: config.ties }),
};

struct Greedy {
    ties: Ties,
}

impl VictimPolicy for Greedy {
    fn orders(&self) -> Orders {
        Orders { by_cost: ByCost::Cheapest, ..Orders::default() }
    }

    fn cleaning(&self) -> Option<Cleaning> {
        Some(Cleaning::Greedy)
    }

    fn select(&mut self, domain: DomainId, candidates: &mut Candidates<'_>) -> Option<BlockId> {
        let cheapest = candidates.victims.cheapest(domain)?;
        if self.ties == Ties::Listed {
            return Some(cheapest);
        }
        // Times wrap: they are compared by their distance from one of them.
        let blocks = candidates.blocks;
        let from = blocks[cheapest].filled;
        let became_full = |block: &BlockId| blocks[*block].filled.wrapping_sub(from) as i32;
        let equals = candidates.victims.alike(blocks, cheapest);
        match self.ties {
            Ties::Last => equals.max(),
            Ties::Newest => equals.max_by_key(became_full),
            Ties::Hottest => equals.min_by_key(|block| blocks[*block].stream()),
            _ => equals.min_by_key(became_full),
        }
    }
}
