//! Where requests that come later lie: found as each is asked for first.

use super::layout::Place;
use crate::host::{Ask, MAP_AHEAD};
use crate::ids::DriveId;

/// Requests of which it is kept where they lie: all that are asked for again.
const KEPT: usize = MAP_AHEAD.next_power_of_two();

/// Where a request lies, and in RAID 5 the parity of its stripe.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spot {
    pub place: Place,
    pub parity: DriveId,
}

/// Where requests lie, by their places in the batch.
#[derive(Debug, Default)]
pub(super) struct Spots([Spot; KEPT]);

impl Spots {
    /// Where a request lies that was asked for before.
    #[inline(always)]
    pub fn spot(&self, ask: Ask, at: usize) -> Option<Spot> {
        // The first of a batch are not asked for so early.
        let is_first = ask == Ask::Map || at < MAP_AHEAD;
        (!is_first).then(|| self.0[at % KEPT])
    }

    /// Where a request lies is known.
    #[inline(always)]
    pub fn keep(&mut self, at: usize, spot: Spot) {
        self.0[at % KEPT] = spot;
    }
}
