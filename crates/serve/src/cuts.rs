//! Power fails while a drive does what was recorded: again and again, at any moment of it, and each time somebody looks
//! at what is then there.
//!
//! The recording is carried out once. A simulated drive notes what the image of its flash is asked to do, write by write:
//! a cut is the image as it was after any number of these, the last one torn at a border of 512 bytes. Any drive that keeps
//! its promises may also be cut, of which nothing else is known.

mod block_layer;
mod history;
mod simulated;

use crate::recording::{OpKind, Recording};
use block_layer::BlockLayer;
use history::{Found, History};
use serde::Serialize;
use simulated::Simulated;
use wordline_media::Memory;
use wordline_sim::config::{Config, Flushes};
use wordline_sim::{Error, Progress, Watch};

/// What power fails on.
trait Subject {
    /// The last moment at which it may fail, the first one being 0.
    fn last(&self) -> usize;

    /// The first moment at which so many recorded changes are over; `None` where there are fewer.
    fn after(&self, changes: usize) -> Option<usize>;

    /// Time passes until a moment.
    fn go_to(&mut self, moment: usize);

    /// What is there if power fails at that moment in one of the ways in which it may.
    ///
    /// # Errors
    /// A drive that does not come back; `watch` said stop.
    fn cut(&self, draw: u64, watch: &mut dyn Watch) -> Result<Found, Error>;

    /// What was asked up to that moment.
    fn history(&self) -> &History<'_>;
}

/// Which cuts are made.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How many.
    pub cuts: u64,
    /// All of them after so many recorded changes, such as those that make a file system.
    pub after: u64,
    /// Seed of their moments.
    pub seed: u64,
    /// Of any drive that keeps its promises, in place of the simulated one.
    pub of_block_layer: bool,
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
    /// Units that hold neither what was flushed last nor anything newer; of the block layer, sectors of 512 bytes.
    pub units: u64,
    /// The first of them; `null`: there is none.
    pub first_unit: Option<u64>,
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
    /// Writes to the flash's image, before and in the midst of each of which power may fail; of the block layer, changes.
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

/// Carries a recording out on the drive of a configuration, or on any as large, cuts power as planned, and calls `check` on
/// each drive that has come back: it says what is wrong there, if anything is.
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
    let flushes = config.power.flushes != Flushes::Lie;
    let mut subject: Box<dyn Subject> = match plan.of_block_layer {
        true => {
            simulated::open_for(recording, config, &Memory::default(), watch)?;
            Box::new(BlockLayer::new(recording, flushes)?)
        }
        false => Box::new(Simulated::new(config, recording, watch)?),
    };
    let mut report = RecordedCuts {
        changes: recording.asked.len() as u64,
        flushes: recording.asked.iter().filter(|it| it.deed == OpKind::Flush).count() as u64,
        moments: subject.last() as u64,
        ..RecordedCuts::default()
    };
    let moments = moments(first(&*subject, recording, plan.after)?, subject.last(), plan);
    for (number, &(moment, draw)) in (0..).zip(&moments) {
        let progress =
            Progress { phase: "cuts", done: number, total: Some(plan.cuts), simulated_ns: 0 };
        if watch.progress(progress).is_break() {
            return Err(Error::Stopped);
        }
        subject.go_to(moment);
        let found = subject.cut(draw, watch)?;
        let (units, first_unit) = subject.history().missing(&found);
        let complaint =
            check(&Cut { number, bytes: &found.bytes[..recording.size_bytes as usize] })?;
        report.cuts += 1;
        report.losing_cuts += u64::from(units > 0);
        report.failed_checks += u64::from(complaint.is_some());
        if (units > 0 || complaint.is_some()) && report.losses.len() < TOLD {
            let changes = subject.history().over() as u64;
            let loss = RecordedLoss { cut: number, changes, units, first_unit, found: complaint };
            report.losses.push(loss);
        }
    }
    Ok(report)
}

/// The first moment at which so many recorded changes are over.
fn first(subject: &dyn Subject, recording: &Recording, changes: u64) -> Result<usize, Error> {
    subject.after(usize::try_from(changes).unwrap_or(usize::MAX)).ok_or_else(|| {
        infeasible(
            format!("cuts after change {changes} of a recording of {}", recording.asked.len()),
            "cut earlier",
        )
    })
}

/// Numbers as if drawn.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}

/// Moments in order, each with a number as if drawn.
fn moments(from: usize, to: usize, plan: Plan) -> Vec<(usize, u64)> {
    let mut draws = Draws(plan.seed);
    let any = |draws: &mut Draws| from + draws.below((to - from + 1) as u64) as usize;
    let mut moments: Vec<(usize, u64)> =
        (0..plan.cuts).map(|_| (any(&mut draws), draws.next())).collect();
    moments.sort_unstable();
    moments
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
        let plan = Plan { cuts: 300, after: 0, seed: 5, of_block_layer: false };
        let moments = moments(40, 50, plan);
        assert!(moments.is_sorted());
        let found: BTreeSet<usize> = moments.iter().map(|&(moment, _)| moment).collect();
        assert_eq!(found, (40..=50).collect());
    }
}
