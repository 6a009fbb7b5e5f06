//! The flash as it stood at a moment, and where each logical unit then was.

use crate::drive::DriveState;
use crate::flash::{Area, Holds, Mark, OpKind, Recorded};
use crate::ids::{BlockId, ById, Lpn, Unit};
use crate::nand::{Geometry, Span};
use std::collections::BTreeSet;

/// What the flash holds, and the units of each logical unit.
#[derive(Debug)]
pub struct Surface {
    held: Holds,
    units: ById<Lpn, Vec<Unit>>,
    /// Blocks that read as erased and are not: what is programmed there cannot be read.
    blank: BTreeSet<BlockId>,
}

impl Surface {
    /// As the run began.
    pub fn new(start: &Holds, mapped: u64) -> Self {
        let mut units = ById::filled(Vec::new(), mapped);
        for (unit, mark) in start.marks.iter_with_ids() {
            if let Some(mark) = mark {
                units[mark.lpn].push(unit);
            }
        }
        Self { held: start.clone(), units, blank: BTreeSet::new() }
    }

    /// Blocks read as erased over which power failed.
    pub fn distrust(&mut self, blank: &BTreeSet<BlockId>) {
        self.blank.clone_from(blank);
    }

    /// True for a block of which what is programmed there can be read.
    pub fn can_hold(&self, block: BlockId) -> bool {
        !self.blank.contains(&block)
    }

    /// What the flash holds.
    pub fn held(&self) -> &Holds {
        &self.held
    }

    /// What the area for metadata holds.
    pub fn area(&self) -> &Area {
        &self.held.area
    }

    /// The mark of a unit.
    pub fn mark(&self, unit: Unit) -> Option<Mark> {
        self.held.marks[unit]
    }

    /// All units that hold data.
    pub fn all(&self) -> impl Iterator<Item = (Unit, Mark)> {
        self.held.marks.iter_with_ids().filter_map(|(unit, mark)| mark.map(|mark| (unit, mark)))
    }

    /// The units that hold a logical unit, in whatever version.
    pub fn units_of(&self, lpn: Lpn) -> impl Iterator<Item = (Unit, Mark)> {
        self.units[lpn].iter().filter_map(|&unit| self.held.marks[unit].map(|mark| (unit, mark)))
    }

    fn put(&mut self, unit: Unit, mark: Mark) -> Option<Mark> {
        let before = self.take(unit);
        self.held.marks[unit] = Some(mark);
        self.units[mark.lpn].push(unit);
        before
    }

    fn take(&mut self, unit: Unit) -> Option<Mark> {
        let mark = self.held.marks[unit].take()?;
        self.units[mark.lpn].retain(|&other| other != unit);
        Some(mark)
    }

    /// A command is over. Returns the logical units of which a unit is gone.
    pub fn carry_out(&mut self, state: &DriveState, command: &Recorded) -> Vec<Lpn> {
        let mut gone = Vec::new();
        if let Some(note) = &command.metadata {
            self.held.area.carry_out(note);
        }
        for done in &command.done {
            self.held.lines.apply(&state.ops, done.row, done.span);
        }
        match command.deed {
            OpKind::Program => {
                for &(unit, mark) in &command.written {
                    gone.extend(self.mark(unit).map(|mark| mark.lpn));
                    match self.can_hold(state.geometry.locate(unit).0) {
                        true => self.put(unit, mark),
                        false => self.take(unit),
                    };
                }
            }
            OpKind::Erase => {
                for done in &command.done {
                    self.held.erases[done.span.block] += 1;
                    self.blank.remove(&done.span.block);
                    for unit in units_of(&state.geometry, done.span) {
                        gone.extend(self.take(unit).map(|mark| mark.lpn));
                    }
                }
            }
        }
        gone
    }
}

/// The units of pages.
pub fn units_of(geometry: &Geometry, span: Span) -> impl Iterator<Item = Unit> {
    let first = geometry.first_unit(span.block);
    geometry.of(span.block).units_of(span).map(move |place| first.plus(place))
}
