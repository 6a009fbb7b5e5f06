//! Blocks that are opened, collected and erased together, one in each plane of several dies. To the FTL such a
//! superblock is one block; this is where its pages lie in the flash.

use super::{Geometry, RowLayout, Span};
use crate::ids::{BlockId, DieId, Id, PlaneId};
use std::ops::Range;

/// Where the pages of superblocks lie.
///
/// A superblock is filled by rows: a program on each of its dies in turn. Within a program the pages of a
/// plane follow one another, whole word lines of them, so that a page has the same type as in its own block.
#[derive(Debug, Clone)]
pub struct Superblocks {
    /// The flash as it is divided.
    pub flash: Geometry,
    /// By superblock's plane: the first plane of each program of a row.
    programs: Vec<Vec<PlaneId>>,
    /// By plane of the flash: the superblock's plane.
    superplane_of: Vec<u32>,
    /// Planes that a program covers.
    planes: u32,
    /// Pages of a program in each plane.
    pages: u32,
    /// Whether rows begin at another die each, so that the last program of all rows takes turns.
    rotates: bool,
}

impl Superblocks {
    /// Superblocks over flash of one kind: `programs` are the first planes of a row's programs, by the plane of
    /// the superblock, each of which covers so many planes and `pages` pages of each.
    pub fn new(
        flash: Geometry,
        programs: Vec<Vec<PlaneId>>,
        planes: u32,
        pages: u32,
        rotates: bool,
    ) -> Self {
        let mut superplane_of = vec![0; flash.planes().count() as usize];
        for (superplane, programs) in (0..).zip(&programs) {
            for plane in programs.iter().flat_map(|first| (0..planes).map(|of| first.plus(of))) {
                superplane_of[plane.index()] = superplane;
            }
        }
        Self { flash, programs, superplane_of, planes, pages, rotates }
    }

    /// Blocks of a superblock.
    pub fn blocks(&self) -> u32 {
        self.programs[0].len() as u32 * self.planes
    }

    /// The die and the pages in the flash of some pages of a superblock, all in one plane and program; of others, the
    /// first.
    pub fn locate(&self, span: Span) -> (DieId, Span) {
        let per_plane = self.flash.groups[0].blocks_per_plane;
        let programs = &self.programs[(span.block.number() / per_plane) as usize];
        let (program, page) =
            (span.page / (self.planes * self.pages), span.page % (self.planes * self.pages));
        let (plane, within) = (page / self.pages, page % self.pages);
        let count = programs.len() as u32;
        let (row, place) = (program / count, program % count);
        let turn = if self.rotates { (place + row) % count } else { place };
        let plane = programs[turn as usize].plus(plane);
        let block = self.block_in(plane, span.block);
        (self.flash.die_of(plane), Span { block, page: row * self.pages + within, ..span })
    }

    /// The die in which pages lie that one command can reach: those of each span in one plane and program, all in
    /// planes of one die; `None` where they do not.
    pub fn die_of(&self, spans: impl IntoIterator<Item = Span>) -> Option<DieId> {
        let mut dies = spans.into_iter().map(|span| {
            let is_whole = span.page % self.pages + span.pages <= self.pages;
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
        let group = &self.flash.groups[0];
        let plane = self.programs[(superblock.number() / group.blocks_per_plane) as usize]
            [program as usize];
        let span = move |of: u32| Span {
            block: self.block_in(plane.plus(of), superblock),
            page: 0,
            pages: group.pages_per_block,
        };
        (self.flash.die_of(plane), (0..self.planes).map(span))
    }

    /// The superblock of a block.
    pub fn with(&self, block: BlockId) -> BlockId {
        let per_plane = self.flash.groups[0].blocks_per_plane;
        let superplane = self.superplane_of[self.flash.plane_of(block).index()];
        BlockId(superplane * per_plane + block.number() % per_plane)
    }

    /// True where a program covers several planes.
    pub fn covers_planes(&self) -> bool {
        self.planes > 1
    }

    /// The pages of the program in which a page lies.
    pub fn program_with(&self, page: u32) -> Range<u32> {
        let pages = self.planes * self.pages;
        let first = page / pages * pages;
        first..first + pages
    }

    /// How a superblock is filled.
    pub fn rows(&self) -> RowLayout {
        RowLayout { pages: self.blocks() * self.pages, per_plane: self.pages }
    }

    /// The dies of a superblock's plane, one for each program of a row.
    pub fn dies_with(&self, superplane: PlaneId) -> impl Iterator<Item = DieId> {
        self.programs[superplane.index()].iter().map(|&plane| self.flash.die_of(plane))
    }

    /// Dies of a superblock.
    pub fn dies(&self) -> u32 {
        self.blocks() / self.flash.groups[0].planes_per_die
    }

    /// Programs of a row.
    pub fn programs(&self) -> u32 {
        self.programs[0].len() as u32
    }

    /// The block of a superblock in one of its planes.
    fn block_in(&self, plane: PlaneId, superblock: BlockId) -> BlockId {
        let per_plane = self.flash.groups[0].blocks_per_plane;
        self.flash.blocks_of_plane(plane).at(superblock.number() % per_plane)
    }
}

#[cfg(test)]
mod tests {
    use super::{Geometry, Superblocks};
    use crate::ids::{BlockId, Id, PlaneId};
    use crate::nand::Span;
    use crate::schema::{Cell, Config};
    use std::collections::HashMap;

    /// Four dies of two planes, each of 3 blocks of 12 pages, in superblocks of two dies.
    fn of_two_dies(rotates: bool) -> Superblocks {
        let mut config = Config::default();
        (config.drive.channels, config.drive.chips_per_channel) = (2, 2);
        let chip = &mut config.drive.chip;
        (chip.cell, chip.planes, chip.blocks_per_plane, chip.pages_per_block) =
            (Cell::Tlc, 2, 3, 12);
        let flash = Geometry::new(&config).expect("the drive fits together");
        let programs = vec![vec![PlaneId(0), PlaneId(4)], vec![PlaneId(2), PlaneId(6)]];
        Superblocks::new(flash, programs, 2, 3, rotates)
    }

    #[test]
    fn every_page_of_the_flash_is_one_page_of_a_superblock() {
        for rotates in [false, true] {
            let superblocks = of_two_dies(rotates);
            assert_eq!((superblocks.blocks(), superblocks.programs()), (4, 2));
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
            let superblocks = Superblocks::new(flash.clone(), programs, planes, pages, false);
            let mut group = flash.groups[0].clone();
            group.fill_by(superblocks.rows());
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
}
