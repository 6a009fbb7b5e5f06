//! Small requests are hot (Chang, ASP-DAC 2008).

use super::{Entry, HostWrite, Hotness};
use crate::declare::PolicyDecl;
use crate::drive::DriveState;
use crate::schema::HotnessConfig;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl { summary: "requests up to a size are hot", keys: &["size_kib"] },
    temperatures: |_| 2,
    cold_after_ns: |_| 0,
    build: |config, _| Some(Box::new(Size::new(config))),
};

pub(super) struct Size {
    limit_bytes: u32,
}

impl Size {
    pub(super) fn new(config: &HotnessConfig) -> Self {
        Self { limit_bytes: (config.size_kib * 1024.0) as u32 }
    }
}

impl Hotness for Size {
    fn temperature(&mut self, _: &DriveState, write: &HostWrite) -> u32 {
        u32::from(write.request_bytes > self.limit_bytes)
    }
}
