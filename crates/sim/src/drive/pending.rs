//! What waits for programs that are not full.

use crate::ids::{DieId, PlaneId};
use crate::nand::command::{Cause, RequestId};

/// What waits for the current program of a write point.
#[derive(Debug)]
pub struct Pending<J> {
    /// What must be over before it starts.
    pub after: J,
    /// Requests of which a part ends with it.
    pub waiters: Vec<RequestId>,
    /// When it is padded and started, full or not; where that is by time.
    pub deadline_ns: u64,
    /// The die on which it starts once that is idle; where that is the rule, and a part waits for it.
    pub die: DieId,
    /// Who wrote its first unit.
    pub cause: Cause,
    /// The plane within which all of its data is copied; `None` when data crosses the channel.
    pub copied_from_plane: Option<PlaneId>,
}

impl<J: Default> Default for Pending<J> {
    fn default() -> Self {
        Self {
            after: J::default(),
            waiters: Vec::new(),
            deadline_ns: u64::MAX,
            die: DieId(0),
            cause: Cause::Host,
            copied_from_plane: None,
        }
    }
}
