//! Which cuts of a run are made.

use crate::power::{HoldUp, Plan, Shares};
use crate::schema::Config;

/// Which cuts are made.
#[derive(Debug, Clone, Copy)]
pub struct CutChoice {
    /// At one of so many moments; a moment is the begin or the end of a program or an erase, or the end of a flush.
    pub every: u64,
    /// Only those in the midst of the program or erase of this number.
    pub at: Option<usize>,
}

impl Default for CutChoice {
    fn default() -> Self {
        Self { every: 1, at: None }
    }
}

/// Cuts after which the whole flash is scanned and the drive restarts: after the others only what the cut concerns
/// is looked at.
const RESTART_EVERY: u64 = 1009;

/// The cuts that are chosen.
pub(super) fn plan(config: &Config, choice: CutChoice, hold_up: Option<HoldUp>) -> Plan {
    Plan {
        every: choice.every,
        at: choice.at,
        restart_every: if choice.at.is_some() { 1 } else { RESTART_EVERY },
        shares: Shares { torn: config.power.torn_share, blank: config.power.blank_share },
        seed: config.run.seed,
        hold_up,
    }
}
