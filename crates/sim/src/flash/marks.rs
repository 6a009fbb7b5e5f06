//! What the out-of-band areas of the flash hold: to which logical unit the data of each unit belongs, and
//! how late it was written. From that alone the map can be built again.

use crate::ids::{ById, Lpn, Unit};

/// The mark of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The logical unit.
    pub lpn: Lpn,
    /// The host's version of its data, where these are counted.
    pub version: u32,
    /// Units written before it.
    pub sequence: u64,
}

const EMPTY: Mark = Mark { lpn: Lpn::NONE, version: 0, sequence: 0 };

/// The marks of a drive.
#[derive(Debug, Clone)]
pub struct Marks {
    /// Of units whose program has not been issued.
    staged: ById<Unit, Mark>,
    /// Of units that were programmed.
    programmed: ById<Unit, Mark>,
    written: u64,
}

impl Marks {
    /// Those of erased flash.
    pub fn new(units: u64) -> Self {
        let empty = ById::filled(EMPTY, units);
        Self { staged: empty.clone(), programmed: empty, written: 0 }
    }

    /// Those that a restart finds, `written` being the number of the unit that was written last.
    pub(super) fn found(marks: &ById<Unit, Option<Mark>>, written: u64) -> Self {
        let programmed = marks.iter().map(|mark| mark.unwrap_or(EMPTY)).collect();
        Self { staged: ById::filled(EMPTY, marks.count()), programmed, written }
    }

    /// A unit of data is on its way to a place.
    pub(super) fn stage(&mut self, unit: Unit, lpn: Lpn, version: u32) {
        self.written += 1;
        self.staged[unit] = Mark { lpn, version, sequence: self.written };
    }

    /// What a unit holds is copied to a place, as it is.
    pub(super) fn stage_copy(&mut self, unit: Unit, of: Unit) {
        self.staged[unit] = self.programmed[of];
    }

    /// The number of the unit that was written last.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// A unit is programmed: with what was staged for it; a program that pads leaves it empty, one in
    /// place that keeps its data as it is.
    /// Returns the mark of new data.
    pub(super) fn program(&mut self, unit: Unit) -> Option<Mark> {
        let staged = std::mem::replace(&mut self.staged[unit], EMPTY);
        if staged == EMPTY {
            return None;
        }
        self.programmed[unit] = staged;
        Some(staged)
    }

    /// A unit is erased.
    pub(super) fn erase(&mut self, unit: Unit) {
        self.programmed[unit] = EMPTY;
    }

    /// The marks of all units.
    pub(super) fn all(&self) -> ById<Unit, Option<Mark>> {
        let known = |&mark: &Mark| (mark != EMPTY).then_some(mark);
        self.programmed.iter().map(known).collect()
    }

    /// The mark of a unit that was programmed.
    pub fn of(&self, unit: Unit) -> Option<Mark> {
        Some(self.programmed[unit]).filter(|&mark| mark != EMPTY)
    }

    /// The map of `logical_units` units as the flash tells it: of each the unit that was written last,
    /// `NONE` for those of which there is none.
    pub fn map(&self, logical_units: u64) -> ById<Lpn, Unit> {
        let mut newest = ById::filled((0, Unit::NONE), logical_units);
        for (unit, mark) in self.programmed.iter_with_ids().filter(|(_, mark)| **mark != EMPTY) {
            let entry = &mut newest[mark.lpn];
            *entry = (*entry).max((mark.sequence, unit));
        }
        newest.iter().map(|&(_, unit)| unit).collect()
    }
}
