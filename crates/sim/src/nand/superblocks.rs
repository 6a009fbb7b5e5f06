//! Blocks that are opened, collected and erased together, one in each plane of several dies. To the FTL such a
//! superblock is one block; this is where its pages lie in the flash.

use super::{Geometry, RowLayout, Span};
use crate::ids::{BlockId, DieId, Id, PlaneId};
use std::ops::Range;

/// How superblocks over one kind of flash are filled: by rows, each a program on each of their dies in turn.
#[derive(Debug, Clone)]
pub struct SuperblockRows {
    /// By superblock's plane: the first plane of each program of a row.
    pub programs: Vec<Vec<PlaneId>>,
    /// Planes that a program covers.
    pub planes: u32,
    /// Pages of a program in each plane.
    pub pages: u32,
    /// Whether rows begin at another die each, so that the last program of all rows takes turns.
    pub rotates: bool,
}

/// The superblocks over one kind of flash.
#[derive(Debug, Clone)]
struct Kind {
    rows: SuperblockRows,
    /// The first superblock and its plane.
    first: BlockId,
    first_plane: PlaneId,
    /// Superblocks of a plane, which are as many as its blocks.
    blocks_per_plane: u32,
}

impl Kind {
    /// The programs of a row of a superblock.
    fn programs_of(&self, superblock: BlockId) -> &[PlaneId] {
        let plane = (superblock.number() - self.first.number()) / self.blocks_per_plane;
        &self.rows.programs[plane as usize]
    }

    /// Blocks of a superblock.
    fn blocks(&self) -> u32 {
        self.rows.programs[0].len() as u32 * self.rows.planes
    }
}

/// Where the pages of superblocks lie.
///
/// Within a program the pages of a plane follow one another, whole word lines of them where that is a program, so that
/// a page has the same type as in its own block.
#[derive(Debug, Clone)]
pub struct Superblocks {
    /// The flash as it is divided.
    pub flash: Geometry,
    /// By kind of flash.
    kinds: Vec<Kind>,
    /// By plane of the flash: the superblock's plane.
    superplane_of: Vec<PlaneId>,
}

impl Superblocks {
    /// Superblocks over flash, each kind of which is filled by its rows.
    pub fn new(flash: Geometry, rows: Vec<SuperblockRows>) -> Self {
        let mut superplane_of = vec![PlaneId(0); flash.planes().count() as usize];
        let mut kinds: Vec<Kind> = Vec::with_capacity(rows.len());
        let (mut first, mut first_plane) = (BlockId(0), PlaneId(0));
        for (rows, group) in rows.into_iter().zip(&flash.groups) {
            let blocks_per_plane = group.blocks_per_plane;
            let superplanes = rows.programs.len() as u32;
            for (superplane, programs) in (0..).zip(&rows.programs) {
                let planes = programs.iter().flat_map(|at| (0..rows.planes).map(|of| at.plus(of)));
                planes.for_each(|it| superplane_of[it.index()] = first_plane.plus(superplane));
            }
            kinds.push(Kind { rows, first, first_plane, blocks_per_plane });
            first = first.plus(superplanes * blocks_per_plane);
            first_plane = first_plane.plus(superplanes);
        }
        Self { flash, kinds, superplane_of }
    }

    /// The kind of flash of a superblock: the last that does not begin after it.
    fn kind_of(&self, superblock: BlockId) -> &Kind {
        let (first, others) = self.kinds.split_first().expect("a drive has flash");
        others.iter().take_while(|kind| kind.first <= superblock).last().unwrap_or(first)
    }

    /// Blocks of a superblock.
    pub fn blocks(&self, superblock: BlockId) -> u32 {
        self.kind_of(superblock).blocks()
    }

    /// The die and the pages in the flash of some pages of a superblock, all in one plane and program; of others, the
    /// first.
    pub fn locate(&self, span: Span) -> (DieId, Span) {
        let kind = self.kind_of(span.block);
        let SuperblockRows { planes, pages, rotates, .. } = kind.rows;
        let programs = kind.programs_of(span.block);
        let (program, page) = (span.page / (planes * pages), span.page % (planes * pages));
        let (plane, within) = (page / pages, page % pages);
        let count = programs.len() as u32;
        let (row, place) = (program / count, program % count);
        let turn = if rotates { (place + row) % count } else { place };
        let plane = programs[turn as usize].plus(plane);
        let block = self.block_in(plane, kind, span.block);
        (self.flash.die_of(plane), Span { block, page: row * pages + within, ..span })
    }

    /// The die in which pages lie that one command can reach: those of each span in one plane and program, all in
    /// planes of one die; `None` where they do not.
    pub fn die_of(&self, spans: impl IntoIterator<Item = Span>) -> Option<DieId> {
        let mut dies = spans.into_iter().map(|span| {
            let pages = self.kind_of(span.block).rows.pages;
            let is_whole = span.page % pages + span.pages <= pages;
            is_whole.then(|| self.locate(span).0)
        });
        let first = dies.next()??;
        dies.all(|die| die == Some(first)).then_some(first)
    }

