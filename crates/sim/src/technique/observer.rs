//! What a technique is told of. Every technique of a drive is told, whatever it claims.

use crate::drive::DriveState;
use crate::ids::{BlockId, StreamId};
use crate::nand::Located;
use crate::nand::command::Cause;

/// What begins for a technique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The drive is built, and empty: the technique's own streams have numbers from this one on.
    Drive(StreamId),
    /// The run: what preconditioning wrote does not count, and lies far back.
    Run,
    /// The part of the run that counts: what came before only warmed the drive up.
    Measured,
}

/// What a technique is told of.
pub trait Observer: Send {
    /// A phase of the drive's life begins.
    fn begin(&mut self, _state: &DriveState, _phase: Phase) {}

    /// Preconditioning has set a block directly: the places before its
    /// [`next`](crate::nand::Block::next) are programmed, and of those the valid ones hold data.
    /// Told like writes at time 0 unless the technique knows better, and like deaths of what is no
    /// longer valid, whose owner nobody knows.
    fn preset(&mut self, state: &DriveState, block: BlockId) {
        let first = state.geometry.first_unit(block);
        for place in 0..state.blocks[block].next {
            let at = Located { unit: first.plus(place), block, place };
            self.written(state, &at, Cause::Host, 0);
            if !state.valid.get(block, place) {
                self.invalidated(state, &at);
            }
        }
    }

    /// A unit now holds valid data.
    #[inline]
    fn written(&mut self, _state: &DriveState, _at: &Located, _cause: Cause, _now_ns: u64) {}

    /// A unit's data is no longer valid. Told where somebody lists [`Hook::Deaths`](super::Hook).
    #[inline]
    fn invalidated(&mut self, _state: &DriveState, _at: &Located) {}

    /// The host reads a unit.
    #[inline]
    fn read(&mut self, _state: &DriveState, _at: &Located, _now_ns: u64) {}

    /// A block was chosen to be reclaimed, by whom; its data has not been moved yet.
    fn chosen(&mut self, _state: &DriveState, _block: BlockId, _cause: Cause) {}

    /// A block was erased.
    fn erased(&mut self, _state: &DriveState, _block: BlockId) {}
}
