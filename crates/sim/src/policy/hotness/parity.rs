//! The parity of an array is hot, for every write to a stripe rewrites it; data is cold.

use super::{Entry, HostWrite, Hotness};
use crate::declare::PolicyDecl;
use crate::drive::DriveState;

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl { summary: "parity of an array is hot", keys: &[] },
    temperatures: |_| 2,
    cold_after_ns: |_| 0,
    build: |_, _| Some(Box::new(Parity)),
};

pub(super) struct Parity;

impl Hotness for Parity {
    fn temperature(&mut self, _: &DriveState, write: &HostWrite) -> u32 {
        u32::from(!write.parity)
    }
}
