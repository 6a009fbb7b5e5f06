//! The update interval: how long ago the data that is written over was written. One time stamp per
//! block (when it, or its latest part, was opened) stands for all of its units. Data without a
//! predecessor is coldest, and so is what replaces data of before the run. Before the run no time passes:
//! all is coldest.

use super::{Entry, HostWrite, Hotness};
use crate::declare::PolicyDecl;
use crate::drive::DriveState;
use crate::ids::{BlockId, ById};
use crate::nand::BlockState;
use crate::schema::HotnessConfig;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "by the time since the block was opened that held the unit",
        keys: &["intervals_min"],
    },
    temperatures,
    cold_after_ns,
    build: |config, drive| Some(Box::new(Interval::new(config, drive.blocks))),
};

/// The time stamp of blocks that were full when the run began.
const LONG_AGO: u64 = u64::MAX;

/// Minutes in nanoseconds.
pub(super) fn to_ns(minutes: &f64) -> u64 {
    (minutes * 60e9) as u64
}

/// Temperatures between the bounds, and beyond the last.
pub(super) fn temperatures(config: &HotnessConfig) -> u32 {
    config.intervals_min.len() as u32 + 1
}

/// The last bound.
pub(super) fn cold_after_ns(config: &HotnessConfig) -> u64 {
    config.intervals_min.last().map_or(0, to_ns)
}

/// The temperature of an update interval: the first bound that it stays below.
pub(super) fn place_among(bounds_ns: &[u64], interval_ns: u64) -> u32 {
    bounds_ns.iter().position(|&bound| interval_ns < bound).unwrap_or(bounds_ns.len()) as u32
}

pub(super) struct Interval {
    bounds_ns: Vec<u64>,
    opened_ns: ById<BlockId, u64>,
    has_begun: bool,
}

impl Interval {
    pub(super) fn new(config: &HotnessConfig, blocks: u32) -> Self {
        Self {
            bounds_ns: config.intervals_min.iter().map(to_ns).collect(),
            opened_ns: ById::filled(LONG_AGO, blocks),
            has_begun: false,
        }
    }
}

impl Hotness for Interval {
    fn temperature(&mut self, state: &DriveState, write: &HostWrite) -> u32 {
        let coldest = self.bounds_ns.len() as u32;
        let unit = state.unit_of(write.lpn);
        if unit.is_none() {
            return coldest;
        }
        let (block, _) = state.geometry.locate(unit);
        let opened_ns = self.opened_ns[block];
        if opened_ns == LONG_AGO {
            return coldest;
        }
        place_among(&self.bounds_ns, write.now_ns.saturating_sub(opened_ns))
    }

    fn begin(&mut self, state: &DriveState) {
        self.has_begun = true;
        for (stamp, block) in self.opened_ns.iter_mut().zip(state.blocks.iter()) {
            *stamp = if block.state == BlockState::Open { 0 } else { LONG_AGO };
        }
    }

    fn opened(&mut self, block: BlockId, now_ns: u64) {
        if self.has_begun {
            self.opened_ns[block] = now_ns;
        }
    }
}
