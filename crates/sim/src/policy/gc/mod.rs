//! Victim selection: one policy, one file.

mod cost_benefit;
mod d_choices;
mod fifo;
mod greedy;
mod random;
mod windowed_greedy;

use crate::drive::{Orders, Victims};
use crate::nand::Block;
use crate::schema::GcConfig;
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
    fn select(&mut self, domain: u32, candidates: &mut Candidates<'_>) -> Option<u32>;
}

/// Which of several blocks that are equally good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ties {
    /// The first in the order that the policy goes by.
    Listed,
    /// The one that became full first.
    Oldest,
    /// The one that became full last.
    Newest,
    /// The one with the highest number.
    Last,
}

impl Ties {
    fn of(config: &GcConfig) -> Self {
        match config.ties.as_str() {
            "oldest" => Self::Oldest,
            "newest" => Self::Newest,
            "last" => Self::Last,
            _ => Self::Listed,
        }
    }
}

/// What a victim policy may look at.
#[derive(Debug)]
pub struct Candidates<'a> {
    /// Full blocks in the orders that the policy asked for.
    pub victims: &'a mut Victims,
    /// All blocks.
    pub blocks: &'a [Block],
    /// Units of a block.
    pub units_per_block: u32,
    /// The policy's own random numbers.
    pub rng: &'a mut Rng,
}

/// A policy's entry in the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name in a configuration.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    build: fn(&GcConfig) -> Box<dyn VictimPolicy>,
}

/// The policies.
pub const ENTRIES: &[Entry] = &[
    greedy::ENTRY,
    fifo::ENTRY,
    random::ENTRY,
    d_choices::ENTRY,
    cost_benefit::ENTRY,
    windowed_greedy::ENTRY,
];

/// Their names.
pub const NAMES: &[&str] = &[
    greedy::ENTRY.name,
    fifo::ENTRY.name,
    random::ENTRY.name,
    d_choices::ENTRY.name,
    cost_benefit::ENTRY.name,
    windowed_greedy::ENTRY.name,
];

/// The policy that `config` names.
///
/// # Panics
/// If the name is not in [`NAMES`]; configurations are checked on load.
pub fn build(config: &GcConfig) -> Box<dyn VictimPolicy> {
    let entry = ENTRIES.iter().find(|entry| entry.name == config.policy);
    (entry.expect("the name was checked on load").build)(config)
}
