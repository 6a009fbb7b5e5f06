//! The best ratio of benefit to cost, age × (1 − u) / 2u (Rosenblum & Ousterhout, TOCS 1992;
//! Kawaguchi, Nishioka & Motoda, USENIX 1995).
//!
//! u is the valid share. Age is counted in changes of any block since the block last changed. Of
//! blocks with the same u the oldest wins, so only the heads of the cost lists are compared.

use super::{Candidates, Entry, VictimPolicy};
use crate::declare::PolicyDecl;
use crate::drive::{ByCost, Orders};
use crate::ids::{BlockId, DomainId};

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "the highest age x (1 - u) / 2u, u the valid share of the block",
        keys: &[],
    },
    build: |_| Box::new(CostBenefit),
};

struct CostBenefit;

impl VictimPolicy for CostBenefit {
    fn orders(&self) -> Orders {
        Orders { by_cost: ByCost::All, by_change: true, ..Orders::default() }
    }

    fn select(&mut self, domain: DomainId, candidates: &mut Candidates<'_>) -> Option<BlockId> {
        let units = f64::from(candidates.units_per_block);
        let mut best: Option<(f64, BlockId)> = None;
        for (_, block) in candidates.victims.longest_unchanged(domain) {
            let valid = f64::from(candidates.blocks[block].valid);
            let age = candidates.victims.age(block) as f64;
            let score = age * (units - valid) / (2.0 * valid);
            if best.is_none_or(|(other, _)| score > other) {
                best = Some((score, block));
            }
        }
        best.map(|(_, block)| block)
    }
}
