//! Parts of one aligned range, and where they go.

use super::Kind;
use crate::ids::{ScopeId, StreamId};
use crate::policy::hotness;

/// A part that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// What the host writes.
    pub of: hotness::Part,
    /// The kind of flash that takes it.
    pub kind: Kind,
    /// The scope of its program, and its stream, in the 3D flash.
    pub scope: ScopeId,
    /// Its stream there: that of its first unit.
    pub stream: StreamId,
    /// True once a unit of it is in that program.
    pub has_begun: bool,
    /// True once it found a kind of flash full.
    pub is_sent_on: bool,
}

impl Part {
    /// A part of which nothing is written yet.
    pub fn of(of: hotness::Part, kind: Kind) -> Self {
        let scope = ScopeId::default();
        Self { of, kind, scope, stream: StreamId(0), has_begun: false, is_sent_on: false }
    }
}
