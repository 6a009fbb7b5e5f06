//! How a drive is divided, and the arithmetic of its addresses.
//!
//! A *unit* is the mapping unit: a part of a page, a page, or several pages of a block. A *group* is
//! the dies of one kind of flash; most drives have one. Dies, planes and blocks are numbered group by
//! group, and within a group by channel, way, die, plane. Unit numbers go on from one group to the next.

use super::group::{Group, Site, check_units, sites};
use crate::error::Error;
use crate::ids::{BlockId, ById, DieId, Id, Ids, PlaneId, Unit};
use crate::schema::Config;
use crate::util::FastDiv;

/// The most units that a drive has: 64 TiB in units of 4 KiB, and three times as much over-provisioning.
pub const MOST_UNITS: u64 = 1 << 36;

/// The product of two numbers, which may be larger than either can be.
#[inline]
const fn product(a: u32, b: u32) -> u64 {
    a as u64 * b as u64
}

/// The division of a drive.
#[derive(Debug, Clone)]
pub struct Geometry {
    /// Channels.
    pub channels: u32,
    /// Bytes of a mapping unit.
    pub unit_bytes: u64,
    /// Units of the largest kind of block.
    pub stride: u32,
    /// The kinds of flash: at least one.
    pub groups: Vec<Group>,
    /// Blocks of the first group.
    first_blocks: BlockId,
    /// Units of the first group.
    first_units: Unit,
    by_units: FastDiv,
    by_plane: FastDiv,
    by_die: FastDiv,
    /// The numbers of the second group, at hand: most drives of several kinds of flash have two.
    second: Numbers,
    /// Those of each group.
    numbers: Vec<Numbers>,
    /// Where each die sits.
    sites: ById<DieId, Site>,
    /// The die of each plane.
    die_of_plane: ById<PlaneId, DieId>,
}

/// A unit, and where it lies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Located {
    /// The unit.
    pub unit: Unit,
    /// Its block.
    pub block: BlockId,
    /// Its place there.
    pub place: u32,
}

/// The numbers of what a group has, and how to find one from another.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    first_plane: PlaneId,
    first_block: BlockId,
    end_block: BlockId,
    first_unit: Unit,
    end_unit: Unit,
    units_per_block: u32,
    by_units: FastDiv,
    by_plane: FastDiv,
}

impl Numbers {
    /// Those of a group whose units begin at a number.
    fn new(group: &Group, first_unit: Unit) -> Self {
        Self {
            first_plane: group.planes.first(),
            first_block: group.blocks.first(),
            end_block: group.blocks.end(),
            first_unit,
            end_unit: Unit(first_unit.0 + group.units()),
            units_per_block: group.units_per_block,
            by_units: FastDiv::new(group.units_per_block),
            by_plane: FastDiv::new(group.blocks_per_plane),
        }
    }

    /// The block of a unit, and its place there.
    #[inline]
    fn locate(&self, unit: Unit) -> (BlockId, u32) {
        let (block, place) = self.by_units.div_rem(unit.number() - self.first_unit.number());
        (self.first_block.plus(block as u32), place)
    }

    #[inline]
    fn place_of(&self, block: BlockId) -> u32 {
        block.number() - self.first_block.number()
    }

    #[inline]
    fn first_unit(&self, block: BlockId) -> Unit {
        Unit(self.first_unit.0 + product(self.place_of(block), self.units_per_block))
    }

    #[inline]
    fn plane_of(&self, block: BlockId) -> PlaneId {
        self.first_plane.plus(self.by_plane.div(self.place_of(block).into()) as u32)
    }
}

