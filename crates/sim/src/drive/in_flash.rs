//! Where what the FTL sees of a drive lies in its flash: the same where blocks are those of the flash, and elsewhere in
//! superblocks.

use super::state::DriveState;
use crate::ids::{BlockId, DieId};
use crate::nand::{Geometry, Load, Located, Span};

impl DriveState {
    /// The division of the flash itself, where superblocks are put together too.
    pub fn flash(&self) -> &Geometry {
        self.superblocks.as_ref().map_or(&self.geometry, |superblocks| &superblocks.flash)
    }

    /// Blocks of the flash that are one block of the drive.
    pub fn blocks_at_once(&self, block: BlockId) -> u32 {
        self.superblocks.as_ref().map_or(1, |superblocks| superblocks.blocks(block))
    }

    /// Units of a program of a group, in each die that fills a block with it in turn.
    pub fn units_at_once(&self, group: usize) -> u32 {
        let Some(superblocks) = &self.superblocks else {
            let filling = &self.layout.fillings[group];
            return filling.shape.units * filling.lanes;
        };
        let of = &self.geometry.groups[group];
        superblocks.rows(group).pages / of.pages_per_unit * of.units_per_page
    }

    /// The die and the pages in the flash of some pages of one plane.
    #[inline]
    pub fn locate_in_flash(&self, span: Span) -> (DieId, Span) {
        match &self.superblocks {
            Some(superblocks) => superblocks.locate(span),
            None => (self.geometry.die_of_block(span.block), span),
        }
    }

    /// The block of the drive that a block of the flash is, or is part of.
    #[inline]
    pub fn block_with(&self, of_flash: BlockId) -> BlockId {
        self.superblocks.as_ref().map_or(of_flash, |superblocks| superblocks.with(of_flash))
    }

    /// The blocks of the flash that a block of the drive is, or is made of.
    pub fn blocks_in_flash(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let alone = self.superblocks.is_none().then_some(block);
        let made_of = self.superblocks.iter().flat_map(move |superblocks| {
            let of_die = move |die| superblocks.blocks_of(block, die).1;
            (0..superblocks.programs(block)).flat_map(of_die).map(|span| span.block)
        });
        alone.into_iter().chain(made_of)
    }

    /// The page of a unit in the flash.
    #[inline]
    pub fn page_in_flash(&self, at: &Located) -> Span {
        let page = self.geometry.of(at.block).page_of(at.place);
        self.locate_in_flash(Span { block: at.block, page, pages: 1 }).1
    }

    /// The dies of the flash that are one die of the drive.
    fn dies_in_flash(&self, die: DieId) -> impl Iterator<Item = DieId> + '_ {
        let alone = self.superblocks.is_none().then_some(die);
        let made_of = self.superblocks.iter().flat_map(move |superblocks| {
            superblocks.dies_with(self.geometry.planes_of_die(die).first())
        });
        alone.into_iter().chain(made_of)
    }

    /// Time of what a die of the drive has before it: of the dies that are one to the FTL, that of the busiest.
    pub fn backlog_ns(&self, load: &dyn Load, die: DieId) -> u64 {
        self.dies_in_flash(die).map(|die| load.backlog_ns(die)).max().unwrap_or(0)
    }

    /// How long a die of the drive takes nothing more: of the dies that are one to the FTL, until the first is idle.
    pub fn busy_ns(&self, load: &dyn Load, die: DieId) -> u64 {
        self.dies_in_flash(die).map(|die| load.backlog_ns(die)).min().unwrap_or(0)
    }

    /// P/E cycles of a block of the flash.
    #[inline]
    pub fn cycles_of(&self, of_flash: BlockId) -> u32 {
        self.blocks[self.block_with(of_flash)].erases
    }
}
