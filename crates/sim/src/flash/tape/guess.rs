//! What a recording expects next, so that what it expects takes no bytes: the reader guesses the same.

use crate::ids::{BlockId, Id};
use crate::nand::command::CAUSES;
use crate::nand::{Geometry, Located, Span};

/// What comes next if writes go on as before.
#[derive(Default)]
pub(super) struct Guess {
    /// By block: the block in which the unit was placed that followed, by the same cause.
    then: Vec<u32>,
    /// By block: the place after its last unit.
    place: Vec<u32>,
    /// By cause: the block of its last unit.
    block: [u32; CAUSES],
    /// The unit that was placed last, and where the data of each cause came from last.
    pub last: Located,
    pub old: [u64; CAUSES],
    /// By cause: the row and the pages of the last program of one span that was as guessed.
    pub program: [(u8, u32); CAUSES],
    /// By cause: the page that was read last, in pages of the drive.
    pub read: [u64; CAUSES],
    /// The block that was erased, or changed, last.
    pub other: u64,
    /// Pages of the largest kind of block.
    pub pages_per_block: u64,
}

impl Guess {
    pub fn new(geometry: &Geometry) -> Self {
        let blocks = geometry.blocks().count();
        let pages = geometry.groups.iter().map(|group| group.pages_per_block);
        Self {
            then: (0..blocks).collect(),
            place: vec![0; blocks as usize],
            pages_per_block: pages.max().unwrap_or(0).into(),
            ..Self::default()
        }
    }

    /// Whether a unit is the one that a cause writes next.
    #[inline(always)]
    pub fn is_next(&self, cause: usize, at: Located) -> bool {
        let block = self.then[self.block[cause] as usize];
        at.block.0 == block && at.place == self.place[block as usize]
    }

    /// A unit was placed.
    #[inline(always)]
    pub fn placed(&mut self, cause: usize, at: Located) {
        self.then[self.block[cause] as usize] = at.block.0;
        self.block[cause] = at.block.0;
        self.place[at.block.0 as usize] = at.place + 1;
        self.last = at;
    }

    /// So many units of a victim were moved, the last one from a place of it.
    pub fn moved(
        &mut self,
        geometry: &Geometry,
        cause: usize,
        (victim, last): (BlockId, u32),
        (to, count): (Located, u32),
        row: u8,
    ) {
        self.placed(cause, to);
        if count > 1 {
            let further = count - 1;
            let (unit, place) = (to.unit.plus(further), to.place + further);
            self.placed(cause, Located { unit, place, ..to });
        }
        self.other = victim.number().into();
        self.old[cause] = geometry.first_unit(victim).plus(last).0;
        self.read[cause] = self.other * self.pages_per_block + u64::from(last);
        self.program[cause] = (row, 1);
    }

    /// The pages that a program of so many writes, if it ends with the unit that was placed last.
    #[inline]
    pub fn span(&self, geometry: &Geometry, pages: u32) -> Span {
        let group = geometry.of(self.last.block);
        let end = group.page_of(self.last.place) + group.pages_per_unit;
        Span { block: self.last.block, page: end.saturating_sub(pages), pages }
    }
}