impl Geometry {
    /// The geometry of `config`.
    ///
    /// # Errors
    /// Sizes that do not fit one another, or a drive beyond [`MOST_UNITS`] units.
    pub fn new(config: &Config) -> Result<Self, Error> {
        let kinds = config.drive.kinds();
        let page_bytes = |kib: f64| (kib * 1024.0).round() as u64;
        let smallest = kinds.iter().map(|kind| page_bytes(kind.chip.page_kib)).min().unwrap_or(0);
        let unit_bytes = match config.ftl.mapping_unit_kib {
            0.0 => smallest,
            kib => page_bytes(kib),
        };
        let mut groups: Vec<Group> = Vec::with_capacity(kinds.len());
        for kind in &kinds {
            groups.push(Group::new(kind, config.drive.channels, unit_bytes, groups.last())?);
        }
        let stride = groups.iter().map(|group| group.units_per_block).max().unwrap_or(1);
        let units = groups.iter().map(|group| u128::from(group.units())).sum();
        check_units("the drive has", units, MOST_UNITS, "fewer blocks")?;
        let die_of = |group: &Group| {
            let (dies, planes) = (group.dies, group.planes_per_die);
            (0..group.planes.count()).map(move |plane| dies.at(plane / planes))
        };
        let numbers = numbers_of(&groups);
        Ok(Self {
            channels: config.drive.channels as u32,
            unit_bytes,
            stride,
            first_blocks: groups[0].blocks.end(),
            first_units: Unit(groups[0].units()),
            by_units: FastDiv::new(groups[0].units_per_block),
            by_plane: FastDiv::new(groups[0].blocks_per_plane),
            by_die: FastDiv::new(groups[0].blocks_per_plane * groups[0].planes_per_die),
            second: numbers[numbers.len().min(2) - 1],
            numbers,
            sites: sites(&kinds, config.drive.channels as usize).into_iter().collect(),
            die_of_plane: groups.iter().flat_map(die_of).collect(),
            groups,
        })
    }

    /// Dies of the drive.
    pub fn dies(&self) -> Ids<DieId> {
        self.sites.ids()
    }

    /// Planes of the drive.
    pub fn planes(&self) -> Ids<PlaneId> {
        self.die_of_plane.ids()
    }

    /// Blocks of the drive.
    pub fn blocks(&self) -> Ids<BlockId> {
        Ids::all(self.groups.last().map_or(0, |group| group.blocks.end().number()))
    }

    /// Units of the drive.
    pub fn units(&self) -> u64 {
        self.groups.iter().map(Group::units).sum()
    }

    /// True for a drive of several kinds of flash.
    #[inline]
    pub fn is_mixed(&self) -> bool {
        self.groups.len() > 1
    }

    /// The group of a block.
    #[inline]
    pub fn group_of(&self, block: BlockId) -> usize {
        match () {
            () if block < self.first_blocks => 0,
            () if block < self.second.end_block => 1,
            () => self.further_group(block),
        }
    }

    #[inline(never)]
    fn further_group(&self, block: BlockId) -> usize {
        index_of(&self.groups, |group| group.blocks.end() <= block)
    }

    /// The group of a unit, whose block nobody asks for.
    #[inline]
    pub fn group_of_unit(&self, unit: Unit) -> usize {
        match () {
            () if unit < self.first_units => 0,
            () if unit < self.second.end_unit => 1,
            () => index_of(&self.numbers, |group| group.end_unit <= unit),
        }
    }

    /// The kind of flash of a block.
    #[inline]
    pub fn of(&self, block: BlockId) -> &Group {
        &self.groups[self.group_of(block)]
    }

    /// The group of a plane.
    pub fn group_of_plane(&self, plane: PlaneId) -> usize {
        index_of(&self.groups, |group| group.planes.end() <= plane)
    }

    /// The blocks of a plane.
    pub fn blocks_of_plane(&self, plane: PlaneId) -> Ids<BlockId> {
        let group = &self.groups[self.group_of_plane(plane)];
        let first = group.planes.place_of(plane) * group.blocks_per_plane;
        Ids::new(group.blocks.at(first), group.blocks_per_plane)
    }

    /// The blocks of several planes of a group.
    pub(crate) fn blocks_of_planes(&self, planes: Ids<PlaneId>) -> Ids<BlockId> {
        let of_plane = |plane| self.blocks_of_plane(plane);
        Ids::between(of_plane(planes.first()).first(), of_plane(planes.last()).last())
    }

    /// The plane of a block.
    #[inline]
    pub fn plane_of(&self, block: BlockId) -> PlaneId {
        if block < self.first_blocks {
            return PlaneId(self.by_plane.div(block.number().into()) as u32);
        }
        self.numbers_later(block).plane_of(block)
    }

