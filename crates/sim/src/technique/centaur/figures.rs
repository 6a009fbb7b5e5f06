//! What Centaur reports.

use super::{Centaur, Kind};
use crate::drive::DriveState;
use serde_json::{Map, Value, json};

/// Counts of a run.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Parts by the kind of flash that the dispatcher chose.
    pub dispatched: [u64; 2],
    /// Their bytes.
    pub dispatched_bytes: [u64; 2],
    /// Units that the host read, by the kind of flash that held them.
    pub read: [u64; 2],
    /// Of those for the 3D flash, parts that the 2D flash took over.
    pub stolen: u64,
    /// Parts that found their kind of flash full.
    pub sent_on: u64,
    /// Bytes that the host wrote.
    pub written_bytes: u64,
    /// Units that left the 2D flash.
    migrated: u64,
    /// Units read and written along with others that do not fill their programs.
    merged: u64,
    /// Units written to the 2D flash.
    pub units_2d: u64,
    /// Programs of the 3D flash.
    programs_3d: u64,
}

impl Figures {
    /// A unit was written to the 3D flash; the first of a program, or one that GC moves there from the 2D flash.
    pub fn written_3d(&mut self, migrates: bool, is_first: bool) {
        self.programs_3d += u64::from(is_first);
        self.migrated += u64::from(migrates);
    }

    /// A unit is written along with others of its range; `migrates` where these leave the 2D flash.
    pub fn goes_along(&mut self, from: Kind, migrates: bool) {
        match migrates && from == Kind::TwoD {
            true => self.migrated += 1,
            false => self.merged += 1,
        }
    }

    /// The figures by name. What there is no flash for, is left out.
    pub fn report(&self, of: &Centaur, state: &DriveState) -> Map<String, Value> {
        let unit_bytes = state.geometry.unit_bytes;
        let program_bytes = u64::from(of.range_units) * unit_bytes;
        // Another technique may program less than a whole program at a time, and count for itself.
        let programs_3d = (!of.mixes || of.merges).then_some(self.programs_3d);
        let programmed_bytes =
            programs_3d.map(|programs| self.units_2d * unit_bytes + programs * program_bytes);
        let amplification = programmed_bytes
            .filter(|_| self.written_bytes > 0)
            .map(|bytes| bytes as f64 / self.written_bytes as f64);
        let spent = |kind: Kind| of.groups[kind as usize].map(|_| of.wear[kind as usize].spent());
        let (two, three) = (spent(Kind::TwoD), spent(Kind::ThreeD));
        let figures = [
            ("criterion_bytes", json!(of.criterion.bytes)),
            ("dispatched_2d_parts", json!(self.dispatched[Kind::TwoD as usize])),
            ("dispatched_3d_parts", json!(self.dispatched[Kind::ThreeD as usize])),
            ("dispatched_2d_bytes", json!(self.dispatched_bytes[Kind::TwoD as usize])),
            ("dispatched_3d_bytes", json!(self.dispatched_bytes[Kind::ThreeD as usize])),
            ("read_2d_units", json!(self.read[Kind::TwoD as usize])),
            ("read_3d_units", json!(self.read[Kind::ThreeD as usize])),
            ("stolen_parts", json!(self.stolen)),
            ("sent_on_parts", json!(self.sent_on)),
            ("migrated_units", json!(self.migrated)),
            ("merged_units", json!(self.merged)),
            ("programs_3d", json!(programs_3d)),
            ("programmed_bytes", json!(programmed_bytes)),
            ("written_bytes", json!(self.written_bytes)),
            ("write_amplification", json!(amplification)),
            ("spent_lifetime_2d", json!(two)),
            ("spent_lifetime_3d", json!(three)),
            ("spent_lifetime", json!(two.unwrap_or(0.0).max(three.unwrap_or(0.0)))),
        ];
        figures.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }
}
