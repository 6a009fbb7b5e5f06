//! What a technique is told of. Every technique of a drive is told, whatever it claims.

use crate::drive::DriveState;
use crate::ids::{BlockId, Lpn};
use crate::nand::Located;
use crate::nand::command::Cause;

/// What a technique is told of.
pub trait Observer: Send {
    /// The run begins: what preconditioning wrote does not count, and lies far back.
    fn begin(&mut self, _state: &DriveState) {}

    /// What the technique reports counts from here on: what came before only warmed the drive up.
    fn count_anew(&mut self) {}

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

    /// False where it does not listen to what becomes of data that is no longer valid: it is then not told.
    fn hears_of_deaths(&self) -> bool {
        true
    }

    /// A unit's data is no longer valid.
    #[inline]
    fn invalidated(&mut self, _state: &DriveState, _at: &Located) {}

    /// The host reads a unit.
    #[inline]
    fn read(&mut self, _state: &DriveState, _at: &Located, _now_ns: u64) {}

    /// The host wants a logical unit that was lost when power was off.
    fn missed(&mut self, _state: &DriveState, _lpn: Lpn) {}

    /// A block was chosen to be reclaimed, by whom; its data has not been moved yet.
    fn chosen(&mut self, _state: &DriveState, _block: BlockId, _cause: Cause) {}

    /// A block was erased.
    fn erased(&mut self, _state: &DriveState, _block: BlockId) {}
}
