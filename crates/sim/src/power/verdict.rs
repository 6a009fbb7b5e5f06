//! What a restart finds, and what of it is missing that had been promised.

use super::damage::Damage;
use super::promises::Oracle;
use super::recovery::{self, Found};
use super::saved::Saved;
use super::timeline::Course;
use crate::error::Error;
use crate::flash::{Found as Checkpointed, Image, Mark, OpKind};
use crate::ids::{BlockId, ById, Id, Lpn, Packed, Unit};

/// The numbers of logical units of a drive.
#[derive(Debug, Clone, Copy)]
pub struct Numbers {
    /// Those of the host.
    pub logical: u64,
    /// With the pages of the map and those that tell of trims.
    pub mapped: u64,
    /// The first page that tells of trims, and of how many logical units each does.
    pub trim_pages: (Lpn, u32),
    /// Bytes of a unit.
    pub unit_bytes: u64,
}

/// What is said of a cut.
#[derive(Debug, Clone, Copy)]
pub struct Verdict<'a> {
    course: &'a Course<'a>,
    oracle: &'a Oracle,
    numbers: Numbers,
    /// What was saved out of the controller's memory.
    saved: Option<&'a Saved>,
}

impl<'a> Verdict<'a> {
    /// Of a cut of the flash as it stands, by what was promised.
    pub fn new(course: &'a Course<'a>, oracle: &'a Oracle, numbers: Numbers) -> Self {
        Self { course, oracle, numbers, saved: None }
    }

    /// A verdict on flash out of whose controller's memory so much was saved.
    pub fn with(self, saved: &'a Saved) -> Self {
        Self { saved: Some(saved), ..self }
    }

    /// The logical units of which a cut leaves less than the `least` version, of those that it concerns, and what is
    /// found of each. Where nothing is damaged those of `changed` may make a difference.
    pub fn lost_among(
        &self,
        damage: &Damage,
        changed: impl Iterator<Item = Lpn>,
        least: impl Fn(Lpn) -> u32,
    ) -> Vec<(Lpn, u32)> {
        let checkpoint = self.checkpoint(damage);
        let checkpoint = checkpoint.as_ref();
        let concerned = damage.concerned.iter().copied().chain(changed);
        let units = concerned.flat_map(|lpn| self.host_units(lpn));
        let found = units.map(|lpn| (lpn, self.found_of(damage, checkpoint, lpn)));
        found.filter(|&(lpn, found)| found < least(lpn)).collect()
    }

    /// The host's logical units for which one makes a difference: itself, or those of whose trims it tells.
    pub fn host_units(&self, lpn: Lpn) -> Vec<Lpn> {
        match lpn.number().checked_sub(self.numbers.trim_pages.0.number()) {
            Some(page) => self.told_by(page).collect(),
            None if lpn.number() < self.numbers.logical => vec![lpn],
            None => Vec::new(),
        }
    }

    /// The version of a logical unit that damaged flash holds, by a scan of all of it.
    pub fn version_of(&self, damage: &Damage, lpn: Lpn) -> u32 {
        Verdict { saved: None, ..*self }.found_of(damage, None, lpn)
    }

