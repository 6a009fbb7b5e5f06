//! How busy dies are.

use crate::ids::{DieId, Ids};

/// How busy the dies are, for those who only look.
pub trait Load {
    /// Time of what a die has before it, as far as is known now; 0: it is idle. In `count` mode, where
    /// nothing takes time, every die is.
    fn backlog_ns(&self, die: DieId) -> u64;

    /// The place among `dies` of the one that has the least before it; of equals, of the first from
    /// place `turn` on.
    fn least_loaded(&self, dies: Ids<DieId>, turn: u32) -> u32 {
        self.by_looking(dies, turn)
    }

    /// The least loaded of `dies`, by a look at each of them.
    fn by_looking(&self, dies: Ids<DieId>, turn: u32) -> u32 {
        let count = dies.count();
        let backlog_ns = |step: &u32| self.backlog_ns(dies.at((turn + step) % count));
        (turn + (0..count).min_by_key(backlog_ns).unwrap_or(0)) % count
    }
}
