//! The truth about a hot/cold workload: the first part of the address space is hot.

use super::{Entry, HostWrite, Hotness};
use crate::declare::PolicyDecl;
use crate::drive::DriveState;
use crate::ids::Lpn;
use crate::schema::HotnessConfig;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "the first part of the logical space is hot",
        keys: &["hot_share"],
    },
    temperatures: |_| 2,
    cold_after_ns: |_| 0,
    build: |config, drive| Some(Box::new(Oracle::new(config, drive.logical_units))),
};

pub(super) struct Oracle {
    cold_from: Lpn,
}

impl Oracle {
    pub(super) fn new(config: &HotnessConfig, logical_units: u64) -> Self {
        Self { cold_from: Lpn((config.hot_share * logical_units as f64).round() as u64) }
    }
}

impl Hotness for Oracle {
    fn temperature(&mut self, _: &DriveState, write: &HostWrite) -> u32 {
        u32::from(write.lpn >= self.cold_from)
    }
}
