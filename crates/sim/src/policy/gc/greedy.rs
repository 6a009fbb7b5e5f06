//! The block with the fewest valid units.

use super::{Candidates, Entry, VictimPolicy};
use crate::drive::Orders;

pub(super) const ENTRY: Entry = Entry {
    name: "greedy",
    summary: "the block that costs least to reclaim: the fewest valid units",
    build: |_| Box::new(Greedy),
};

struct Greedy;

impl VictimPolicy for Greedy {
    fn orders(&self) -> Orders {
        Orders { by_cost: true, ..Orders::default() }
    }

    fn select(&mut self, domain: u32, candidates: &mut Candidates<'_>) -> Option<u32> {
        candidates.victims.cheapest(domain)
    }
}
