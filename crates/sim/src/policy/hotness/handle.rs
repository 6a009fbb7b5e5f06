//! The host says which data belongs together, by the volume, device or stream of a request or, where the drive takes
//! placement identifiers (NVM Express TP4146, 2022), by the handle to which these lead.

use super::{Entry, HostWrite, Hotness};
use crate::declare::PolicyDecl;
use crate::drive::DriveState;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "the host says it: requests of a volume, device or stream belong together",
        keys: &["handles"],
    },
    temperatures: |config| config.handles as u32,
    cold_after_ns: |_| 0,
    build: |config, _| Some(Box::new(Handle::new(config.handles as u32))),
};

pub(super) struct Handle {
    /// The last handle, which all further ones share.
    last: u32,
}

impl Handle {
    pub fn new(handles: u32) -> Self {
        Self { last: handles - 1 }
    }
}

impl Hotness for Handle {
    fn temperature(&mut self, _: &DriveState, write: &HostWrite) -> u32 {
        u32::from(write.handle).min(self.last)
    }
}
