//! What lazyFTL alone is asked: work that must be done by some time, and what becomes of it without power.

use crate::drive::DriveState;
use crate::ids::{Lpn, Unit};
use crate::nand::Load;
use crate::technique::Idle;

/// A time without power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outage {
    /// When it began.
    pub from_ns: u64,
    /// When power came back.
    pub to_ns: u64,
    /// Temperature of the drive meanwhile.
    pub temperature_c: f64,
}

/// Work that must be done by its time, in place of the host's if need be.
pub trait Promises: Send {
    /// When something must be done, idle or not; `u64::MAX`: never.
    fn due_ns(&self) -> u64;

    /// What is done now that this time has come. Asked again after each step; once it has nothing to do, not before
    /// [`Promises::due_ns`] says another time.
    fn overdue(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle;

    /// An [`Idle::Apply`] of that name is over at `end_ns`, which may lie in the future.
    fn ended(&mut self, _state: &DriveState, _ticket: u32, _end_ns: u64) {}

    /// Power is back: nothing was done meanwhile. Returns the valid units whose data did not outlive that.
    fn power_was_off(&mut self, _state: &DriveState, _outage: &Outage) -> Vec<Unit> {
        Vec::new()
    }

    /// The host wants a logical unit that was lost when power was off.
    fn missed(&mut self, _state: &DriveState, _lpn: Lpn) {}

    /// A promise that it did not keep, with what it was about: the run ends with an error. Asked now and then,
    /// and when the run is over.
    fn broken(&self, _state: &DriveState) -> Option<String> {
        None
    }

    /// How long the dies would take for what it has put off to make data last.
    fn owed_ns(&self, _state: &DriveState) -> u64 {
        0
    }
}
