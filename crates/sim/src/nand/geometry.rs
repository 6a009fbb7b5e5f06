//! How a drive is divided, and the arithmetic of its addresses.
//!
//! A *unit* is the mapping unit: a part of a page, a page, or several pages of a block. Blocks and
//! units are numbered plane by plane; planes by channel, way, die, plane.

use crate::config::Config;
use crate::error::Error;
use crate::util::FastDiv;

/// The division of a drive.
#[derive(Debug, Clone)]
pub struct Geometry {
    /// Channels.
    pub channels: u32,
    /// Chips of a channel.
    pub ways: u32,
    /// Dies of a chip.
    pub dies_per_chip: u32,
    /// Planes of a die.
    pub planes_per_die: u32,
    /// Blocks of a plane.
    pub blocks_per_plane: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Bits of a cell: the page types of a word line.
    pub bits: u32,
    /// Bytes of user data in a page.
    pub page_bytes: u32,
    /// Bytes of a mapping unit.
    pub unit_bytes: u64,
    /// Units in a page (1 where a unit is a page or more).
    pub units_per_page: u32,
    /// Pages of a unit (1 where a unit is a page or less).
    pub pages_per_unit: u32,
    /// Units of a block.
    pub units_per_block: u32,
    by_block: FastDiv,
    by_plane: FastDiv,
}

fn bits_of(cell: &str) -> u32 {
    match cell {
        "slc" => 1,
        "mlc" => 2,
        "tlc" => 3,
        _ => 4,
    }
}

impl Geometry {
    /// The geometry of `config`.
    ///
    /// # Errors
    /// Sizes that do not fit one another, or a drive beyond 2^32 − 1 units.
    pub fn new(config: &Config) -> Result<Self, Error> {
        let chip = &config.drive.chip;
        let page_bytes = (chip.page_kib * 1024.0).round() as u64;
        let unit_bytes = match config.ftl.mapping_unit_kib {
            0.0 => page_bytes,
            kib => (kib * 1024.0).round() as u64,
        };
        let (units_per_page, pages_per_unit) = split(page_bytes, unit_bytes)?;
        if !chip.pages_per_block.is_multiple_of(pages_per_unit) {
            return Err(infeasible(
                format!(
                    "a mapping unit of {pages_per_unit} pages does not divide a block of {} pages",
                    chip.pages_per_block
                ),
                "choose ftl.mapping_unit_kib so that whole units fill a block",
            ));
        }
        let units_per_block = chip.pages_per_block / pages_per_unit * units_per_page;
        let planes =
            config.drive.channels * config.drive.chips_per_channel * chip.dies * chip.planes;
        let units =
            u128::from(planes) * u128::from(chip.blocks_per_plane) * u128::from(units_per_block);
        if units >= u128::from(u32::MAX) {
            return Err(infeasible(
                format!("the drive has {units} mapping units; at most {} fit", u32::MAX - 1),
                "choose a larger ftl.mapping_unit_kib or fewer blocks",
            ));
        }
        Ok(Self {
            channels: config.drive.channels as u32,
            ways: config.drive.chips_per_channel as u32,
            dies_per_chip: chip.dies as u32,
            planes_per_die: chip.planes as u32,
            blocks_per_plane: chip.blocks_per_plane as u32,
            pages_per_block: chip.pages_per_block as u32,
            bits: bits_of(&chip.cell),
            page_bytes: page_bytes as u32,
            unit_bytes,
            units_per_page: units_per_page as u32,
            pages_per_unit: pages_per_unit as u32,
            units_per_block: units_per_block as u32,
            by_block: FastDiv::new(units_per_block as u32),
            by_plane: FastDiv::new(chip.blocks_per_plane as u32),
        })
    }

    /// Dies of the drive.
    pub fn dies(&self) -> u32 {
        self.channels * self.ways * self.dies_per_chip
    }

    /// Planes of the drive.
    pub fn planes(&self) -> u32 {
        self.dies() * self.planes_per_die
    }

    /// Blocks of the drive.
    pub fn blocks(&self) -> u32 {
        self.planes() * self.blocks_per_plane
    }

    /// Units of the drive.
    pub fn units(&self) -> u32 {
        self.blocks() * self.units_per_block
    }

    /// The plane of a block.
    #[inline]
    pub fn plane_of(&self, block: u32) -> u32 {
        self.by_plane.div(block)
    }

    /// The die of a plane.
    #[inline]
    pub fn die_of(&self, plane: u32) -> u32 {
        plane / self.planes_per_die
    }

    /// The channel of a die.
    pub fn channel_of(&self, die: u32) -> u32 {
        die / self.dies_per_chip / self.ways
    }

    /// The block of a unit, and its place there.
    #[inline]
    pub fn locate(&self, unit: u32) -> (u32, u32) {
        self.by_block.div_rem(unit)
    }

    /// The first unit of a block.
    #[inline]
    pub fn first_unit(&self, block: u32) -> u32 {
        block * self.units_per_block
    }

    /// The first page of the unit at `place` in its block.
    #[inline]
    pub fn page_of(&self, place: u32) -> u32 {
        match (self.pages_per_unit, self.units_per_page) {
            (1, 1) => place,
            (1, units) => place / units,
            (pages, _) => place * pages,
        }
    }

    /// Pages that `units` units take.
    #[inline]
    pub fn pages_of(&self, units: u32) -> u32 {
        match (self.pages_per_unit, self.units_per_page) {
            (1, 1) => units,
            (1, per_page) => units.div_ceil(per_page),
            (pages, _) => units * pages,
        }
    }

    /// The page type of a page: pages of a word line follow one another, lowest first.
    #[inline]
    pub fn page_type(&self, page: u32) -> u32 {
        // A division by a constant is much cheaper than one by a variable.
        match self.bits {
            1 => 0,
            2 => page % 2,
            3 => page % 3,
            _ => page % 4,
        }
    }
}

fn split(page_bytes: u64, unit_bytes: u64) -> Result<(u64, u64), Error> {
    if unit_bytes < 512 {
        return Err(infeasible(
            format!("a mapping unit of {unit_bytes} bytes is smaller than a sector"),
            "set ftl.mapping_unit_kib to 0.5 or more",
        ));
    }
    if page_bytes.is_multiple_of(unit_bytes) {
        Ok((page_bytes / unit_bytes, 1))
    } else if unit_bytes.is_multiple_of(page_bytes) {
        Ok((1, unit_bytes / page_bytes))
    } else {
        Err(infeasible(
            format!(
                "a mapping unit of {unit_bytes} bytes neither divides a page of {page_bytes} bytes nor is a multiple of it"
            ),
            "choose ftl.mapping_unit_kib as drive.chip.page_kib times or divided by a whole number",
        ))
    }
}

/// A drive that cannot work.
pub(crate) fn infeasible(what: impl Into<String>, help: impl Into<String>) -> Error {
    Error::Infeasible { what: what.into(), help: help.into() }
}
