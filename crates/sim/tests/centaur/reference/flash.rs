//! A kind of flash of the naive drive: one plane.

use wordline_sim::config::Config;

/// Erased blocks that GC itself needs.
pub const INNER: usize = 1;
/// Write points of each kind of flash.
pub const HOST: usize = 0;
pub const GC: usize = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Erased,
    Open,
    Full,
    Victim,
}

#[derive(Debug, Clone)]
pub struct Block {
    pub stage: Stage,
    pub units: Vec<Option<u64>>,
    /// Of what range each program is.
    pub ranges: Vec<u64>,
    pub valid: usize,
    pub cost: usize,
    pub changed_at: u64,
    pub erases: u64,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Point {
    pub block: Option<usize>,
    pub next: usize,
}

/// A kind of flash: one plane.
#[derive(Debug, Clone)]
pub struct Flash {
    pub blocks: Vec<Block>,
    pub free: Vec<usize>,
    pub points: [Point; 2],
    pub block_units: usize,
    pub program_units: usize,
    pub reserve: usize,
    pub endurance: u64,
}

impl Flash {
    pub fn new(config: &Config, name: &str, program_units: usize) -> Self {
        let chip = &config.drive.group[name].chip;
        let (count, page_units) = (chip.blocks_per_plane as usize, (chip.page_kib / 4.0) as usize);
        let block_units = page_units * chip.pages_per_block as usize;
        let erased = Block {
            stage: Stage::Erased,
            units: vec![None; block_units],
            ranges: vec![0; block_units / program_units],
            valid: 0,
            cost: 0,
            changed_at: 0,
            erases: 0,
        };
        let reserve = (config.ftl.gc.free_block_threshold * count as f64).floor() as usize;
        Self {
            blocks: vec![erased; count],
            free: (0..count).collect(),
            points: [Point::default(); 2],
            block_units,
            program_units,
            reserve: reserve.max(INNER + 1),
            endurance: chip.endurance_pec,
        }
    }

    pub fn room(&self, point: usize) -> usize {
        let Point { block, next } = self.points[point];
        block.map_or(0, |_| self.block_units - next)
    }

    pub fn all_room(&self) -> usize {
        self.free.len() * self.block_units + self.room(HOST) + self.room(GC)
    }

    /// Units of the program that a write point has begun.
    pub fn filled(&self, point: usize) -> usize {
        self.points[point].next % self.program_units
    }

    pub fn all_valid(&self) -> u64 {
        self.blocks.iter().map(|block| block.valid as u64).sum()
    }

    /// Programs of a block that hold valid data.
    pub fn live(&self, block: usize) -> usize {
        let programs = self.blocks[block].units.chunks(self.program_units);
        programs.filter(|units| units.iter().any(Option::is_some)).count()
    }

    pub fn units(&self) -> u64 {
        (self.blocks.len() * self.block_units) as u64
    }

    pub fn cycles(&self) -> u64 {
        self.blocks.iter().map(|block| block.erases).sum()
    }

    pub fn life(&self) -> u64 {
        self.blocks.len() as u64 * self.endurance
    }
}
