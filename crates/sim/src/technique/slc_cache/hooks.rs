//! What the SLC cache alone is asked: the blocks that are set aside for it.

use crate::drive::DriveState;
use crate::ids::DomainId;
use crate::technique::{Place, Write};

/// Erased blocks that only the streams of a technique may take.
pub trait SetAside {
    /// How many blocks of a domain its streams hold, which count against those that are set aside.
    fn in_use(&self, _domain: DomainId) -> u32 {
        0
    }

    /// Where the place that was chosen has no room left: another one; `None`: there is none, and
    /// [`Routing::route_again`](crate::technique::Routing::route_again) is asked.
    fn place_again(&self, _state: &DriveState, _write: &Write<'_>) -> Option<Place> {
        None
    }
}
