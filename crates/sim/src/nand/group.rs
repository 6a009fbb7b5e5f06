//! The dies of one kind of flash, and the arithmetic of their blocks.

use super::Span;
use crate::error::{Error, infeasible};
use crate::ids::{BlockId, DieId, Id, Ids, PlaneId};
use crate::schema::Chips;
use crate::util::FastDiv;
use std::ops::Range;

/// The most units of a plane: places there are counted in four bytes.
const MOST_OF_PLANE: u64 = u32::MAX as u64 - 1;
/// The most units of a block of each plane of a die, which may be filled side by side. A unit's block is then found by
/// one multiplication ([`FastDiv`]).
const MOST_AT_ONCE: u64 = 1 << 28;

/// The dies of one kind of flash.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its name; empty where there is but one.
    pub name: String,
    /// Its dies.
    pub dies: Ids<DieId>,
    /// Its planes.
    pub planes: Ids<PlaneId>,
    /// Its blocks.
    pub blocks: Ids<BlockId>,
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
    /// Units in a page (1 where a unit is a page or more).
    pub units_per_page: u32,
    /// Pages of a unit (1 where a unit is a page or less).
    pub pages_per_unit: u32,
    /// Units of a block.
    pub units_per_block: u32,
    by_units_per_page: FastDiv,
    /// Page types that follow one another within a block; 0 where they follow by rows.
    types: u32,
    rows: RowLayout,
}

/// How a superblock is filled: its programs go round its planes.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowLayout {
    /// Pages of a row, which is a program in each plane.
    pub pages: u32,
    /// Pages of a program in a plane.
    pub per_plane: u32,
}

/// Where a die sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// Its channel.
    pub channel: u32,
    /// Its chip, among those of the channel.
    pub way: u32,
    /// Its number within the chip.
    pub die: u32,
}

/// A key of the chips of a group, as a configuration names it.
pub(crate) fn chip_key(group: &str, key: &str) -> String {
    match group {
        "" => format!("drive.chip.{key}"),
        name => format!("drive.group.{name}.chip.{key}"),
    }
}

impl Group {
    /// The group after `before`, of a drive with `channels` channels and units of `unit_bytes`.
    ///
    /// # Errors
    /// Sizes that do not fit one another, channels that the drive does not have, or more blocks than
    /// can be numbered.
    pub(super) fn new(
        kind: &Chips<'_>,
        channels: u64,
        unit_bytes: u64,
        before: Option<&Self>,
    ) -> Result<Self, Error> {
        let chip = kind.chip;
        if kind.channels == 0 || kind.first_channel + kind.channels > channels {
            return Err(infeasible(
                format!(
                    "drive.group.{} has {} channels from channel {} on, but the drive has {channels}, from 0 on",
                    kind.name, kind.channels, kind.first_channel
                ),
                "mend first_channel and channels of the group, or raise drive.channels",
            ));
        }
        let page_bytes = (chip.page_kib * 1024.0).round() as u64;
        let (units_per_page, pages_per_unit) = split(page_bytes, unit_bytes)?;
        if !chip.pages_per_block.is_multiple_of(pages_per_unit) {
            return Err(infeasible(
                format!(
                    "a mapping unit of {pages_per_unit} pages does not divide a block of {} pages",
                    chip.pages_per_block
                ),
                format!(
                    "choose ftl.mapping_unit_kib so that whole units fill a block, or {} as a multiple",
                    chip_key(kind.name, "pages_per_block")
                ),
            ));
        }
        let units_per_block = chip.pages_per_block / pages_per_unit * units_per_page;
        check_sizes(kind, units_per_block)?;
        let dies = kind.channels * kind.chips_per_channel * chip.dies;
        let planes = dies * chip.planes;
        let blocks = u128::from(planes) * u128::from(chip.blocks_per_plane);
        let first_block = before.map_or(BlockId::new(0), |before| before.blocks.end());
        let end = u128::from(first_block.number()) + blocks;
        if end >= u128::from(u32::MAX) {
            return Err(infeasible(
                format!("the drive has {end} blocks; at most {} fit", u32::MAX - 1),
                format!("lower {}", chip_key(kind.name, "blocks_per_plane")),
            ));
        }
        Ok(Self {
            name: kind.name.to_owned(),
            dies: Ids::new(before.map_or(DieId::new(0), |before| before.dies.end()), dies as u32),
            planes: Ids::new(
                before.map_or(PlaneId::new(0), |before| before.planes.end()),
                planes as u32,
            ),
            blocks: Ids::new(first_block, blocks as u32),
            planes_per_die: chip.planes as u32,
            blocks_per_plane: chip.blocks_per_plane as u32,
            pages_per_block: chip.pages_per_block as u32,
            bits: chip.cell.bits(),
            page_bytes: page_bytes as u32,
            units_per_page: units_per_page as u32,
            pages_per_unit: pages_per_unit as u32,
            units_per_block: units_per_block as u32,
            by_units_per_page: FastDiv::new(units_per_page as u32),
            types: chip.cell.bits(),
            rows: RowLayout::default(),
        })
    }

