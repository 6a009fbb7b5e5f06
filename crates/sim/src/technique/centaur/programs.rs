//! What each program of the 3D flash holds: data of one aligned range, or what GC packed together.

use crate::drive::DriveState;
use crate::ids::{BlockId, Ids, Unit};
use crate::nand::Group;
use crate::util::FastDiv;

/// Instead of a range: units of several ranges.
pub const MIXED: u32 = u32::MAX;

/// What a program holds.
#[derive(Debug, Clone, Copy)]
struct Program {
    range: u32,
    /// Valid units.
    valid: u32,
}

/// The programs of the 3D flash.
#[derive(Debug)]
pub struct Programs {
    /// Units of a program.
    units: u32,
    by_units: FastDiv,
    /// Programs of a block.
    per_block: u32,
    /// The blocks.
    blocks: Ids<BlockId>,
    programs: Vec<Program>,
    /// Programs of each block that hold any.
    live: Vec<u32>,
}

impl Default for Programs {
    /// Those of a drive without 3D flash.
    fn default() -> Self {
        Self {
            units: 1,
            by_units: FastDiv::new(1),
            per_block: 0,
            blocks: Ids::all(0),
            programs: Vec::new(),
            live: Vec::new(),
        }
    }
}

impl Programs {
    /// Those of a group of dies, of so many units each.
    pub fn new(group: &Group, units: u32) -> Self {
        let per_block = group.units_per_block / units;
        let programs = group.blocks.count() as usize * per_block as usize;
        Self {
            units,
            by_units: FastDiv::new(units),
            per_block,
            blocks: group.blocks,
            programs: vec![Program { range: MIXED, valid: 0 }; programs],
            live: vec![0; group.blocks.count() as usize],
        }
    }

    /// The unit at a place of a block joined a program with data of that range; true for the first one.
    ///
    /// # Panics
    /// The program holds data of another range.
    pub fn joined(&mut self, block: BlockId, place: u32, range: u32) -> bool {
        let (program, within) = self.locate(block, place);
        self.holds(block, program, range, within == 0);
        within == 0
    }

    /// A unit holds data of that range since before the run; what its program held besides is no longer valid.
    ///
    /// # Panics
    /// The program holds data of another range.
    pub fn found(&mut self, block: BlockId, place: u32, range: u32) {
        let (program, _) = self.locate(block, place);
        self.holds(block, program, range, self.programs[program].valid == 0);
    }

    fn holds(&mut self, block: BlockId, at: usize, range: u32, is_first: bool) {
        let program = &mut self.programs[at];
        if is_first {
            program.range = range;
        }
        let holds = program.range;
        assert_eq!(holds, range, "program {at} of block {block} is joined by another range");
        self.live[self.blocks.place_of(block) as usize] += u32::from(program.valid == 0);
        program.valid += 1;
    }

    /// A unit's data is no longer valid.
    pub fn left(&mut self, block: BlockId, place: u32) {
        let (at, _) = self.locate(block, place);
        let program = &mut self.programs[at];
        program.valid -= 1;
        self.live[self.blocks.place_of(block) as usize] -= u32::from(program.valid == 0);
    }

    /// Valid units of the program of a unit at a place.
    pub fn valid(&self, block: BlockId, place: u32) -> u32 {
        self.programs[self.locate(block, place).0].valid
    }

    /// The range of the program that holds a unit.
    pub fn range(&self, state: &DriveState, unit: Unit) -> u32 {
        let (block, place) = state.geometry.locate(unit);
        self.programs[self.locate(block, place).0].range
    }

    /// Units of the programs of a block that hold valid data.
    pub fn live_units(&self, block: BlockId) -> u32 {
        self.live[self.blocks.place_of(block) as usize] * self.units
    }

    /// The program of a unit, and the unit's place in it.
    #[inline]
    fn locate(&self, block: BlockId, place: u32) -> (usize, u32) {
        let (program, within) = self.by_units.div_rem(place.into());
        let first = u64::from(self.blocks.place_of(block)) * u64::from(self.per_block);
        ((first + program) as usize, within)
    }
}
