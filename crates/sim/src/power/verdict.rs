//! What a restart finds, and what of it is missing that had been promised.

use super::course::Course;
use super::damage::Damage;
use super::oracle::Oracle;
use super::recovery::{self, Found};
use crate::flash::{Deed, Found as Checkpointed, Image, Mark};
use crate::ids::{BlockId, ById, Id, Lpn, Unit};

/// The numbers of logical units of a drive.
#[derive(Debug, Clone, Copy)]
pub struct Numbers {
    /// Those of the host.
    pub logical: u32,
    /// With the pages of the map and those that tell of trims.
    pub mapped: u32,
    /// The first page that tells of trims, and of how many logical units each does.
    pub trim_pages: (Lpn, u32),
}

/// What is said of a cut.
#[derive(Debug, Clone, Copy)]
pub struct Verdict<'a> {
    course: &'a Course<'a>,
    oracle: &'a Oracle,
    numbers: Numbers,
}

impl<'a> Verdict<'a> {
    /// Of a cut of the flash as it stands, by what was promised.
    pub fn new(course: &'a Course<'a>, oracle: &'a Oracle, numbers: Numbers) -> Self {
        Self { course, oracle, numbers }
    }

    /// The logical units that a cut takes, of those that it concerns, and what is found of each. Where nothing
    /// is damaged those of `changed` may make a difference.
    pub fn lost_among(&self, damage: &Damage, changed: &[Lpn]) -> Vec<(Lpn, u32)> {
        let concerned = damage.concerned.iter().chain(changed);
        let checkpoint = self.checkpoint(damage);
        let checkpoint = checkpoint.as_ref();
        let mut lost = Vec::new();
        for &lpn in concerned {
            match lpn.number().checked_sub(self.numbers.trim_pages.0.number()) {
                Some(page) => {
                    let told = self.told_by(page);
                    lost.extend(told.filter_map(|lpn| self.missing(damage, checkpoint, lpn)));
                }
                None if lpn.number() < self.numbers.logical => {
                    lost.extend(self.missing(damage, checkpoint, lpn));
                }
                None => {}
            }
        }
        lost
    }

    /// Logical units that were ever trimmed, of those of which a page tells.
    fn told_by(&self, page: u32) -> impl Iterator<Item = Lpn> + '_ {
        let per_page = self.numbers.trim_pages.1;
        let end = ((page + 1) * per_page).min(self.numbers.logical);
        (page * per_page..end).map(Lpn::new).filter(|&lpn| !self.oracle.trims(lpn).is_empty())
    }

    /// What a restart finds of a logical unit of which too little is there; `None`: all is well.
    fn missing(
        &self,
        damage: &Damage,
        checkpoint: Option<&Checkpointed>,
        lpn: Lpn,
    ) -> Option<(Lpn, u32)> {
        let newest = |lpn| {
            let readable = damage.readable_of(&self.course.surface, lpn);
            recovery::newest(readable.filter_map(|it| self.seen(checkpoint, it)))
        };
        let found = self.resolve(lpn, newest);
        let version = found.map_or(0, |found| found.version);
        (version < self.oracle.promised(lpn)).then_some((lpn, version))
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
        let page = first.plus(lpn.number() / per_page);
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

    /// The same for every logical unit, by a scan of the whole flash.
    pub fn lost_by_scan(&self, damage: &Damage) -> Vec<(Lpn, u32)> {
        let found = self.found(damage);
        let version = |lpn: Lpn| found[lpn].map_or(0, |found| found.version);
        let all = (0..self.numbers.logical).map(Lpn::new).map(|lpn| (lpn, version(lpn)));
        all.filter(|&(lpn, found)| found < self.oracle.promised(lpn)).collect()
    }

    /// What a restart finds of every logical unit: by the newest checkpoint and what was programmed since, or by a
    /// scan of the whole flash.
    pub fn found(&self, damage: &Damage) -> ById<Lpn, Option<Found>> {
        self.found_by(damage, self.checkpoint(damage).as_ref())
    }

    /// The first logical unit of which a checkpoint makes something else than a scan of the whole flash would, and
    /// both versions.
    pub fn differs(&self, damage: &Damage) -> Option<(Lpn, u32, u32)> {
        let checkpoint = self.checkpoint(damage)?;
        let (quick, whole) =
            (self.found_by(damage, Some(&checkpoint)), self.found_by(damage, None));
        let version = |found: Option<Found>| found.map_or(0, |found| found.version);
        let all = (0..self.numbers.logical).map(Lpn::new);
        all.map(|lpn| (lpn, version(quick[lpn]), version(whole[lpn]))).find(|(_, a, b)| a != b)
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
        for command in self.course.interrupted() {
            let sequences = command.written.iter().map(|(_, mark)| mark.sequence);
            written = sequences.fold(written, u64::max);
            for done in &command.done {
                // A block that reads as erased does so whatever was stopped there.
                let is_blank = damage.blank.contains(&done.span.block);
                if (command.deed == Deed::Erase) == is_blank {
                    held.lines.apply(&state.ops, done.row, done.span);
                }
            }
        }
        let mut readable = damage.readable(surface);
        assert!(
            readable.all(|(_, mark)| mark.sequence <= written),
            "what comes after a restart is newer than all that it can read"
        );
        let map: ById<Lpn, Unit> =
            found.iter().map(|it| it.map_or(Unit::NONE, |found| found.unit)).collect();
        let block_of = |unit: Unit| state.geometry.locate(unit).0;
        let is_damaged = |unit: Unit| unit.is_some() && damage.blocks.contains(&block_of(unit));
        let stands_there = |&(_, mark): &(Unit, Mark)| is_damaged(map[mark.lpn]);
        let copies = damage.readable(surface).filter(stands_there);
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
