//! The parity of an array is hot, for every write to a stripe rewrites it; data is cold.

use super::{HostWrite, Hotness};
use crate::drive::DriveState;

pub(super) struct Parity;

impl Hotness for Parity {
    fn temperature(&mut self, _: &DriveState, write: &HostWrite) -> u32 {
        u32::from(!write.parity)
    }
}
