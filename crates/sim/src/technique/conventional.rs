//! The drive without a technique: every hook at its default, inlined into the page path.

use super::{Background, Cells, Observer, Placement, Routing, Technique};
use crate::drive::DriveState;
use crate::ids::BlockId;

/// No technique.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conventional;

impl Technique for Conventional {}

impl Routing for Conventional {}

impl Placement for Conventional {
    fn places_fill(&self) -> bool {
        false
    }

    fn clears(&self) -> bool {
        false
    }
}

impl Cells for Conventional {
    fn plans_reads(&self) -> bool {
        false
    }
}

impl Background for Conventional {}

impl Observer for Conventional {
    /// There is nobody to tell.
    fn preset(&mut self, _: &DriveState, _: BlockId) {}
}
