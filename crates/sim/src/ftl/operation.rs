//! Flash operations as the scheduler sees them, and for whose sake they are done.

use crate::drive::DriveState;
use crate::engine::{Cause, FlashOp, Source};

/// Pages of a block, one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub block: u32,
    /// The first one.
    pub page: u32,
    pub pages: u32,
}

/// For whose sake a page is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sake {
    /// Whose read it counts as.
    pub counted: Cause,
    /// Who waits for it, which says how urgent it is.
    pub rank: Cause,
}

impl Sake {
    /// Who reads also waits.
    pub fn of(cause: Cause) -> Self {
        Self { counted: cause, rank: cause }
    }
}

impl DriveState {
    /// An operation by `row` that keeps the array busy for `array_ns` and moves `bytes` over the channel,
    /// if that row moves data at all.
    #[inline(always)]
    pub(super) fn operation(
        &self,
        row: u8,
        span: Span,
        cause: Cause,
        array_ns: u64,
        bytes: u64,
    ) -> FlashOp {
        let definition = self.ops.row(row);
        FlashOp {
            kind: definition.kind,
            needs: definition.needs,
            cause,
            source: if definition.transfers { Source::Controller } else { Source::Register },
            die: self.geometry.die_of(self.geometry.plane_of(span.block)),
            page: span.page,
            pages: span.pages,
            array_ns,
            transfer_ns: self.ops.transfer_ns(row, bytes),
            command_ns: self.ops.command_ns(row),
        }
    }
}