    /// The whole blocks of a superblock in the planes of one program: its die, the first one, and the others.
    pub fn blocks_of(
        &self,
        superblock: BlockId,
        program: u32,
    ) -> (DieId, impl Iterator<Item = Span>) {
        let kind = self.kind_of(superblock);
        let plane = kind.programs_of(superblock)[program as usize];
        let pages = self.flash.groups[self.flash.group_of_plane(plane)].pages_per_block;
        let span = move |of: u32| Span {
            block: self.block_in(plane.plus(of), kind, superblock),
            page: 0,
            pages,
        };
        (self.flash.die_of(plane), (0..kind.rows.planes).map(span))
    }

    /// The superblock of a block.
    pub fn with(&self, block: BlockId) -> BlockId {
        let plane = self.flash.plane_of(block);
        let superplane = self.superplane_of[plane.index()];
        let kind = &self.kinds[self.flash.group_of(block)];
        let planes_before = superplane.number() - kind.first_plane.number();
        let place = self.flash.blocks_of_plane(plane).place_of(block);
        kind.first.plus(planes_before * kind.blocks_per_plane + place)
    }

    /// Whether a program of a superblock covers several planes.
    pub fn covers_planes(&self, superblock: BlockId) -> bool {
        self.kind_of(superblock).rows.planes > 1
    }

    /// Whether programs of some superblocks cover several planes.
    pub fn cover_planes(&self) -> bool {
        self.kinds.iter().any(|kind| kind.rows.planes > 1)
    }

    /// The pages of the program of a superblock in which a page lies.
    pub fn program_with(&self, superblock: BlockId, page: u32) -> Range<u32> {
        let SuperblockRows { planes, pages, .. } = self.kind_of(superblock).rows;
        let pages = planes * pages;
        let first = page / pages * pages;
        first..first + pages
    }

    /// How the superblocks of a kind of flash are filled.
    pub fn rows(&self, group: usize) -> RowLayout {
        let kind = &self.kinds[group];
        RowLayout { pages: kind.blocks() * kind.rows.pages, per_plane: kind.rows.pages }
    }

    /// Where the rows of superblocks of a kind of flash lie.
    pub fn filling(&self, group: usize) -> &SuperblockRows {
        &self.kinds[group].rows
    }

    /// The dies of a superblock's plane, one for each program of a row.
    pub fn dies_with(&self, superplane: PlaneId) -> impl Iterator<Item = DieId> {
        let begins = |kind: &&Kind| kind.first_plane <= superplane;
        let kind = self.kinds.iter().take_while(begins).last().expect("the first begins at 0");
        let place = superplane.number() - kind.first_plane.number();
        kind.rows.programs[place as usize].iter().map(|&plane| self.flash.die_of(plane))
    }

    /// Programs of a row over a kind of flash, and the dies over which they go.
    pub fn row(&self, group: usize) -> (u32, u32) {
        let kind = &self.kinds[group];
        let programs = kind.rows.programs[0].len() as u32;
        (programs, kind.blocks() / self.flash.groups[group].planes_per_die)
    }

    /// Programs of a row of a superblock.
    pub fn programs(&self, superblock: BlockId) -> u32 {
        self.kind_of(superblock).programs_of(superblock).len() as u32
    }

    /// The block of a superblock of a kind in one of its planes.
    fn block_in(&self, plane: PlaneId, kind: &Kind, superblock: BlockId) -> BlockId {
        let place = (superblock.number() - kind.first.number()) % kind.blocks_per_plane;
        self.flash.blocks_of_plane(plane).at(place)
    }
}

#[cfg(test)]
mod tests {
    use super::{Geometry, SuperblockRows, Superblocks};
    use crate::ids::{BlockId, Id, PlaneId};
    use crate::nand::Span;
    use crate::schema::{Cell, Config, GroupConfig};
    use std::collections::{HashMap, HashSet};

    /// Four dies of two planes, each of 3 blocks of 12 pages, in superblocks of two dies.
    fn of_two_dies(rotates: bool) -> Superblocks {
        let mut config = Config::default();
        (config.drive.channels, config.drive.chips_per_channel) = (2, 2);
        let chip = &mut config.drive.chip;
        (chip.cell, chip.planes, chip.blocks_per_plane, chip.pages_per_block) =
            (Cell::Tlc, 2, 3, 12);
        let flash = Geometry::new(&config).expect("the drive fits together");
        let programs = vec![vec![PlaneId(0), PlaneId(4)], vec![PlaneId(2), PlaneId(6)]];
        Superblocks::new(flash, vec![SuperblockRows { programs, planes: 2, pages: 3, rotates }])
    }

