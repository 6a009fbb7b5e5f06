//! The area for metadata: two halves, which take turns. Each holds a checkpoint of the map, the anchor that says that
//! it is whole, and a journal of the blocks that were programmed since. Here is what it holds at a moment.

use super::marks::Mark;
use crate::ids::{BlockId, ById, Lpn, Packed, Unit};
use crate::nand::Geometry;
use std::sync::Arc;

/// A checkpoint of the map.
#[derive(Debug, PartialEq)]
pub struct Checkpoint {
    /// Counted from 1.
    pub number: u64,
    /// Where each logical unit was.
    pub map: Packed<Lpn, Unit>,
    /// The number of the unit that had been written last.
    pub sequence: u64,
    /// Blocks to which more was to be programmed.
    pub open: Vec<BlockId>,
    /// Blocks that were erased.
    pub erased: Vec<BlockId>,
    /// The blocks of its half.
    pub blocks: Vec<BlockId>,
    /// The programs that write it, and the pages of all of them.
    pub parts: (u32, u32),
}

/// What a command writes to a half of the area, or that it erases it.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// Nothing is left of what the half held.
    Erased,
    /// A part of a checkpoint.
    Part,
    /// The anchor: all parts of the checkpoint are there.
    Anchor(Arc<Checkpoint>),
    /// Blocks that are programmed from now on.
    Listed(Vec<BlockId>),
}

/// What a command does to a half of the area.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The half.
    pub half: usize,
    /// What it writes.
    pub record: Record,
}

#[derive(Debug, Clone, Default)]
struct Half {
    parts: u32,
    checkpoint: Option<Arc<Checkpoint>>,
    journal: Vec<BlockId>,
    records: u32,
}

/// What the area holds.
#[derive(Debug, Clone, Default)]
pub struct Area([Half; 2]);

impl Area {
    /// A command is over.
    pub fn carry_out(&mut self, note: &Note) {
        let half = &mut self.0[note.half];
        match &note.record {
            Record::Erased => *half = Half::default(),
            Record::Part => half.parts += 1,
            Record::Anchor(checkpoint) => half.checkpoint = Some(checkpoint.clone()),
            Record::Listed(blocks) => {
                half.journal.extend(blocks);
                half.records += 1;
            }
        }
    }

    /// The newest checkpoint that is whole, and the journal behind it.
    pub fn newest(&self, geometry: &Geometry) -> Option<Found> {
        let whole = |&half: &usize| {
            let Half { parts, checkpoint, .. } = &self.0[half];
            checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.parts.0 == *parts)
        };
        let number = |&half: &usize| self.0[half].checkpoint.as_ref().map(|it| it.number);
        let half = (0..2).filter(whole).max_by_key(number)?;
        let Half { checkpoint, journal, records, .. } = &self.0[half];
        let checkpoint = checkpoint.clone()?;
        let mut listed = ById::filled(false, geometry.blocks().count());
        checkpoint.open.iter().chain(journal).for_each(|&block| listed[block] = true);
        Some(Found { half, checkpoint, listed, records: *records })
    }
}

/// What a restart reads of the area.
#[derive(Debug, Clone)]
pub struct Found {
    /// The half.
    pub half: usize,
    /// The checkpoint.
    pub checkpoint: Arc<Checkpoint>,
    /// Blocks that may have been programmed since.
    pub listed: ById<BlockId, bool>,
    /// Records of the journal.
    pub records: u32,
}

impl Found {
    /// What a restart knows of a unit: in blocks that were programmed since the checkpoint, what stands there; in
    /// others, what the checkpoint says of it, which is as late as the checkpoint.
    pub fn sees(&self, geometry: &Geometry, (unit, mark): (Unit, Mark)) -> Option<(Unit, Mark)> {
        if self.listed[geometry.locate(unit).0] {
            return Some((unit, mark));
        }
        let is_mapped = self.checkpoint.map.at(mark.lpn) == unit;
        is_mapped.then_some((unit, Mark { sequence: self.checkpoint.sequence, ..mark }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load;
    use crate::ids::Id;

    #[test]
    fn a_checkpoint_of_which_a_part_is_missing_does_not_count() {
        let config = load("preset = \"tiny\"", "tiny", &[]).expect("it is right");
        let geometry = Geometry::new(&config).expect("it works");
        let checkpoint = |number| Checkpoint {
            number,
            map: Packed::none(8, 8),
            sequence: 0,
            open: Vec::new(),
            erased: Vec::new(),
            blocks: vec![BlockId::new(number as u32)],
            parts: (2, 2),
        };
        let mut area = Area::default();
        let mut put = |half: usize, parts: usize| {
            for record in std::iter::repeat_n(Record::Part, parts) {
                area.carry_out(&Note { half, record });
            }
            let record = Record::Anchor(Arc::new(checkpoint(1 + half as u64)));
            area.carry_out(&Note { half, record });
            area.newest(&geometry).map(|found| found.checkpoint.number)
        };
        assert_eq!(put(0, 1), None);
        assert_eq!(put(0, 1), Some(1));
        assert_eq!(put(1, 1), Some(1));
        assert_eq!(put(1, 1), Some(2));
    }
}
