//! Power fails while a drive does what was recorded: again and again, at any moment of it, and each time the drive
//! restarts from what its flash then holds.
//!
//! The recording is carried out once, on a drive whose image notes what it is asked to do, write by write. A cut is
//! the image as it was after any number of these, the last one torn at a border of 512 bytes.

use crate::drive::Drive;
use crate::locked::{Fault, Logs};
use crate::pace::Pace;
use crate::promise::Promise;
use crate::recording::{Asked, Deed, Recording};
use serde::Serialize;
use wordline_media::{Change, Home, Memory};
use wordline_sim::config::Config;
use wordline_sim::{Error, Progress, Watch};

/// Which cuts are made.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How many.
    pub cuts: u64,
    /// All of them after so many recorded changes, such as those that make a file system.
    pub after: u64,
    /// Seed of their moments.
    pub seed: u64,
}

/// A drive that has come back.
#[derive(Debug)]
pub struct Cut<'a> {
    /// The number of the cut.
    pub number: u64,
    /// What it now holds, as far as the recorded drive went.
    pub bytes: &'a [u8],
}

/// Something that is wrong after a cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedLoss {
    /// The number of the cut.
    pub cut: u64,
    /// Changes that were over by then.
    pub changes: u64,
    /// Units that hold neither what was flushed last nor anything newer.
    pub units: u64,
    /// The first of them; `null`: there is none.
    pub first_unit: Option<u32>,
    /// What the check found; `null`: nothing.
    pub found: Option<String>,
}

/// What cuts of a recording took.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedCuts {
    /// Changes that were recorded.
    pub changes: u64,
    /// Flushes among them.
    pub flushes: u64,
    /// Writes to the flash's image, before and in the midst of each of which power may fail.
    pub moments: u64,
    /// Cuts made.
    pub cuts: u64,
    /// Cuts after which a unit held neither what was flushed last nor anything newer.
    pub losing_cuts: u64,
    /// Cuts after which the check found something.
    pub failed_checks: u64,
    /// The first cuts after which something was wrong.
    pub losses: Vec<RecordedLoss>,
}

/// Losses that are told.
const TOLD: usize = 10;
/// Bytes that are read at a time, about.
const PIECE: usize = 1 << 20;

/// Carries a recording out on the drive of a configuration, cuts power as planned, and calls `check` on each drive
/// that has come back: it says what is wrong there, if anything is.
///
/// # Errors
/// A drive that cannot be cut, is too small or does not come back; an error of `check`; `watch` said stop.
pub fn cut(
    config: &Config,
    recording: &Recording,
    plan: Plan,
    check: &mut dyn FnMut(&Cut<'_>) -> Result<Option<String>, Error>,
    watch: &mut dyn Watch,
) -> Result<RecordedCuts, Error> {
    if config.power.protection.bears_all() {
        return Err(infeasible(
            "power.protection = \"capacitor\", which no cut gets past".into(),
            "set power.protection to \"none\"",
        ));
    }
    let course = Course::new(config, recording, watch)?;
    let mut report = RecordedCuts {
        changes: recording.asked.len() as u64,
        flushes: recording.asked.iter().filter(|it| it.deed == Deed::Flush).count() as u64,
        moments: course.changes.len() as u64,
        ..RecordedCuts::default()
    };
    let mut now = Now::new(&course, recording);
    let moments = moments(course.from(plan.after)?, course.changes.len(), plan);
    for (number, &(moment, draw)) in (0..).zip(&moments) {
        let progress =
            Progress { phase: "cuts", done: number, total: Some(plan.cuts), simulated_ns: 0 };
        if watch.progress(progress).is_break() {
            return Err(Error::Stopped);
        }
        now.go_to(moment);
        let found = now.restart(config, draw, watch)?;
        let (units, first_unit) = now.missing(&found);
        let complaint =
            check(&Cut { number, bytes: &found.bytes[..recording.size_bytes as usize] })?;
        report.cuts += 1;
        report.losing_cuts += u64::from(units > 0);
        report.failed_checks += u64::from(complaint.is_some());
        if (units > 0 || complaint.is_some()) && report.losses.len() < TOLD {
            let changes = now.over as u64;
            let loss = RecordedLoss { cut: number, changes, units, first_unit, found: complaint };
            report.losses.push(loss);
        }
    }
    Ok(report)
}

/// Moments in order, each with a number as if drawn.
fn moments(from: usize, to: usize, plan: Plan) -> Vec<(usize, u64)> {
    let mut state = plan.seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    let any = |draw: u64| from + ((u128::from(draw) * (to - from + 1) as u128) >> 64) as usize;
    let mut moments: Vec<(usize, u64)> = (0..plan.cuts).map(|_| (any(next()), next())).collect();
    moments.sort_unstable();
    moments
}

/// What the image was asked to do while a recording was carried out.
struct Course {
    /// The image of the drive that nothing was asked of yet.
    start: Vec<u8>,
    changes: Vec<Change>,
    /// How many of them had been made when each recorded change was over.
    ends: Vec<usize>,
    size_bytes: u64,
    unit_bytes: u64,
}

impl Course {
    fn new(config: &Config, recording: &Recording, watch: &mut dyn Watch) -> Result<Self, Error> {
        let memory = Memory::default();
        let drive = open(config, &memory, watch)?;
        let size_bytes = drive.size_bytes();
        if size_bytes < recording.size_bytes {
            return Err(infeasible(
                format!(
                    "the recording is of a drive of {} bytes, and this one has {size_bytes}",
                    recording.size_bytes
                ),
                "choose a larger drive, or record a smaller one",
            ));
        }
        let start = memory.bytes();
        memory.record();
        let mut ends = Vec::with_capacity(recording.asked.len());
        for (number, asked) in recording.asked.iter().enumerate() {
            carry_out(&drive, asked).map_err(|fault| failed(&drive, number, fault))?;
            ends.push(memory.recorded());
        }
        let unit_bytes = drive.unit_bytes();
        Ok(Self { start, changes: memory.take_recorded(), ends, size_bytes, unit_bytes })
    }
}

impl Course {
    /// The first moment at which so many recorded changes are over.
    fn from(&self, changes: u64) -> Result<usize, Error> {
        let ends = [0].iter().chain(&self.ends);
        ends.copied().nth(usize::try_from(changes).unwrap_or(usize::MAX)).ok_or_else(|| {
            infeasible(
                format!("cuts after change {changes} of a recording of {}", self.ends.len()),
                "cut earlier",
            )
        })
    }
}

fn open(config: &Config, memory: &Memory, watch: &mut dyn Watch) -> Result<Drive, Error> {
    let home = Home::Memory(memory.clone());
    Drive::new(config, Pace::Virtual, home, Logs::default(), watch)
}

fn carry_out(drive: &Drive, asked: &Asked) -> Result<(), Fault> {
    match &asked.deed {
        Deed::Write(data) => drive.write(asked.offset, data, asked.safe),
        Deed::Trim(bytes) => drive.trim(asked.offset, *bytes, asked.safe),
        Deed::Flush => drive.flush(),
    }
}

/// Why the drive did not take a change.
fn failed(drive: &Drive, number: usize, fault: Fault) -> Error {
    match (fault, drive.finish()) {
        (Fault::Failed, Err(error)) => error,
        _ => infeasible(
            format!("change {number} of the recording failed: {fault}"),
            "choose a drive that takes it",
        ),
    }
}

/// A drive after a cut.
struct Found {
    bytes: Vec<u8>,
    /// Units that it cannot give.
    unreadable: Vec<u32>,
}

/// The image at a moment, and what the drive had promised by then.
struct Now<'a> {
    course: &'a Course,
    recording: &'a Recording,
    image: Vec<u8>,
    moment: usize,
    promise: Promise,
    /// Recorded changes that have begun, and that are over.
    begun: usize,
    over: usize,
}

