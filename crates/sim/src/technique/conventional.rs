//! The drive without a technique: every hook at its default, inlined into the page path.

use super::{Cells, Observer, Placement, Technique};
use crate::drive::DriveState;
use crate::ids::BlockId;

/// No technique.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conventional;

impl Technique for Conventional {}

impl Placement for Conventional {}

impl Cells for Conventional {}

impl Observer for Conventional {
    /// There is nobody to tell.
    fn preset(&mut self, _: &DriveState, _: BlockId) {}
}