    /// Lets the blocks be superblocks, filled by rows.
    pub fn fill_by(&mut self, rows: RowLayout) {
        if !rows.per_plane.is_multiple_of(self.bits) {
            (self.types, self.rows) = (0, rows);
        }
    }

    /// A key of its chips, as a configuration names it.
    pub(crate) fn key(&self, key: &str) -> String {
        chip_key(&self.name, key)
    }

    /// Units of the group.
    pub fn units(&self) -> u64 {
        u64::from(self.blocks.count()) * u64::from(self.units_per_block)
    }

    /// The first page of the unit at `place` in its block.
    #[inline]
    pub fn page_of(&self, place: u32) -> u32 {
        match (self.pages_per_unit, self.units_per_page) {
            (1, 1) => place,
            (1, _) => self.by_units_per_page.div(place.into()) as u32,
            (pages, _) => place * pages,
        }
    }

    /// Pages that `units` units take.
    #[inline]
    pub fn pages_of(&self, units: u32) -> u32 {
        match (self.pages_per_unit, self.units_per_page) {
            (1, 1) => units,
            (1, per_page) => self.by_units_per_page.div(u64::from(units + per_page - 1)) as u32,
            (pages, _) => units * pages,
        }
    }

    /// The places in their block of the units that pages hold.
    pub fn units_of(&self, span: Span) -> Range<u32> {
        let place = |page: u32| page / self.pages_per_unit * self.units_per_page;
        place(span.page)..place(span.end())
    }

    /// The whole word lines of which pages are a part.
    pub fn word_lines_of(&self, span: Span) -> Span {
        let first = span.page / self.bits * self.bits;
        let end = span.end().next_multiple_of(self.bits).min(self.pages_per_block);
        Span { page: first, pages: end - first, ..span }
    }

    /// The word line of a page.
    #[inline]
    pub fn word_line_of(&self, page: u32) -> u32 {
        // A division by a constant is much cheaper than one by a variable.
        match self.bits {
            1 => page,
            2 => page / 2,
            3 => page / 3,
            4 => page / 4,
            bits => page / bits,
        }
    }

    /// The page type of a page: pages of a word line follow one another, lowest first.
    #[inline]
    pub fn page_type(&self, page: u32) -> u32 {
        match self.types {
            1 => 0,
            2 => page % 2,
            3 => page % 3,
            4 => page % 4,
            _ => self.page_type_by_row(page),
        }
    }

    /// The page type of a page of a superblock, whose word lines are filled page by page, a row at a time.
    #[cold]
    fn page_type_by_row(&self, page: u32) -> u32 {
        let RowLayout { pages, per_plane } = self.rows;
        (page / pages * per_plane + page % per_plane) % self.bits
    }
}

/// Refuses planes, and blocks that are filled side by side, with more units than are counted there.
fn check_sizes(kind: &Chips<'_>, units_per_block: u64) -> Result<(), Error> {
    let of = if kind.name.is_empty() { String::new() } else { format!(" of group {}", kind.name) };
    let blocks = |count: u64| u128::from(units_per_block) * u128::from(count);
    let lower = |key| format!("lower {}", chip_key(kind.name, key));
    let side_by_side = format!("blocks of all planes of a die{of} have together");
    let (at_once, of_plane) = (blocks(kind.chip.planes), blocks(kind.chip.blocks_per_plane));
    check_units(&side_by_side, at_once, MOST_AT_ONCE, &lower("pages_per_block"))?;
    check_units(&format!("a plane{of} has"), of_plane, MOST_OF_PLANE, &lower("blocks_per_plane"))
}

/// Refuses more units than can be numbered: of what, and how to mend it otherwise.
pub(super) fn check_units(what: &str, units: u128, most: u64, help: &str) -> Result<(), Error> {
    match units <= most.into() {
        true => Ok(()),
        false => Err(infeasible(
            format!("{what} {units} mapping units; at most {most} fit"),
            format!("choose a larger ftl.mapping_unit_kib, or {help}"),
        )),
    }
}

/// Where the dies sit, in the order of their numbers: each group's chips follow those of the groups
/// before it on their channels.
pub(super) fn sites(kinds: &[Chips<'_>], channels: usize) -> Vec<Site> {
    let mut ways = vec![0; channels];
    let mut all = Vec::new();
    for kind in kinds {
        for channel in kind.first_channel..kind.first_channel + kind.channels {
            for _ in 0..kind.chips_per_channel {
                let way = ways[channel as usize];
                let site = |die| Site { channel: channel as u32, way, die };
                all.extend((0..kind.chip.dies as u32).map(site));
                ways[channel as usize] += 1;
            }
        }
    }
    all
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
