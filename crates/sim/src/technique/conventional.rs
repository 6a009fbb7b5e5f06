//! The drive without a technique: every hook at its default, inlined into the page path.

use super::{Cells, Observer, Placement, Technique};
use crate::drive::DriveState;
use crate::ids::BlockId;

/// No technique.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conventional;

/// No technique, where what is done may be recorded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Watched(Conventional);

/// A drive without techniques, for whose hooks no call is made.
pub trait NoTechnique: Send + 'static {
    /// Whether what is done may be recorded for a player.
    const IS_WATCHED: bool;

    /// What answers every hook.
    fn conventional(&mut self) -> &mut Conventional;
}

impl NoTechnique for Conventional {
    const IS_WATCHED: bool = false;

    #[inline(always)]
    fn conventional(&mut self) -> &mut Conventional {
        self
    }
}

impl NoTechnique for Watched {
    const IS_WATCHED: bool = true;

    #[inline(always)]
    fn conventional(&mut self) -> &mut Conventional {
        &mut self.0
    }
}

impl Technique for Conventional {}

impl Placement for Conventional {}

impl Cells for Conventional {}

impl Observer for Conventional {
    /// There is nobody to tell.
    fn preset(&mut self, _: &DriveState, _: BlockId) {}
}
