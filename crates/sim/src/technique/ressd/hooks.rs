//! What ReSSD alone is asked: the data that it moves along with what others write.

use crate::drive::DriveState;
use crate::ids::Unit;
use crate::technique::{Joined, Write};

/// Valid data that makes way along with what the host writes.
pub trait Refill: Send {
    /// Valid units that are moved before a write of the host is placed, which waits for that as far as the flash
    /// does one thing after the other; asked once. What there is no room for stays.
    fn cleared(&mut self, _state: &DriveState, _write: &Write<'_>) -> Vec<Unit> {
        Vec::new()
    }

    /// A valid unit that is read and joins a program, wherever it stands, as another unit has just
    /// done. Asked again after each, until there is none or the program is full; programs of a unit are
    /// always full.
    fn companion(&mut self, _state: &DriveState, _joined: &Joined) -> Option<Unit> {
        None
    }
}
