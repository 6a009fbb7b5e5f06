//! The update interval: how long ago the data that is written over was written. One time stamp per
//! block (when it was opened) stands for all of its units; data without a predecessor is coldest.

use super::{HostWrite, Hotness};
use crate::config::HotnessConfig;
use crate::drive::DriveState;
use crate::util::NONE;

pub(super) struct Interval {
    bounds_ns: Vec<u64>,
    opened_ns: Vec<u64>,
}

impl Interval {
    pub(super) fn new(config: &HotnessConfig, blocks: u32) -> Self {
        let to_ns = |minutes: &f64| (minutes * 60e9) as u64;
        Self {
            bounds_ns: config.intervals_min.iter().map(to_ns).collect(),
            opened_ns: vec![0; blocks as usize],
        }
    }
}

impl Hotness for Interval {
    fn temperature(&mut self, state: &DriveState, write: &HostWrite) -> u32 {
        let coldest = self.bounds_ns.len();
        let unit = state.unit_of(write.lpn);
        if unit == NONE {
            return coldest as u32;
        }
        let (block, _) = state.geometry.locate(unit);
        let interval_ns = write.now_ns.saturating_sub(self.opened_ns[block as usize]);
        self.bounds_ns.iter().position(|&bound| interval_ns < bound).unwrap_or(coldest) as u32
    }

    fn opened(&mut self, block: u32, now_ns: u64) {
        self.opened_ns[block as usize] = now_ns;
    }
}