impl<'a> Now<'a> {
    fn new(course: &'a Course, recording: &'a Recording) -> Self {
        let promise = Promise::new(course.size_bytes, course.unit_bytes);
        let image = course.start.clone();
        Self { course, recording, image, moment: 0, promise, begun: 0, over: 0 }
    }

    /// Time passes until so many changes have been made to the image.
    fn go_to(&mut self, moment: usize) {
        for change in &self.course.changes[self.moment..moment] {
            change.apply(&mut self.image);
        }
        self.moment = moment;
        let (asked, ends) = (&self.recording.asked, &self.course.ends);
        while self.over < asked.len() && ends[self.over] <= moment {
            self.begin_up_to(self.over + 1);
            self.promise.end(&asked[self.over]);
            self.over += 1;
        }
        self.begin_up_to((self.over + 1).min(asked.len()));
    }

    fn begin_up_to(&mut self, begun: usize) {
        while self.begun < begun {
            self.promise.ask(&self.recording.asked[self.begun]);
            self.begun += 1;
        }
    }

    /// Power fails in the midst of the next change, and the drive restarts.
    fn restart(&self, config: &Config, draw: u64, watch: &mut dyn Watch) -> Result<Found, Error> {
        let mut image = self.image.clone();
        if let Some(next) = self.course.changes.get(self.moment) {
            let sectors = draw as usize % next.sectors().max(1);
            next.torn(sectors).iter().for_each(|torn| torn.apply(&mut image));
        }
        let drive = open(config, &Memory::new(image), watch)?;
        let mut bytes = vec![0; self.course.size_bytes as usize];
        let mut unreadable = Vec::new();
        let unit_bytes = self.course.unit_bytes as usize;
        let whole = unit_bytes * (PIECE / unit_bytes).max(1);
        for (at, piece) in (0..).step_by(whole).zip(bytes.chunks_mut(whole)) {
            if drive.read(at, piece).is_ok() {
                continue;
            }
            for (within, unit) in (0..).step_by(unit_bytes).zip(piece.chunks_mut(unit_bytes)) {
                if drive.read(at + within, unit).is_err() {
                    unreadable.push(((at + within) / self.course.unit_bytes) as u32);
                }
            }
        }
        Ok(Found { bytes, unreadable })
    }

    /// How many units hold neither what was promised nor anything newer, and the first of them.
    fn missing(&self, found: &Found) -> (u64, Option<u32>) {
        let units = (0..).zip(found.bytes.chunks(self.course.unit_bytes as usize));
        let wrong = units.filter(|(lpn, unit)| {
            found.unreadable.contains(lpn) || !self.promise.allows(*lpn, unit)
        });
        let mut wrong = wrong.map(|(lpn, _)| lpn).peekable();
        let first = wrong.peek().copied();
        (wrong.count() as u64, first)
    }
}

fn infeasible(what: String, help: &str) -> Error {
    Error::Infeasible { what, help: help.into() }
}

#[cfg(test)]
mod tests {
    use super::{Plan, moments};
    use std::collections::BTreeSet;

    #[test]
    fn cuts_come_at_every_moment_from_the_first_to_the_last_and_at_no_other() {
        let plan = Plan { cuts: 300, after: 0, seed: 5 };
        let moments = moments(40, 50, plan);
        assert!(moments.is_sorted());
        let found: BTreeSet<usize> = moments.iter().map(|&(moment, _)| moment).collect();
        assert_eq!(found, (40..=50).collect());
    }
}
