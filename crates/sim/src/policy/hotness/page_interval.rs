//! The update interval by a time stamp of each unit: when it was last written, which no block's stamp
//! tells. Four bytes a unit, too many for most controllers (Gao et al., Section 4.1); here to tell what
//! the stamps of blocks cost. What was not written since the run began is coldest.

use super::interval::{cold_after_ns, place_among, temperatures, to_ns};
use super::{Entry, HostWrite, Hotness};
use crate::declare::PolicyDecl;
use crate::drive::DriveState;
use crate::ids::{ById, Lpn};
use crate::schema::HotnessConfig;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "by the time since the unit was written",
        keys: &["intervals_min"],
    },
    temperatures,
    cold_after_ns,
    build: |config, drive| Some(Box::new(PageInterval::new(config, drive.logical_units))),
};

/// Nanoseconds of a tick, as a power of two: 67 ms, so that stamps reach over nine years.
const TICK_NS_LOG2: u32 = 26;

pub(super) struct PageInterval {
    bounds_ns: Vec<u64>,
    /// By logical unit the tick of its last write, plus 1; 0: not since the run began.
    written: ById<Lpn, u32>,
    has_begun: bool,
}

impl PageInterval {
    pub(super) fn new(config: &HotnessConfig, logical_units: u64) -> Self {
        Self {
            bounds_ns: config.intervals_min.iter().map(to_ns).collect(),
            written: ById::filled(0, logical_units),
            has_begun: false,
        }
    }
}

impl Hotness for PageInterval {
    fn temperature(&mut self, state: &DriveState, write: &HostWrite) -> u32 {
        let coldest = self.bounds_ns.len() as u32;
        if !self.has_begun {
            return coldest;
        }
        let tick = write.now_ns >> TICK_NS_LOG2;
        let now = u32::try_from(tick + 1).unwrap_or(u32::MAX);
        let before = std::mem::replace(&mut self.written[write.lpn], now);
        if before == 0 || !state.is_mapped(write.lpn) {
            return coldest;
        }
        place_among(&self.bounds_ns, u64::from(now.saturating_sub(before)) << TICK_NS_LOG2)
    }

    fn begin(&mut self, _: &DriveState) {
        self.has_begun = true;
    }
}
