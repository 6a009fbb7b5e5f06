//! Commands as the scheduler is told of them.

use super::cost::Cost;
use crate::drive::DriveState;
use crate::engine::{FlashOp, Source};
use crate::nand::Span;
use crate::nand::command::{Cause, Data, Program, Read};

/// A command as the scheduler is told of it, and what it counts as.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prepared {
    pub op: FlashOp,
    pub energy_nj: u64,
    /// Whose it counts as.
    pub cause: Cause,
}

impl DriveState {
    /// What a program is to the scheduler, and what it counts as.
    #[inline(always)]
    pub(super) fn prepare_program(&self, program: Program<'_>, ticket: u32) -> Prepared {
        let (first, cause) = (program.span, program.cause);
        let cost = self.program_cost(program);
        let pages = first.pages * (1 + program.others.len() as u32);
        let bytes = u64::from(pages) * u64::from(self.geometry.of(first.block).page_bytes);
        let mut op = self.flash_op(cost, first, cause, bytes, ticket);
        if program.closes_block {
            op.array_ns += self.ops.summary_ns(self.geometry.group_of(first.block));
        }
        match program.data {
            Data::New => {}
            Data::Copied => (op.transfer_ns, op.source) = (0, Source::Register),
            Data::Kept if op.source == Source::Register => op.source = Source::Cells,
            Data::Kept => {}
        }
        op.urgent = program.urgent;
        Prepared { op, energy_nj: cost.energy_nj, cause }
    }

    /// What a read is to the scheduler, and what it counts as.
    #[inline(always)]
    pub(super) fn prepare_read(&self, read: Read<'_>, ticket: u32) -> Prepared {
        let cost = self.read_cost(read);
        let bytes = u64::from(read.units) * self.geometry.unit_bytes;
        let op = self.flash_op(cost, read.span, read.rank, bytes, ticket);
        Prepared { op, energy_nj: cost.energy_nj, cause: read.cause }
    }

    /// The operation of a cost on `first`, and on the like in other planes, that moves `bytes` over the
    /// channel, if its row moves data at all.
    #[inline(always)]
    pub(super) fn flash_op(
        &self,
        cost: Cost<'_>,
        first: Span,
        cause: Cause,
        bytes: u64,
        ticket: u32,
    ) -> FlashOp {
        let definition = &cost.row.op;
        FlashOp {
            kind: definition.kind,
            needs: definition.needs,
            cause,
            source: if definition.transfers { Source::Controller } else { Source::Register },
            span: first,
            die: self.geometry.die_of_block(first.block),
            array_ns: cost.array_ns,
            transfer_ns: cost.row.transfer_ns(bytes),
            command_ns: cost.row.command_ns(),
            ticket,
            urgent: false,
        }
    }
}
