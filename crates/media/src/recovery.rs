//! What a drive finds in its image as it restarts: a scan of all out-of-band areas.

use crate::coding::Coding;
use crate::image::{Entry, Trim};
use crate::oob::Oob;
use crate::scramble::mix;
use crate::slab::{Kept, Slabs};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use wordline_sim::Error;
use wordline_sim::drive::DriveState;
use wordline_sim::flash::{Area, FIRST, Holds, Image, Mark};
use wordline_sim::ids::{BlockId, ById, Id, Lpn, Packed, Unit};
use wordline_sim::nand::{Group, Span, WordLines};

/// How a scan reads, and what it draws.
pub struct Scan<'a> {
    pub slabs: &'a mut Slabs,
    pub coding: &'a mut Coding,
    /// Share of the pages over which power failed that is torn.
    pub torn_share: f64,
    pub seed: u64,
}

/// What a restart finds.
///
/// # Errors
/// A failure of the system.
pub fn scan(mut by: Scan<'_>, state: &DriveState) -> Result<Image, Error> {
    let geometry = &state.geometry;
    let mut found = Found {
        held: Holds {
            marks: ById::filled(None, geometry.units()),
            lines: WordLines::new(geometry),
            erases: ById::filled(0, geometry.blocks().count()),
            area: Area::default(),
        },
        damaged: Vec::new(),
        open: Vec::new(),
    };
    for block in geometry.blocks() {
        found.take(&mut by, state, block);
    }
    let image = by.slabs.image_mut();
    let (trims, failed) = match image {
        Some(image) => (image.trims()?, image.failed().map(str::to_owned)),
        None => (Vec::new(), None),
    };
    if let Some(failed) = failed {
        return Err(Error::Infeasible { what: failed, help: "mend the disk".into() });
    }
    let newest =
        |marks: &ById<Unit, Option<Mark>>| marks.iter().flatten().map(|it| it.sequence).max();
    let written = newest(&found.held.marks).unwrap_or(0);
    let written = trims.iter().map(|trim| trim.written).fold(written, u64::max);
    if trims.is_empty() || !outlived(&found.held.marks, &trims) {
        by.slabs.image_mut().iter_mut().for_each(|image| image.forget_trims());
    }
    Ok(found.image(state, &trims, written))
}

/// What the scan has found so far.
struct Found {
    held: Holds,
    damaged: Vec<BlockId>,
    open: Vec<BlockId>,
}

impl Found {
    /// Takes up what a block holds.
    fn take(&mut self, by: &mut Scan<'_>, state: &DriveState, block: BlockId) {
        let group = state.geometry.of(block);
        let Some(entry) = by.slabs.image_mut().map(|image| image.entry(block)) else { return };
        self.held.erases[block] = entry.erases;
        if !entry.is_used && !entry.is_erasing {
            return;
        }
        self.held.lines.fill(block, group.pages_per_block);
        let mut draws = mix(by.seed ^ u64::from(block.number()) << 32 ^ u64::from(entry.erases));
        for place in 0..group.units_per_block {
            let oob = oob_of(by.slabs, by.coding, block, place);
            draws = mix(draws.wrapping_add(1));
            let is_torn = at_risk(entry, group, block)
                .is_some_and(|risk| group.units_of(risk).contains(&place))
                && (draws >> 11) as f64 / (1_u64 << 53) as f64 <= by.torn_share;
            let Some(oob) = oob.filter(|oob| !is_torn && oob.lpn < state.map.count()) else {
                continue;
            };
            let kept = match oob.second {
                Some(_) => Kept::Second,
                None if oob.is_zero => Kept::Bare,
                None => Kept::Data,
            };
            by.slabs.note(block, group.units_per_block, place, kept);
            let unit = state.geometry.first_unit(block).plus(place);
            let mark = Mark { lpn: Lpn(oob.lpn), version: FIRST, sequence: oob.sequence };
            self.held.marks[unit] = Some(mark);
        }
        if at_risk(entry, group, block).is_some() {
            self.damaged.push(block);
        } else if !entry.is_full {
            self.open.push(block);
        }
    }

    /// What the drive takes up.
    fn image(self, state: &DriveState, trims: &[Trim], written: u64) -> Image {
        let Self { held, damaged, open } = self;
        let trimmed = last(trims);
        // Numbers of what was written begin with 1.
        let mut newest: ById<Lpn, (u64, Unit)> = ById::filled((0, Unit::NONE), state.map.count());
        for (unit, mark) in held.marks.iter_with_ids() {
            let Some(mark) = mark else { continue };
            let is_dead = trimmed.get(&mark.lpn.number()).is_some_and(|&at| mark.sequence <= at);
            if !is_dead && newest[mark.lpn].0 < mark.sequence {
                newest[mark.lpn] = (mark.sequence, unit);
            }
        }
        let is_damaged = |unit: Unit| damaged.binary_search(&state.geometry.locate(unit).0).is_ok();
        let mut needed = BTreeSet::new();
        for (unit, mark) in held.marks.iter_with_ids() {
            let newest = mark.and_then(|mark| newest[mark.lpn].1.known());
            if let Some(other) = newest
                && other != unit
                && is_damaged(other)
            {
                needed.insert(state.geometry.locate(unit).0);
            }
        }
        let mut map = Packed::none(newest.count(), state.geometry.units());
        newest.iter_with_ids().for_each(|(lpn, &(_, unit))| map.set(lpn, unit));
        let versions = ById::filled(FIRST, state.logical_units);
        Image { held, map, versions, damaged, open, needed, checkpoint: None, written }
    }
}

/// The pages of a block over which power failed, if it did.
fn at_risk(entry: Entry, group: &Group, block: BlockId) -> Option<Span> {
    let (page, pages) = entry.programming;
    if entry.is_erasing {
        return Some(Span { block, page: 0, pages: group.pages_per_block });
    }
    (pages > 0).then(|| group.word_lines_of(Span { block, page, pages }))
}

/// The out-of-band area of a unit that takes room, as it was programmed.
pub fn oob_of(slabs: &mut Slabs, coding: &mut Coding, block: BlockId, place: u32) -> Option<Oob> {
    let from = coding.oob_at();
    let mut cells = vec![0; coding.stored_bytes()];
    slabs.read(block, place, from, &mut cells[from..]).then_some(())?;
    Oob::from_bytes(&coding.decode_oob(&mut cells)?)
}

/// The last trim of each logical unit: how many units had been written by then.
fn last(trims: &[Trim]) -> FxHashMap<u64, u64> {
    let mut last = FxHashMap::default();
    for trim in trims {
        let at: &mut u64 = last.entry(trim.lpn).or_default();
        *at = trim.written.max(*at);
    }
    last
}

/// Whether data is still there that was trimmed.
fn outlived(marks: &ById<Unit, Option<Mark>>, trims: &[Trim]) -> bool {
    let last = last(trims);
    let is_dead = |mark: &Mark| last.get(&mark.lpn.number()).is_some_and(|&at| mark.sequence <= at);
    marks.iter().flatten().any(is_dead)
}