    /// The die of a plane.
    #[inline]
    pub fn die_of(&self, plane: PlaneId) -> DieId {
        self.die_of_plane[plane]
    }

    /// The die of a block.
    #[inline]
    pub fn die_of_block(&self, block: BlockId) -> DieId {
        if block < self.first_blocks {
            return DieId(self.by_die.div(block.number().into()) as u32);
        }
        self.die_of(self.plane_of(block))
    }

    /// The planes of a die.
    pub fn planes_of_die(&self, die: DieId) -> Ids<PlaneId> {
        let group = &self.groups[self.groups.partition_point(|group| group.dies.end() <= die)];
        let first = group.dies.place_of(die) * group.planes_per_die;
        Ids::new(group.planes.at(first), group.planes_per_die)
    }

    /// Where a die sits.
    pub fn site(&self, die: DieId) -> Site {
        self.sites[die]
    }

    /// The channel of a die.
    pub fn channel_of(&self, die: DieId) -> u32 {
        self.site(die).channel
    }

    /// A unit with its block and its place there.
    #[inline]
    pub fn located(&self, unit: Unit) -> Located {
        let (block, place) = self.locate(unit);
        Located { unit, block, place }
    }

    /// The block of a unit, and its place there.
    #[inline]
    pub fn locate(&self, unit: Unit) -> (BlockId, u32) {
        if unit >= self.first_units {
            return self.locate_later(unit);
        }
        let (block, place) = self.by_units.div_rem(unit.number());
        (BlockId(block as u32), place)
    }

    /// The block of a unit beyond the first group, and its place there.
    #[inline(never)]
    fn locate_later(&self, unit: Unit) -> (BlockId, u32) {
        if unit < self.second.end_unit {
            return self.second.locate(unit);
        }
        self.numbers[index_of(&self.numbers, |group| group.end_unit <= unit)].locate(unit)
    }

    /// The numbers of a block's group, which is not the first one.
    #[inline]
    fn numbers_later(&self, block: BlockId) -> &Numbers {
        match block < self.second.end_block {
            true => &self.second,
            false => &self.numbers[self.further_group(block)],
        }
    }

    /// The first unit of a block.
    #[inline]
    pub fn first_unit(&self, block: BlockId) -> Unit {
        if block < self.first_blocks {
            return Unit(product(block.number(), self.groups[0].units_per_block));
        }
        self.numbers_later(block).first_unit(block)
    }
}

/// The item that holds what is looked for: the first one that is not wholly before it. The last one holds
/// whatever the others do not, so that of two kinds of flash one is looked at.
#[inline]
pub(crate) fn index_of<T>(items: &[T], is_before: impl Fn(&T) -> bool) -> usize {
    let (_, others) = items.split_last().expect("a drive has flash");
    others.iter().take_while(|item| is_before(item)).count()
}

/// The numbers of each group: those of one follow those of another.
fn numbers_of(groups: &[Group]) -> Vec<Numbers> {
    let numbers = groups.iter().scan(Unit(0), |next, group| {
        let numbers = Numbers::new(group, *next);
        *next = numbers.end_unit;
        Some(numbers)
    });
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::Geometry;
    use crate::ids::Unit;
    use crate::schema::{Config, GroupConfig};

    /// Units of one kind follow those of the other, and none is left out, however large blocks are.
    #[test]
    fn units_number_blocks_of_each_kind_as_large_as_they_are() {
        let mut config = Config::default();
        for (name, blocks, pages) in [("a", 3, 8), ("b", 5, 24), ("c", 2, 16)] {
            let mut group =
                GroupConfig { chip: config.drive.chip.clone(), ..GroupConfig::default() };
            (group.chip.blocks_per_plane, group.chip.pages_per_block) = (blocks, pages);
            config.drive.group.insert(name.into(), group);
        }
        let geometry = Geometry::new(&config).expect("the drive fits together");
        let mut next = Unit(0);
        for block in geometry.blocks() {
            assert_eq!(geometry.first_unit(block), next);
            for place in 0..geometry.of(block).units_per_block {
                assert_eq!(geometry.locate(next), (block, place));
                next = next.plus(1);
            }
        }
        assert_eq!(next, Unit(geometry.units()));
    }
}