    #[test]
    fn every_page_of_the_flash_is_one_page_of_a_superblock() {
        for rotates in [false, true] {
            let superblocks = of_two_dies(rotates);
            assert_eq!((superblocks.blocks(BlockId(0)), superblocks.programs(BlockId(5))), (4, 2));
            let mut last: HashMap<BlockId, u32> = HashMap::new();
            let mut met = 0;
            for block in (0..6).map(BlockId) {
                for page in 0..48 {
                    let (die, at) = superblocks.locate(Span { block, page, pages: 1 });
                    assert_eq!(die, superblocks.flash.die_of(superblocks.flash.plane_of(at.block)));
                    assert_eq!(at.page % 3, page % 3, "a page keeps its type");
                    let before = last.insert(at.block, at.page);
                    assert_eq!(
                        at.page,
                        before.map_or(0, |page| page + 1),
                        "in order, without gaps"
                    );
                    met += 1;
                }
            }
            assert_eq!(met, superblocks.flash.units());
            assert!(last.len() == 24 && last.values().all(|&page| page == 11));
        }
    }

    #[test]
    fn pages_programmed_one_by_one_have_the_types_of_their_own_blocks() {
        let flash = of_two_dies(false).flash;
        for (planes, pages) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
            let first = |plane: u32| PlaneId(plane);
            let programs = match planes {
                1 => vec![(0..8).map(first).collect()],
                _ => vec![(0..4).map(|die| first(2 * die)).collect()],
            };
            let rows = SuperblockRows { programs, planes, pages, rotates: false };
            let superblocks = Superblocks::new(flash.clone(), vec![rows]);
            let mut group = flash.groups[0].clone();
            group.fill_by(superblocks.rows(0));
            for page in 0..96 {
                let (_, at) = superblocks.locate(Span { block: BlockId(1), page, pages: 1 });
                assert_eq!(group.page_type(page), at.page % 3, "{planes}, {pages}: {page}");
            }
        }
    }

    #[test]
    fn the_last_program_of_a_row_takes_turns() {
        let superblocks = of_two_dies(true);
        let die_of_row = |row: u32| {
            superblocks.locate(Span { block: BlockId(0), page: 12 * row + 6, pages: 3 }).0.number()
        };
        assert_eq!([0, 1, 2, 3].map(die_of_row), [2, 0, 2, 0]);
    }

    #[test]
    fn an_erase_takes_every_block_of_a_superblock() {
        let superblocks = of_two_dies(false);
        let mut blocks: Vec<u32> = (0..2)
            .flat_map(|program| superblocks.blocks_of(BlockId(4), program).1)
            .map(|span| {
                assert_eq!((span.page, span.pages), (0, 12));
                assert_eq!(superblocks.with(span.block), BlockId(4));
                span.block.number()
            })
            .collect();
        blocks.sort_unstable();
        // Its second one over the dies 1 and 3: planes 2, 3, 6 and 7.
        assert_eq!(blocks, [7, 10, 19, 22]);
    }

    /// Two dies of SLC with 3 blocks of 4 pages, and four of TLC with 2 blocks of 6 in each of two planes: each kind has
    /// superblocks of its own, which follow one another.
    #[test]
    fn superblocks_of_each_kind_of_flash_lie_in_its_own_blocks() {
        let mut config = Config::default();
        config.drive.channels = 2;
        for (name, chips, cell, planes, blocks, pages) in
            [("a", 1, Cell::Slc, 1, 3, 4), ("b", 2, Cell::Tlc, 2, 2, 6)]
        {
            let mut group = GroupConfig { chips_per_channel: chips, ..GroupConfig::default() };
            group.chip = config.drive.chip.clone();
            (group.chip.cell, group.chip.planes) = (cell, planes);
            (group.chip.blocks_per_plane, group.chip.pages_per_block) = (blocks, pages);
            (group.chip.dies, group.chip.page_kib) = (1, 16.0);
            config.drive.group.insert(name.into(), group);
        }
        let flash = Geometry::new(&config).expect("the drive fits together");
        let ids = |planes: &[u32]| planes.iter().copied().map(PlaneId).collect::<Vec<_>>();
        let rows = |programs, pages| SuperblockRows { programs, planes: 1, pages, rotates: false };
        let superblocks = Superblocks::new(
            flash,
            vec![
                rows(vec![ids(&[0, 1])], 1),
                rows(vec![ids(&[2, 6, 3, 7]), ids(&[4, 8, 5, 9])], 3),
            ],
        );
        let mut met = HashSet::new();
        for (blocks, made_of, pages) in [(0..3, 2, 8), (3..7, 4, 24)] {
            for block in blocks.map(BlockId) {
                assert_eq!(
                    (superblocks.blocks(block), superblocks.programs(block)),
                    (made_of, made_of)
                );
                for page in 0..pages {
                    let (die, at) = superblocks.locate(Span { block, page, pages: 1 });
                    assert_eq!(die, superblocks.flash.die_of_block(at.block));
                    assert_eq!(superblocks.with(at.block), block);
                    assert!(met.insert((at.block, at.page)), "{at:?} twice");
                }
            }
        }
        assert_eq!(met.len() as u64, superblocks.flash.units());
        assert_eq!((superblocks.row(0), superblocks.row(1)), ((2, 2), (4, 2)));
        let dies =
            |plane| superblocks.dies_with(PlaneId(plane)).map(|die| die.0).collect::<Vec<_>>();
        assert_eq!((dies(0), dies(2)), (vec![0, 1], vec![3, 5, 3, 5]));
    }
}
