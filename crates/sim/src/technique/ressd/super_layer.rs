//! Super layers: the layers of a block that are programmed with two bits in a cell and then
//! reprogrammed in any order, one group of them after the other (Section 3.3.2); with virtual super
//! layers across the border of two groups (Section 6.1).

use super::word_line::{PAGES, WordLines};
use crate::ids::{BlockId, Id, Unit};
use std::ops::Range;

/// How blocks are divided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layers {
    /// Layers of a super layer.
    pub per_super_layer: u32,
    /// Layers of a block.
    pub per_block: u32,
    /// Pages of a layer, three in a word line.
    pub pages: u32,
    /// Pages of a word line.
    pub bits: u32,
    /// Whether super layers may reach across two neighbours.
    pub virtual_layers: bool,
}

/// A block of two bits in a cell and its active super layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reprogrammable {
    pub block: BlockId,
    /// Its first page.
    pub first_page: Unit,
    /// The layers of the active super layer.
    pub layer: u32,
    pub end_layer: u32,
    /// When it was last written.
    pub written_ns: u64,
    /// Whether a candidate's pages may begin to be moved away.
    pub is_due: bool,
    /// True while its valid pages are being moved away, and once they were.
    pub is_reclaimed: bool,
    pub was_reclaimed: bool,
}

/// What can be done with a block now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockStatus {
    /// This page can be written by a reprogram.
    Writable(Unit),
    /// The next super layer can be programmed; the block with that one active.
    Advance(Reprogrammable),
    /// Every word line that is left holds two valid pages.
    Stuck,
    /// Every word line was reprogrammed as often as it can be.
    Spent,
}

impl Layers {
    /// A block of which the first super layer is active.
    pub fn first_of(&self, block: BlockId, first_page: Unit) -> Reprogrammable {
        let end_layer = self.per_super_layer.min(self.per_block);
        Reprogrammable {
            block,
            first_page,
            layer: 0,
            end_layer,
            written_ns: 0,
            is_due: false,
            is_reclaimed: false,
            was_reclaimed: false,
        }
    }

    /// The pages of some layers of a block, counted within it.
    pub fn places(&self, layers: Range<u32>) -> Range<u32> {
        layers.start * self.pages..layers.end * self.pages
    }

    /// The word lines of some layers of a block.
    fn word_lines(
        &self,
        lines: &WordLines,
        block: &Reprogrammable,
        layers: Range<u32>,
    ) -> Range<usize> {
        let (first, _) = lines.locate(block.first_page);
        let per_layer = (self.pages / self.bits) as usize;
        let word_line = |layer: u32| first + layer as usize * per_layer;
        word_line(layers.start)..word_line(layers.end)
    }

    /// The page that the next reprogram of the active super layer writes: that of the word line which
    /// was reprogrammed least; of equals, the first.
    fn writable(&self, lines: &WordLines, block: &Reprogrammable) -> Option<Unit> {
        let active = self.word_lines(lines, block, block.layer..block.end_layer);
        let line = active.min_by_key(|&line| lines.get(line).turn())?;
        lines.get(line).writable().map(|page| lines.first_page(line).plus(page))
    }

    fn is_complete(&self, lines: &WordLines, block: &Reprogrammable, layer: u32) -> bool {
        let mut all = self.word_lines(lines, block, layer..layer + 1);
        all.all(|line| lines.get(line).is_complete())
    }

    /// Whether every word line of a block was reprogrammed as often as it can be.
    pub fn is_spent(&self, lines: &WordLines, block: &Reprogrammable) -> bool {
        let mut active = block.layer..block.end_layer;
        block.end_layer == self.per_block && active.all(|it| self.is_complete(lines, block, it))
    }

    /// True for a page of the active super layer.
    pub fn is_active(&self, block: &Reprogrammable, page: Unit) -> bool {
        let places = self.places(block.layer..block.end_layer);
        let place = page.number().checked_sub(block.first_page.number());
        place.is_some_and(|place| (u64::from(places.start)..places.end.into()).contains(&place))
    }

