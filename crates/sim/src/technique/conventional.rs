//! The drive without a technique: every hook at its default, inlined into the page path.

use super::Technique;
use crate::drive::DriveState;

/// No technique.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conventional;

impl Technique for Conventional {
    /// There is nobody to tell.
    fn preset(&mut self, _: &DriveState, _: u32) {}
}
