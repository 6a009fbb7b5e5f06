//! What techniques are told of a unit that is about to be written.

use crate::ids::{Lpn, ScopeId, StreamId, Unit};
use crate::nand::Load;
use crate::nand::command::Cause;
use crate::policy::hotness::HostWrite;
use std::ops::Deref;

/// A unit that is to be written, and has no place yet.
#[derive(Clone, Copy)]
pub struct Unwritten<'a> {
    /// Logical unit.
    pub lpn: Lpn,
    /// Who writes it.
    pub cause: Cause,
    /// The scope of write points that the [route](super::Routing::route) or else the drive's allocation gives;
    /// of what moves, its own.
    pub scope: ScopeId,
    /// The stream of the route, or else the one that the conventional drive would choose.
    pub stream: StreamId,
    /// The unit that holds it now; `NONE` when it was never written.
    pub old: Unit,
    /// The request of the host that writes it; `None` for everyone else.
    pub request: Option<&'a HostWrite>,
}

/// A unit about to be written, and the moment at which it is.
// By reference: what has just been written field by field is slow to copy in wider pieces.
#[derive(Clone, Copy)]
pub struct Write<'a> {
    /// The unit.
    pub unit: &'a Unwritten<'a>,
    /// The present.
    pub now_ns: u64,
    /// How busy the dies are.
    pub load: &'a dyn Load,
}

impl<'a> Deref for Write<'a> {
    type Target = Unwritten<'a>;

    #[inline(always)]
    fn deref(&self) -> &Unwritten<'a> {
        self.unit
    }
}
