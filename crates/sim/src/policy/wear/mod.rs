//! Wear levelling.

mod bet;

pub use bet::Bet;

use crate::declare::PolicyDecl;
use crate::schema::{WearChoice, WearConfig};

/// A policy's entry in the list.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What it does, and the parameters of `[ftl.wear]` that it has.
    pub declaration: PolicyDecl,
    threshold_pec: fn(&WearConfig) -> Option<u32>,
}

const NONE: Entry = Entry {
    declaration: PolicyDecl { summary: "free blocks in order", keys: &[] },
    threshold_pec: |_| None,
};

const DYNAMIC: Entry = Entry {
    declaration: PolicyDecl { summary: "the least worn free block first", keys: &[] },
    threshold_pec: |_| None,
};

const STATIC: Entry = Entry {
    declaration: PolicyDecl {
        summary: "dynamic, and cold blocks are moved when the spread of wear exceeds a threshold",
        keys: &["threshold"],
    },
    threshold_pec: |config| Some(config.threshold as u32),
};

const BET: Entry = Entry {
    declaration: PolicyDecl {
        summary: "data is moved out of sets of blocks that were not erased for long, by a table of a bit for each",
        keys: &["threshold", "set_blocks"],
    },
    threshold_pec: |_| None,
};

/// The entry of a policy.
pub fn entry(policy: WearChoice) -> &'static Entry {
    match policy {
        WearChoice::None => &NONE,
        WearChoice::Dynamic => &DYNAMIC,
        WearChoice::Static => &STATIC,
        WearChoice::Bet => &BET,
    }
}

/// The spread of wear, in P/E cycles, from which on cold blocks are moved; `None`: never.
pub fn threshold_pec(config: &WearConfig) -> Option<u32> {
    (entry(config.policy).threshold_pec)(config)
}

/// The table of a domain of so many blocks; `None`: the policy has none.
pub fn table(config: &WearConfig, blocks: u32) -> Option<Bet> {
    let is_kept = config.policy == WearChoice::Bet;
    is_kept.then(|| Bet::new(blocks, config.set_blocks as u32, config.threshold))
}