    /// Logical units that were ever trimmed, of those of which a page tells.
    fn told_by(&self, page: u64) -> impl Iterator<Item = Lpn> + '_ {
        let per_page = self.numbers.trim_pages.1;
        let per_page = u64::from(per_page);
        let end = ((page + 1) * per_page).min(self.numbers.logical);
        (page * per_page..end).map(Lpn::new).filter(|&lpn| !self.oracle.trims(lpn).is_empty())
    }

    /// The version that a restart finds of a logical unit.
    fn found_of(&self, damage: &Damage, checkpoint: Option<&Checkpointed>, lpn: Lpn) -> u32 {
        let newest = |lpn| {
            let readable = damage.readable_of(&self.course.surface, lpn);
            recovery::newest(readable.filter_map(|it| self.seen(checkpoint, it)))
        };
        self.with_saved(lpn, self.resolve(lpn, newest))
    }

    /// The version of what was found on the flash, or of what was saved besides if that is newer.
    fn with_saved(&self, lpn: Lpn, found: Option<Found>) -> u32 {
        let saved = self.saved.and_then(|saved| saved.get(&lpn)).copied();
        found.map_or(0, |found| found.version).max(saved.unwrap_or(0))
    }

    fn resolve(&self, lpn: Lpn, newest: impl Fn(Lpn) -> Option<(Unit, Mark)>) -> Option<Found> {
        let trims = self.oracle.trims(lpn);
        let page = self.trim_page(lpn).filter(|_| !trims.is_empty());
        let page = page.and_then(&newest).map(|(_, mark)| mark);
        recovery::resolve(newest(lpn), page, trims)
    }

    /// The page that tells when a logical unit was trimmed.
    fn trim_page(&self, lpn: Lpn) -> Option<Lpn> {
        let (first, per_page) = self.numbers.trim_pages;
        let page = Lpn(first.0 + lpn.range(per_page));
        (page.number() < self.numbers.mapped).then_some(page)
    }

    /// The newest whole checkpoint that a cut leaves.
    fn checkpoint(&self, damage: &Damage) -> Option<Checkpointed> {
        damage.area(&self.course.surface).newest(&self.course.state().geometry)
    }

    /// What a restart knows of a unit that can be read.
    fn seen(&self, checkpoint: Option<&Checkpointed>, it: (Unit, Mark)) -> Option<(Unit, Mark)> {
        match checkpoint {
            None => Some(it),
            Some(checkpoint) => checkpoint.sees(&self.course.state().geometry, it),
        }
    }

    /// All logical units of which a cut leaves less than the `least` version, by a scan of the whole flash.
    pub fn lost_by_scan(&self, damage: &Damage, least: impl Fn(Lpn) -> u32) -> Vec<(Lpn, u32)> {
        let found = self.found(damage);
        let all = (0..self.numbers.logical).map(Lpn::new);
        let all = all.map(|lpn| (lpn, self.with_saved(lpn, found[lpn])));
        all.filter(|&(lpn, found)| found < least(lpn)).collect()
    }

    /// What a restart finds of every logical unit: by the newest checkpoint and what was programmed since, or by a
    /// scan of the whole flash.
    pub fn found(&self, damage: &Damage) -> ById<Lpn, Option<Found>> {
        self.found_by(damage, self.checkpoint(damage).as_ref())
    }

    /// The first logical unit of which a checkpoint makes something else than a scan of the whole flash would, and
    /// both versions.
    fn differs(&self, damage: &Damage) -> Option<(Lpn, u32, u32)> {
        let checkpoint = self.checkpoint(damage)?;
        let (quick, whole) =
            (self.found_by(damage, Some(&checkpoint)), self.found_by(damage, None));
        let version = |found: Option<Found>| found.map_or(0, |found| found.version);
        let all = (0..self.numbers.logical).map(Lpn::new);
        all.map(|lpn| (lpn, version(quick[lpn]), version(whole[lpn]))).find(|(_, a, b)| a != b)
    }

    /// Makes sure that the newest checkpoint leads to what a scan of the whole flash finds.
    ///
    /// # Errors
    /// One that does not.
    pub fn check_checkpoint(&self, damage: &Damage) -> Result<(), Error> {
        self.differs(damage).map_or(Ok(()), |(lpn, quick, whole)| {
            Err(Error::Invariant(format!(
                "a checkpoint leads to version {quick} of logical unit {lpn}, and a scan of the whole flash to version {whole}"
            )))
        })
    }

    fn found_by(
        &self,
        damage: &Damage,
        checkpoint: Option<&Checkpointed>,
    ) -> ById<Lpn, Option<Found>> {
        let readable = damage.readable(&self.course.surface);
        let seen = readable.filter_map(|it| self.seen(checkpoint, it));
        let scanned = recovery::scan(seen, self.numbers.mapped);
        let of = |lpn: Lpn| match lpn.number() < self.numbers.logical {
            true => self.resolve(lpn, |lpn| scanned[lpn]),
            false => scanned[lpn].map(|(unit, mark)| Found { unit, version: mark.version }),
        };
        (0..self.numbers.mapped).map(Lpn::new).map(of).collect()
    }

    /// What a restart makes of the flash after a cut.
    pub fn image(&self, damage: &Damage) -> Image {
        let (state, surface) = (self.course.state(), &self.course.surface);
        let found = self.found(damage);
        let mut held = surface.held().clone();
        held.marks = ById::filled(None, held.marks.count());
        held.area.clone_from(damage.area(surface));
        for (unit, mark) in damage.readable(surface) {
            held.marks[unit] = Some(mark);
        }
        let mut written = 0;
        let all = surface.all().map(|(_, mark)| mark);
        written = all.map(|mark| mark.sequence).fold(written, u64::max);
        for (number, command) in self.course.interrupted() {
            let is_finished = damage.finished.contains(&number);
            let sequences = command.written.iter().map(|(_, mark)| mark.sequence);
            written = sequences.fold(written, u64::max);
            for done in &command.done {
                // A block that reads as erased does so whatever was stopped there.
                let is_blank = damage.blank.contains(&done.span.block);
                if is_finished || (command.deed == OpKind::Erase) == is_blank {
                    held.lines.apply(&state.ops, done.row, done.span);
                }
                held.erases[done.span.block] +=
                    u32::from(is_finished && command.deed == OpKind::Erase);
            }
        }
        let mut readable = damage.readable(surface);
        assert!(
            readable.all(|(_, mark)| mark.sequence <= written),
            "what comes after a restart is newer than all that it can read"
        );
        let mut map = Packed::none(found.count(), state.geometry.units());
        for (lpn, found) in found.iter_with_ids() {
            map.set(lpn, found.map_or(Unit::NONE, |found| found.unit));
        }
        let block_of = |unit: Unit| state.geometry.locate(unit).0;
        let is_damaged = |unit: Unit| unit.is_some() && damage.blocks.contains(&block_of(unit));
        // Where a unit's data stands or, if it is trimmed, the page that tells so.
        let source = |lpn: Lpn| match map.at(lpn) {
            Unit::NONE => self.trim_page(lpn).map_or(Unit::NONE, |page| map.at(page)),
            unit => unit,
        };
        let rests_on_damaged = |&(_, mark): &(Unit, Mark)| is_damaged(source(mark.lpn));
        let copies = damage.readable(surface).filter(rests_on_damaged);
        let needed = copies.map(|(unit, _)| block_of(unit)).collect();
        let is_open =
            |block: &BlockId| !held.lines.is_even(*block) && !damage.blocks.contains(block);
        Image {
            damaged: damage.blocks.iter().copied().collect(),
            open: state.geometry.blocks().iter().filter(is_open).collect(),
            map,
            needed,
            versions: found.iter().map(|it| it.map_or(0, |found| found.version)).collect(),
            held,
            checkpoint: self.checkpoint(damage),
            written,
        }
    }
}
