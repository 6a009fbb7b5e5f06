//! Where the data of a write comes from, and where it finds room; for whose sake a page is read.

use super::Io;
use crate::engine::Scheduler;
use crate::ids::{PlaneId, Unit};
use crate::nand::command::{Cause, RequestId};
use crate::policy::hotness::HostWrite;

/// Where a write finds room that its write point lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// GC runs first, and writes the pages of the map that it made stale.
    Collected,
    /// GC runs first, but for the map: the write is that of such a page, and whoever writes these will come to
    /// the others.
    CollectedForMap,
    /// In what is held back for GC: the write is one of its moves.
    HeldBack,
}

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
    /// Where it goes if there is no room.
    pub room: Room,
    /// The host's request, if it is one.
    pub request: Option<&'a HostWrite>,
}

impl<'a, J> Origin<'a, J> {
    /// Data of the drive's own, in the controller once `after` is over.
    pub fn controller(after: &'a J) -> Self {
        let room = Room::Collected;
        Self { after, waiter: None, register_plane: None, old: None, room, request: None }
    }
}

/// Whose account a read goes to, and whose priority it has.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadOrigin {
    /// Whose read it counts as.
    pub accounted_to: Cause,
    /// Who waits for it, which says how urgent it is.
    pub priority: Cause,
}

impl ReadOrigin {
    /// Who reads also waits.
    pub fn of(cause: Cause) -> Self {
        Self { accounted_to: cause, priority: cause }
    }
}

/// Does what a write of the host waits for, or what goes in step with it: behind the writes, the drive would owe
/// ever more of it.
pub(super) fn hurried<L, S: Scheduler, R>(
    layer: &mut L,
    io: &mut Io<S>,
    does: impl FnOnce(&mut L, &mut Io<S>) -> R,
) -> R {
    let hurried = io.sched.hurry(true);
    let done = does(layer, io);
    io.sched.hurry(hurried);
    done
}
