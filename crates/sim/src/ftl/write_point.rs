//! An open block (or one per plane, side by side) and the program that is being filled.

use super::layout::Layout;
use crate::engine::{Cause, RequestId};
use crate::util::NONE;

/// Where a stream's next unit goes within a scope.
#[derive(Debug, Clone, Default)]
pub struct WritePoint {
    /// First unit of the block of each lane; empty when nothing is open.
    lanes: Vec<u32>,
    /// Place of the current program in each block.
    row: u32,
    /// Units of the current program that hold data.
    filled: u32,
    /// Units that can still be placed.
    room: u32,
}

impl WritePoint {
    /// Opens erased blocks, given by their first units.
    pub fn open(&mut self, first_units: impl Iterator<Item = u32>, units_per_block: u32) {
        debug_assert_eq!(self.room, 0, "the open block is not full yet");
        self.lanes.clear();
        self.lanes.extend(first_units);
        (self.row, self.filled) = (0, 0);
        self.room = units_per_block * self.lanes.len() as u32;
    }

    /// Opens one block that already holds `row` units.
    pub fn resume(&mut self, first_unit: u32, row: u32, units_per_block: u32) {
        self.open(std::iter::once(first_unit), units_per_block);
        self.row = row;
        self.room -= row;
    }

    /// Units that can still be placed.
    #[inline]
    pub fn room(&self) -> u32 {
        self.room
    }

    /// Units of the current program that hold data.
    #[inline]
    pub fn filled(&self) -> u32 {
        self.filled
    }

    /// Place of the current program in each block.
    #[inline]
    pub fn row(&self) -> u32 {
        self.row
    }

    /// First units of the open blocks.
    #[inline]
    pub fn lanes(&self) -> &[u32] {
        &self.lanes
    }

    /// Takes the next unit; pages of a lane stay together, lanes take turns page by page.
    #[inline]
    pub fn take(&mut self, layout: &Layout, units_per_page: u32) -> u32 {
        let at = self.filled;
        self.filled += 1;
        self.room -= 1;
        if layout.lanes == 1 {
            return self.lanes[0] + self.row + at;
        }
        let (page, within) = (at / units_per_page, at % units_per_page);
        let (round, lane) = (page / layout.lanes, page % layout.lanes);
        self.lanes[lane as usize] + self.row + round * units_per_page + within
    }

    /// Ends the current program: the rest of its units, if any, stay without data. Returns how
    /// many those are.
    #[inline]
    pub fn end_program(&mut self, layout: &Layout) -> u32 {
        let padding = layout.program_units - self.filled;
        self.room -= padding;
        self.row += layout.lane_units;
        self.filled = 0;
        padding
    }
}

/// What waits for the current program of a write point.
#[derive(Debug)]
pub struct Pending<J> {
    /// What must be over before it starts.
    pub after: J,
    /// Requests of which a part ends with it.
    pub waiters: Vec<RequestId>,
    /// When it is padded and started, full or not.
    pub deadline_ns: u64,
    /// Who wrote its first unit.
    pub cause: Cause,
    /// The block that all of its data is copied from within the plane; `NONE` when data crosses
    /// the channel.
    pub copied_from_plane: u32,
}

impl<J: Default> Default for Pending<J> {
    fn default() -> Self {
        Self {
            after: J::default(),
            waiters: Vec::new(),
            deadline_ns: u64::MAX,
            cause: Cause::Host,
            copied_from_plane: NONE,
        }
    }
}
