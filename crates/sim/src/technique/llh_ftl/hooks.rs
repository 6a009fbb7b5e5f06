//! What LLH-FTL alone is asked: how blocks are filled in rounds, by steps.

use crate::drive::{DriveState, Step};
use crate::ids::{BlockId, PointId, StreamId, Unit};
use crate::technique::{ErasePlan, Place, Write};

/// Blocks that are filled in rounds, by steps, with data that is coded.
pub trait Rounds: Send {
    /// A unit is about to be the first of a program that [codes](crate::drive::Content::Coded) it, at a write
    /// point, an index of [`DriveState::points`]: another place for it after all; `None`: it stays. `fits` says
    /// whether its code succeeded, where that was tried.
    #[inline]
    fn begins(
        &mut self,
        _state: &DriveState,
        _write: &Write<'_>,
        _point: PointId,
        _fits: Option<bool>,
    ) -> Option<Place> {
        None
    }

    /// The next program of a block that is filled by a shape that [asks](crate::drive::Shape::asks), after what was
    /// programmed up to now; `None`: the block is full. The first one is asked for when the block opens.
    fn step(&mut self, _state: &DriveState, _stream: StreamId, _block: BlockId) -> Option<Step> {
        None
    }

    /// A unit of the page on which the controller [noted](crate::drive::Content::Notes) something about a
    /// block, and which it reads before it collects that block or opens it again; `None`: it need not.
    fn notes(&mut self, _state: &DriveState, _block: BlockId) -> Option<Unit> {
        None
    }

    /// Units of a block in which data can stand: one that holds as many valid ones gives nothing back.
    fn units_of_data(&mut self, state: &DriveState, block: BlockId) -> u32 {
        state.geometry.of(block).units_per_block
    }

    /// How a block is erased, given the plan of the erase scheme. GC holds a block back for those that
    /// the scheme may retire, not for those that this retires besides.
    fn erase_plan(&mut self, _state: &DriveState, _block: BlockId, plan: ErasePlan) -> ErasePlan {
        plan
    }
}
