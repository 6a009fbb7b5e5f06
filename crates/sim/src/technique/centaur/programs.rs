//! What each program of the 3D flash holds: data of one aligned range, or what GC packed together.

use crate::ids::{BlockId, Id, Ids, Unit};
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

/// The programs of the 3D flash. Its blocks follow one another, and programs fill them, so that units are all
/// that is asked by.
#[derive(Debug)]
pub struct Programs {
    /// Units of a program.
    units: u32,
    by_units: FastDiv,
    /// Divides by the programs of a block.
    by_block: FastDiv,
    blocks: Ids<BlockId>,
    /// The units of these.
    all: Ids<Unit>,
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
            by_block: FastDiv::new(1),
            blocks: Ids::all(0),
            all: Ids::all(0),
            programs: Vec::new(),
            live: Vec::new(),
        }
    }
}

impl Programs {
    /// Those of a group of dies whose units begin with `first`, of so many units each.
    pub fn new(group: &Group, first: Unit, units: u32) -> Self {
        let per_block = group.units_per_block / units;
        let programs = group.blocks.count() as usize * per_block as usize;
        Self {
            units,
            by_units: FastDiv::new(units),
            // A drive whose programs do not fill its blocks is refused.
            by_block: FastDiv::new(per_block.max(1)),
            blocks: group.blocks,
            all: Ids::new(first, group.units()),
            programs: vec![Program { range: MIXED, valid: 0 }; programs],
            live: vec![0; group.blocks.count() as usize],
        }
    }

    /// True for a unit of the 3D flash.
    #[inline]
    pub fn has(&self, unit: Unit) -> bool {
        self.all.contains(unit)
    }

    /// True for a block of the 3D flash.
    #[inline]
    pub fn has_block(&self, block: BlockId) -> bool {
        self.blocks.contains(block)
    }

    /// A unit joined a program with data of that range; true for the first one.
    ///
    /// # Panics
    /// The program holds data of another range.
    #[inline]
    pub fn joined(&mut self, unit: Unit, range: u32) -> bool {
        let (program, within) = self.locate(unit);
        self.holds(program, range, within == 0);
        within == 0
    }

    /// A unit holds data of that range since before the run; what its program held besides is no longer valid. After a
    /// power cut a program may hold units of several ranges.
    pub fn found(&mut self, unit: Unit, range: u32) {
        let (program, _) = self.locate(unit);
        let Program { range: before, valid } = self.programs[program];
        let range = if valid == 0 || before == range { range } else { MIXED };
        self.programs[program].range = range;
        self.holds(program, range, valid == 0);
    }

    #[inline]
    fn holds(&mut self, at: usize, range: u32, is_first: bool) {
        let block = self.block_of(at);
        let program = &mut self.programs[at];
        if is_first {
            program.range = range;
        }
        assert_eq!(program.range, range, "program {at} is joined by another range");
        self.live[block] += u32::from(program.valid == 0);
        program.valid += 1;
    }

    /// A unit's data is no longer valid.
    #[inline]
    pub fn left(&mut self, unit: Unit) {
        let (at, _) = self.locate(unit);
        let block = self.block_of(at);
        let program = &mut self.programs[at];
        program.valid -= 1;
        self.live[block] -= u32::from(program.valid == 0);
    }

    /// Valid units of the program of a unit.
    pub fn valid(&self, unit: Unit) -> u32 {
        self.programs[self.locate(unit).0].valid
    }

    /// The range of the program that holds a unit.
    pub fn range(&self, unit: Unit) -> u32 {
        self.programs[self.locate(unit).0].range
    }

    /// The units of the program that holds one of them.
    pub fn units_with(&self, unit: Unit) -> Ids<Unit> {
        let (_, within) = self.locate(unit);
        Ids::new(Unit(unit.number() - u64::from(within)), self.units.into())
    }

    /// Units of the programs of a block that hold valid data.
    #[inline]
    pub fn live_units(&self, block: BlockId) -> u32 {
        self.live[self.blocks.place_of(block) as usize] * self.units
    }

    /// The program of a unit, and the unit's place in it.
    #[inline]
    fn locate(&self, unit: Unit) -> (usize, u32) {
        let (program, within) = self.by_units.div_rem(self.all.place_of(unit));
        (program as usize, within)
    }

    /// The block of a program, by its place among the blocks.
    #[inline]
    fn block_of(&self, program: usize) -> usize {
        self.by_block.div(program as u64) as usize
    }
}
