//! What the flash does for a technique: operations of its own, reads, and erases.

use crate::drive::DriveState;
use crate::ids::{BlockId, Unit};
use crate::nand::command::ReadPlan;
use crate::nand::{Flash, Located, Loops, Mode, OpTable, READ};

/// How the cells hold a unit's data, where not as a conventional program leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data {
    /// The mode that the chip's table of error rates calls it.
    pub mode: Mode,
    /// Since when; `None`: since its word line was programmed.
    pub since_ns: Option<u64>,
}

/// How a block is erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErasePlan {
    /// Its loops. Only the scheduler that interrupts erases looks into them: an erase of one loop
    /// goes on where it stopped, of several each begins its pulse again, unless
    /// `drive.scheduling.suspended_pulse` says otherwise.
    pub loops: Loops,
    /// Loops that are left until the block is used again, when they go before its first program;
    /// empty: none. Where planes work together, they follow at once.
    pub deferred: Loops,
    /// True when the block is worn out afterwards.
    pub retire: bool,
    /// The row by which the block is programmed until its next erase.
    pub program_row: u8,
    /// The row by which it is read until then, unless the technique says otherwise.
    pub read_row: u8,
}

/// What a program needs besides its data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Codec {
    /// Pages that are read first, from that of the unit on.
    pub reads_before: u32,
}

/// What the flash does for a technique.
pub trait Cells: Send {
    /// Appends its operations on a kind of flash to the table. Called for each group in turn.
    fn operations(&mut self, _table: &mut OpTable, _flash: &Flash<'_>) {}

    /// False where pages are read as the conventional drive does: it is then not asked how.
    fn plans_reads(&self) -> bool {
        true
    }

    /// How a page is read.
    #[inline]
    fn read_plan(&self, _state: &DriveState, _at: &Located) -> ReadPlan {
        ReadPlan::once(READ)
    }

    /// How the cells hold a unit's data; `None`: as a conventional program leaves it. Asked with a read where
    /// the erase scheme plans reads.
    fn data(&self, _state: &DriveState, _at: &Located) -> Option<Data> {
        None
    }

    /// What a program over data, or in place, needs besides its data: asked with its first unit.
    #[inline]
    fn codec(&self, _state: &DriveState, _unit: Unit, _row: u8) -> Codec {
        Codec::default()
    }

    /// P/E cycles that an erase of a block stands for, given those that it stands for on the conventional
    /// drive. Asked once for each erase, before it is planned.
    fn cycles(&mut self, _state: &DriveState, _block: BlockId, cycles: u32) -> u32 {
        cycles
    }

    /// How a block is erased, given the plan of the erase scheme. GC holds a block back for those that
    /// the scheme may retire, not for those that this retires besides.
    fn erase_plan(&mut self, _state: &DriveState, _block: BlockId, plan: ErasePlan) -> ErasePlan {
        plan
    }
}
