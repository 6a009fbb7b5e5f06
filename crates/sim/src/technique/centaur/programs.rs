//! What each program of the 3D flash holds: data of one aligned range, or what GC packed together.

use crate::drive::DriveState;
use crate::ids::{BlockId, Ids, Unit};
use crate::nand::Group;

/// Instead of a range: units of several ranges.
pub const MIXED: u32 = u32::MAX;

/// The programs of the 3D flash.
#[derive(Debug, Default)]
pub struct Programs {
    /// Units of a program.
    units: u32,
    /// Programs of a block.
    per_block: u32,
    /// The blocks.
    blocks: Ids<BlockId>,
    /// The range of each program.
    ranges: Vec<u32>,
    /// Valid units of each program.
    valid: Vec<u8>,
    /// Programs of each block that hold any.
    live: Vec<u32>,
}

impl Programs {
    /// Those of a group of dies, of so many units each.
    pub fn new(group: &Group, units: u32) -> Self {
        let per_block = group.units_per_block / units;
        let programs = group.blocks.count() as usize * per_block as usize;
        Self {
            units,
            per_block,
            blocks: group.blocks,
            ranges: vec![MIXED; programs],
            valid: vec![0; programs],
            live: vec![0; group.blocks.count() as usize],
        }
    }

    /// The unit at a place of a block joined a program with data of that range; true for the first one.
    ///
    /// # Panics
    /// The program holds data of another range.
    pub fn joined(&mut self, block: BlockId, place: u32, range: u32) -> bool {
        let is_first = place.is_multiple_of(self.units);
        self.holds(block, place, range, is_first);
        is_first
    }

    /// A unit holds data of that range since before the run; what its program held besides is no longer valid.
    ///
    /// # Panics
    /// The program holds data of another range.
    pub fn found(&mut self, block: BlockId, place: u32, range: u32) {
        let is_first = self.valid[self.index(block, place)] == 0;
        self.holds(block, place, range, is_first);
    }

    fn holds(&mut self, block: BlockId, place: u32, range: u32, is_first: bool) {
        let program = self.index(block, place);
        if is_first {
            self.ranges[program] = range;
        }
        let holds = self.ranges[program];
        assert_eq!(holds, range, "place {place} of block {block} joins a program of another range");
        self.live[self.blocks.place_of(block) as usize] += u32::from(self.valid[program] == 0);
        self.valid[program] += 1;
    }

    /// A unit's data is no longer valid.
    pub fn left(&mut self, block: BlockId, place: u32) {
        let program = self.index(block, place);
        self.valid[program] -= 1;
        self.live[self.blocks.place_of(block) as usize] -= u32::from(self.valid[program] == 0);
    }

    /// The range of the program that begins with a unit.
    pub fn range(&self, state: &DriveState, unit: Unit) -> u32 {
        let (block, place) = state.geometry.locate(unit);
        self.ranges[self.index(block, place)]
    }

    /// Units of the programs of a block that hold valid data.
    pub fn live_units(&self, block: BlockId) -> u32 {
        self.live[self.blocks.place_of(block) as usize] * self.units
    }

    fn index(&self, block: BlockId, place: u32) -> usize {
        (self.blocks.place_of(block) * self.per_block + place / self.units) as usize
    }
}
