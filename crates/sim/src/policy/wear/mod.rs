//! Wear levelling.

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

/// The entry of a policy.
pub fn entry(policy: WearChoice) -> &'static Entry {
    match policy {
        WearChoice::None => &NONE,
        WearChoice::Dynamic => &DYNAMIC,
        WearChoice::Static => &STATIC,
    }
}

/// The spread of wear, in P/E cycles, from which on cold blocks are moved; `None`: never.
pub fn threshold_pec(config: &WearConfig) -> Option<u32> {
    (entry(config.policy).threshold_pec)(config)
}