    /// What can be done with a block whose active super layer is programmed.
    pub fn stand(&self, lines: &WordLines, block: &Reprogrammable) -> BlockStatus {
        if let Some(page) = self.writable(lines, block) {
            return BlockStatus::Writable(page);
        }
        let mut active = block.layer..block.end_layer;
        let incomplete = active.find(|&layer| !self.is_complete(lines, block, layer));
        let next = match incomplete {
            None if block.end_layer == self.per_block => return BlockStatus::Spent,
            None => block.end_layer,
            Some(layer) if self.virtual_layers => layer,
            Some(_) => return BlockStatus::Stuck,
        };
        let end_layer = (next + self.per_super_layer).min(self.per_block);
        match end_layer > block.end_layer {
            true => BlockStatus::Advance(Reprogrammable { layer: next, end_layer, ..*block }),
            false => BlockStatus::Stuck,
        }
    }

    /// A valid page that must leave the active super layer before its word line can be reprogrammed:
    /// with virtual super layers only the first layer's, for the others stay within reach.
    pub fn page_in_the_way(&self, lines: &WordLines, block: &Reprogrammable) -> Option<Unit> {
        self.pages_in_the_way(lines, block).next()
    }

    /// All such pages.
    pub fn pages_in_the_way<'l>(
        &self,
        lines: &'l WordLines,
        block: &Reprogrammable,
    ) -> impl Iterator<Item = Unit> + 'l {
        let mut active = block.layer..block.end_layer;
        if self.virtual_layers {
            let layer = active.clone().find(|&layer| !self.is_complete(lines, block, layer));
            active = layer.map_or(active.end..active.end, |layer| layer..layer + 1);
        }
        let of_active = self.word_lines(lines, block, active);
        let incomplete = of_active.filter(move |&line| !lines.get(line).is_complete());
        incomplete.flat_map(move |line| {
            let validity = lines.get(line).validity();
            let pages = (0..PAGES).filter(move |page| validity & (1 << page) != 0);
            pages.map(move |page| lines.first_page(line).plus(page))
        })
    }

    /// Valid pages of the active super layer in word lines that are not complete.
    pub fn movable(&self, lines: &WordLines, block: &Reprogrammable) -> u32 {
        let active = self.word_lines(lines, block, block.layer..block.end_layer);
        let incomplete = active.map(|line| lines.get(line)).filter(|status| !status.is_complete());
        incomplete.map(|status| status.validity().count_ones()).sum()
    }

    /// Pages that the layers after the active super layer can still take, at two a word line.
    pub fn pages_left(&self, block: &Reprogrammable) -> u32 {
        (self.per_block - block.end_layer) * self.pages / self.bits * PAGES
    }
}

#[cfg(test)]
mod tests {
    use super::super::word_line::Status;
    use super::*;

    /// Four layers of two word lines, two of them a super layer.
    const LAYERS: Layers =
        Layers { per_super_layer: 2, per_block: 4, pages: 6, bits: 3, virtual_layers: false };

    #[test]
    fn the_active_super_layer_is_no_part_of_those_before_it() {
        let mut lines = WordLines::new(Unit(24), 48, 3);
        let first = LAYERS.first_of(BlockId(1), Unit(24));
        let active = |block: &Reprogrammable| -> Vec<u64> {
            (20..60).filter(|&page| LAYERS.is_active(block, Unit(page))).collect()
        };
        assert_eq!(active(&first), (24..36).collect::<Vec<_>>());
        // The word lines of its two layers are complete.
        (0..4).for_each(|line| *lines.get_mut(line) = Status::of_writes([1, 1]));
        let BlockStatus::Advance(second) = LAYERS.stand(&lines, &first) else {
            panic!("it goes on")
        };
        assert_eq!((second.layer, second.end_layer), (2, 4));
        assert_eq!(active(&second), (36..48).collect::<Vec<_>>());
        assert_eq!((LAYERS.pages_left(&first), LAYERS.pages_left(&second)), (8, 0));
    }
}
