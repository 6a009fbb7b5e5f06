//! Where the data of a write comes from.

use crate::engine::RequestId;
use crate::ids::{PlaneId, Unit};
use crate::policy::hotness::HostWrite;

/// Where the data of a unit comes from.
pub(super) struct Origin<'a, J> {
    /// What must be over before the data is there.
    pub after: &'a J,
    /// The request of which it is a part.
    pub waiter: Option<RequestId>,
    /// The plane whose register holds it; `None` when it crosses the channel.
    pub register_plane: Option<PlaneId>,
    /// The unit that holds it, where that is known: GC need not look at the map.
    pub old: Option<Unit>,
    /// The host's request, if it is one.
    pub request: Option<&'a HostWrite>,
}

impl<'a, J> Origin<'a, J> {
    /// Data of the drive's own, in the controller once `after` is over.
    pub fn controller(after: &'a J) -> Self {
        Self { after, waiter: None, register_plane: None, old: None, request: None }
    }
}
