//! Victim selection: one policy, one file.

mod by_share;
mod cost_benefit;
mod d_choices;
mod fifo;
mod greedy;
mod random;
mod windowed_greedy;

use crate::declare::PolicyDecl;
use crate::drive::{Handles, Orders, Victims};
use crate::ids::{BlockId, ById, DomainId};
use crate::nand::Block;
use crate::schema::{Config, GcConfig, VictimChoice};
use crate::theory::Cleaning;
use crate::util::Rng;

/// Chooses the block that is reclaimed next.
pub trait VictimPolicy: Send {
    /// The orders of full blocks that it needs.
    fn orders(&self) -> Orders;

    /// The policy whose closed form of write amplification holds for it, if any.
    fn cleaning(&self) -> Option<Cleaning> {
        None
    }

    /// A full block of `domain`; `None` when there is none.
    fn select(&mut self, domain: DomainId, candidates: &mut Candidates<'_>) -> Option<BlockId>;
}

/// What a victim policy may look at.
#[derive(Debug)]
pub struct Candidates<'a> {
    /// Full blocks in the orders that the policy asked for.
    pub victims: &'a mut Victims,
    /// All blocks.
    pub blocks: &'a ById<BlockId, Block>,
    /// Units of a block.
    pub units_per_block: u32,
    /// Those of them in which data can stand.
    pub units_of_data: u32,
    /// The policy's own random numbers.
    pub rng: &'a mut Rng,
}

/// A policy's entry in the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What it does, and the parameters of `[ftl.gc]` that it has.
    pub declaration: PolicyDecl,
    build: fn(&GcConfig) -> Box<dyn VictimPolicy>,
}

/// The entry of a policy.
pub fn entry(policy: VictimChoice) -> &'static Entry {
    match policy {
        VictimChoice::Greedy => &greedy::ENTRY,
        VictimChoice::Fifo => &fifo::ENTRY,
        VictimChoice::Random => &random::ENTRY,
        VictimChoice::DChoices => &d_choices::ENTRY,
        VictimChoice::CostBenefit => &cost_benefit::ENTRY,
        VictimChoice::WindowedGreedy => &windowed_greedy::ENTRY,
    }
}

/// The policy that `config` names, within the handle that has too much where handles have shares.
pub fn build(config: &Config) -> Box<dyn VictimPolicy> {
    let gc = &config.ftl.gc;
    let shares = &config.host.fdp.shares;
    // What is wrong with handles is told where the drive is built.
    match Handles::of(config) {
        Ok(Some(handles)) if shares.iter().any(|&share| share > 0.0) => {
            Box::new(by_share::ByShare::new(handles, shares, gc.policy))
        }
        _ => (entry(gc.policy).build)(gc),
    }
}
