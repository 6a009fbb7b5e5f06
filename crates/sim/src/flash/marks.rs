//! What the out-of-band areas of the flash hold: to which logical unit the data of each unit belongs, and
//! how late it was written. From that alone the map can be built again.

use crate::util::NONE;

/// The mark of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The logical unit.
    pub lpn: u32,
    /// Units written before it.
    pub sequence: u64,
}

const EMPTY: Mark = Mark { lpn: NONE, sequence: 0 };

/// The marks of a drive.
#[derive(Debug, Clone)]
pub struct Marks {
    /// Of units whose program has not been issued.
    staged: Vec<Mark>,
    /// Of units that were programmed.
    programmed: Vec<Mark>,
    written: u64,
}

impl Marks {
    /// Those of erased flash.
    pub fn new(units: u32) -> Self {
        let empty = vec![EMPTY; units as usize];
        Self { staged: empty.clone(), programmed: empty, written: 0 }
    }

    /// A unit of data is on its way to a place.
    pub(super) fn stage(&mut self, unit: u32, lpn: u32) {
        self.written += 1;
        self.staged[unit as usize] = Mark { lpn, sequence: self.written };
    }

    /// A unit is programmed: with what was staged for it; a program that pads leaves it empty, one in
    /// place that keeps its data as it is.
    pub(super) fn program(&mut self, unit: u32) {
        let staged = std::mem::replace(&mut self.staged[unit as usize], EMPTY);
        if staged != EMPTY {
            self.programmed[unit as usize] = staged;
        }
    }

    /// A unit is erased.
    pub(super) fn erase(&mut self, unit: u32) {
        self.programmed[unit as usize] = EMPTY;
    }

    /// The mark of a unit that was programmed.
    pub fn of(&self, unit: u32) -> Option<Mark> {
        Some(self.programmed[unit as usize]).filter(|&mark| mark != EMPTY)
    }

    /// The map of `logical_units` units as the flash tells it: of each the unit that was written last,
    /// `NONE` for those of which there is none.
    pub fn map(&self, logical_units: u32) -> Vec<u32> {
        let mut newest = vec![(0, NONE); logical_units as usize];
        for (mark, unit) in self.programmed.iter().zip(0..).filter(|(mark, _)| **mark != EMPTY) {
            let entry = &mut newest[mark.lpn as usize];
            *entry = (*entry).max((mark.sequence, unit));
        }
        newest.into_iter().map(|(_, unit)| unit).collect()
    }
}
