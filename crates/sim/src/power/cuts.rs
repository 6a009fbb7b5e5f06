//! Power fails at every operation of a run, one cut after the other, each on the flash as it then stood.

use super::damage::Damage;
use super::hold_up_report::HoldUpReport;
use super::memory::Memory;
use super::nested_cut::{First, Second};
use super::promises::Oracle;
use super::report::{CutReport, Loss, Plan, TOLD};
use super::restart::{Restart, Restarts};
use super::saved::Kept;
use super::scanned_pages::Scan;
use super::timeline::{Course, Event};
use super::verdict::{Numbers, Verdict};
use crate::drive::DriveState;
use crate::error::Error;
use crate::flash::{OpKind, Recording};
use crate::host::log::HostLog;
use crate::ids::{Id, Lpn, Unit};
use crate::util::Rng;

/// A run whose power is cut.
pub struct Cuts<'a> {
    course: Course<'a>,
    log: &'a HostLog,
    oracle: Oracle,
    memory: Option<Memory<'a>>,
    numbers: Numbers,
    plan: &'a Plan,
    report: CutReport,
}

impl<'a> Cuts<'a> {
    /// Cuts of a run that left the drive in `state`.
    pub fn new(
        recording: &'a Recording,
        log: &'a HostLog,
        state: &'a DriveState,
        numbers: Numbers,
        plan: &'a Plan,
    ) -> Self {
        let course = Course::new(recording, state, numbers.mapped);
        let holds = |lpn| course.surface.units_of(lpn).next().is_some();
        let oracle = Oracle::new(log, numbers.logical, holds);
        let report = CutReport {
            restart: Restart::of(std::iter::once(state)),
            hold_up: plan
                .hold_up
                .as_ref()
                .map(|it| HoldUpReport::of(it.energy_nj, numbers.unit_bytes)),
            ..CutReport::of(&oracle, recording.commands.len())
        };
        let memory = plan.hold_up.as_ref().map(|it| Memory::new(it, log, &oracle, numbers));
        Self { course, log, oracle, memory, numbers, plan, report }
    }

    /// Makes all cuts.
    ///
    /// # Errors
    /// A restart after which the drive cannot go on, or that finds something else than the one before.
    pub fn run(mut self, restarts: &mut dyn Restarts) -> Result<CutReport, Error> {
        let flushes: Vec<u64> = self.oracle.moments.iter().map(|&(done, _)| done).collect();
        for (number, (at, event)) in (0_u64..).zip(self.course.events(&flushes)) {
            let changed = match event {
                Event::Flushed(flush) => self.oracle.keep(flush),
                of_command => self.course.take_place(of_command),
            };
            let verdict = Verdict::new(&self.course, &self.oracle, self.numbers);
            if let Some(memory) = &mut self.memory {
                memory.pass(&self.course, verdict, (at, event), &changed);
            }
            if self.plan.means(number, || self.course.under_way.clone()) {
                self.cut((number, at, event), &changed, restarts)?;
            }
        }
        self.report.settle();
        Ok(self.report)
    }

    /// Power fails.
    fn cut(
        &mut self,
        moment: (u64, u64, Event),
        changed: &[Lpn],
        restarts: &mut dyn Restarts,
    ) -> Result<(), Error> {
        let restarts_now = self.report.cuts.is_multiple_of(self.plan.restart_every.max(1));
        self.report.begin_cut(self.course.under_way.len());
        let mut rng = Rng::new(self.plan.seed ^ moment.0, "power cut");
        let verdict = Verdict::new(&self.course, &self.oracle, self.numbers);
        let memory = self.memory.as_ref();
        let kept = memory.map(|it| it.keep(&self.course, verdict, &self.oracle));
        let kept = kept.unwrap_or_default();
        let damage = self.course.damage(&kept, self.plan.shares, &mut rng);
        let verdict = verdict.with(&kept.saved);
        let promised = |lpn| self.oracle.promised(lpn);
        let scans = restarts_now || self.course.concerns_metadata(moment.2);
        let lost = match scans {
            true => verdict.lost_by_scan(&damage, promised),
            false => verdict.lost_among(&damage, changed.iter().copied(), promised),
        };
        if let (Some(memory), Some(bearing)) = (memory, &mut self.report.hold_up) {
            let acknowledged = |lpn| memory.acknowledged(lpn);
            let changed = changed.iter().copied().chain(memory.waiting());
            let mut forgotten = match scans {
                true => verdict.lost_by_scan(&damage, acknowledged),
                false => verdict.lost_among(&damage, changed, acknowledged),
            };
            forgotten.sort_unstable();
            forgotten.dedup();
            bearing.add(&kept, forgotten.len());
        }
        self.report.losing_cuts += u64::from(!lost.is_empty());
        self.tell(moment, false, lost);
        match restarts_now {
            true => self.restart(moment, (&damage, &kept), restarts),
            false => Ok(()),
        }
    }

