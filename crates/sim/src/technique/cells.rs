//! What the flash does for a technique: operations of its own, reads, and erases.

use crate::drive::DriveState;
use crate::ids::BlockId;
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

/// How a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRead {
    /// By which operation.
    pub plan: ReadPlan,
    /// How the cells hold its data, which decides its errors; `None`: as a conventional program leaves it.
    pub data: Option<Data>,
}

impl PageRead {
    /// By the operation of that row, once.
    #[inline]
    pub fn of(row: u8) -> Self {
        Self { plan: ReadPlan::once(row), data: None }
    }
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

/// What the flash does for a technique.
pub trait Cells: Send {
    /// Appends its operations on a kind of flash to the table. Called for each group in turn.
    fn operations(&mut self, _table: &mut OpTable, _flash: &Flash<'_>) {}

    /// How a page is read.
    #[inline]
    fn read_plan(&self, _state: &DriveState, _at: &Located) -> PageRead {
        PageRead::of(READ)
    }

    /// P/E cycles that an erase of a block stands for, given those that it stands for on the conventional
    /// drive. Asked once for each erase, before it is planned.
    fn cycles(&mut self, _state: &DriveState, _block: BlockId, cycles: u32) -> u32 {
        cycles
    }
}
