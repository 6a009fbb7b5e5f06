//! The host says which data belongs together: each write has a placement handle, as with NVMe's flexible data
//! placement (NVM Express TP4146, 2022). The volume, device or stream of a request stands for it.

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
    build: |config, _| Some(Box::new(Handle { last: config.handles as u32 - 1 })),
};

struct Handle {
    /// The last handle, which all further ones share.
    last: u32,
}

impl Hotness for Handle {
    fn temperature(&mut self, _: &DriveState, write: &HostWrite) -> u32 {
        u32::from(write.handle).min(self.last)
    }
}