    /// The drive restarts after a cut, and power fails at every moment of that.
    fn restart(
        &mut self,
        moment: (u64, u64, Event),
        (damage, kept): (&Damage, &Kept),
        restarts: &mut dyn Restarts,
    ) -> Result<(), Error> {
        let verdict = Verdict::new(&self.course, &self.oracle, self.numbers);
        verdict.check_checkpoint(damage)?;
        let image = verdict.image(damage);
        if image.checkpoint.is_none() && self.report.restart.by_checkpoint > 0 {
            return Err(Error::Invariant(format!(
                "at cut {} no checkpoint is whole, though a restart after an earlier cut found one",
                moment.0
            )));
        }
        let restarted = restarts.restart(&image)?;
        let hold_up = self.plan.hold_up.as_ref();
        let first = First { image: &image, damage, saved: &kept.saved, hold_up };
        let second = Second::new(&restarted, first, &self.oracle, self.numbers);
        let seed = self.plan.seed ^ moment.0;
        let again = second.cut_everywhere(self.plan.shares, seed);
        self.report.restarts += 1;
        self.report.restart.add(&Scan::of(self.course.state(), &image), &restarted.did);
        self.report.double_cuts += again.cuts;
        self.report.losing_double_cuts += again.losing_cuts;
        self.tell(moment, true, again.lost);
        Ok(())
    }

    fn tell(&mut self, moment: (u64, u64, Event), restarting: bool, lost: Vec<(Lpn, u32)>) {
        for (lpn, found) in lost {
            if self.report.losses.len() < TOLD {
                let loss = self.loss(moment, restarting, lpn, found);
                self.report.losses.push(loss);
            }
        }
    }

    fn loss(
        &self,
        (cut, at, event): (u64, u64, Event),
        restarting: bool,
        lpn: Lpn,
        found: u32,
    ) -> Loss {
        let of = |command: usize| match self.course.command(command).deed {
            OpKind::Program => "program",
            OpKind::Erase => "erase",
        };
        let oldest = self.course.under_way.first().copied();
        let (command, moment) = match event {
            Event::Began(command) => (command, of(command)),
            // It happens again as long as the oldest of the others is under way.
            Event::Ended(command) => (oldest.unwrap_or(command), of(command)),
            Event::Flushed(_) => (oldest.unwrap_or(0), "flush"),
        };
        let moment = if restarting { "restart" } else { moment };
        let requests = self.log.requests.iter().take_while(|it| it.submitted <= at).count();
        let promised = self.oracle.promised(lpn);
        Loss { cut, command, moment, at, requests, lpn: lpn.number(), promised, found }
    }
}

/// Makes sure that a restart after the run, where nothing was under way, finds what the drive holds: of each logical
/// unit that has data its newest version, and none of one that was neither written nor trimmed. Where copies were made
/// it need not find it where the drive does.
///
/// # Errors
/// A logical unit of which it does not.
pub fn check_end(
    recording: &Recording,
    log: &HostLog,
    state: &DriveState,
    numbers: Numbers,
) -> Result<(), Error> {
    let mut course = Course::new(recording, state, numbers.mapped);
    course.finish();
    let oracle = Oracle::new(log, numbers.logical, |_| false);
    let found = Verdict::new(&course, &oracle, numbers).found(&Damage::default());
    let is_wrong = |&(lpn, unit): &(Lpn, Unit)| match unit.known() {
        Some(unit) => {
            let held = course.surface.mark(unit).filter(|mark| mark.lpn == lpn);
            let found = found[lpn].filter(|found| found.unit.is_some());
            held.is_none() || found.map(|found| found.version) != held.map(|mark| mark.version)
        }
        None => {
            let was_trimmed = lpn.number() < numbers.logical && !oracle.trims(lpn).is_empty();
            found[lpn].is_some() && !was_trimmed
        }
    };
    let (lpn, unit) = match state.map.iter_with_ids().find(is_wrong) {
        None => return Ok(()),
        Some(wrong) => wrong,
    };
    Err(Error::Invariant(format!(
        "after the run the drive has logical unit {lpn} at {unit:?} with the mark {:?}, and a restart finds {:?}",
        unit.known().and_then(|unit| course.surface.mark(unit)),
        found[lpn]
    )))
}
