//! A run whose power is cut at every operation.

use super::{Own, Run, Watch, empty_ftl, fill_ftl, stack, with_host_mode};
use crate::engine::{Count, InOrder, Queued, Scheduler};
use crate::error::Error;
use crate::flash::{Chips, Image, Recorded, Recording};
use crate::ftl::{Ftl, Io};
use crate::host::Driver;
use crate::ids::Id;
use crate::nand::infeasible;
use crate::power::{
    CutReport, Cuts, HoldUp, Numbers, Plan, Restarted, Restarts, Shares, map_at_end,
};
use crate::schema::{ArrayLevel, Config, RunMode, ServiceOrder};
use crate::technique::Stack;
use wordline_trace::{Op, Source};

/// Which cuts are made.
#[derive(Debug, Clone, Copy)]
pub struct CutChoice {
    /// At one of so many moments; a moment is the begin or the end of a program or an erase, or the end of a flush.
    pub every: u64,
    /// Only those in the midst of the program or erase of this number.
    pub at: Option<usize>,
}

impl Default for CutChoice {
    fn default() -> Self {
        Self { every: 1, at: None }
    }
}

/// Cuts after which the whole flash is scanned and the drive restarts: after the others only what the cut concerns
/// is looked at.
const RESTART_EVERY: u64 = 1009;

/// Runs `workload` on the drive of `config`, and cuts power at every operation of it.
///
/// # Errors
/// As [`simulate`](super::simulate); a drive that a capacitor protects, an array.
pub fn power_cuts(
    config: &Config,
    mut workload: Box<dyn Source>,
    choice: CutChoice,
    watch: &mut dyn Watch,
) -> Result<CutReport, Error> {
    let config = &with_host_mode(config, &mut *workload)?;
    check(config)?;
    let run = Run::begin(config, workload, watch)?;
    let mut own = Own::default();
    let technique = stack(config, std::mem::take(&mut own.techniques))?;
    let mut ftl = empty_ftl(config, technique, own)?;
    ftl.keep_marks();
    fill_ftl(config, &mut ftl, &mut *run.watch)?;
    match (config.run.mode, config.drive.scheduling.order) {
        (RunMode::Count, _) => run.cut(ftl, Count::default(), choice),
        (RunMode::Timed, ServiceOrder::ReadsFirst) => {
            let sched = Queued::new(config, &ftl.state.geometry);
            run.cut(ftl.under(), sched, choice)
        }
        (RunMode::Timed, ServiceOrder::InOrder) => {
            let sched = InOrder::new(config, &ftl.state.geometry);
            run.cut(ftl.under(), sched, choice)
        }
    }
}

fn check(config: &Config) -> Result<(), Error> {
    if config.power.protection.bears_all() {
        return Err(infeasible(
            "power.protection = \"capacitor\": what is under way ends and what the controller holds is saved, so that a cut takes nothing",
            "set power.protection to \"none\", or to an energy in nJ",
        ));
    }
    if config.array.level != ArrayLevel::None {
        return Err(infeasible(
            "power is cut of a drive alone, and array.level is set",
            "set array.level to \"none\"",
        ));
    }
    Ok(())
}

impl Run<'_> {
    fn cut<S: Scheduler>(
        mut self,
        mut ftl: Ftl<Stack, S>,
        sched: S,
        choice: CutChoice,
    ) -> Result<CutReport, Error> {
        ftl.record();
        let mut driver = Driver::new(self.config, ftl, sched);
        driver.note_requests();
        self.replay_all(&mut driver)?;
        driver.drain()?;
        driver.ftl.check()?;
        let log = driver.take_log().unwrap_or_default();
        let recording = take_recording(&mut driver.ftl)?;
        let state = &driver.ftl.state;
        let numbers = Numbers {
            logical: state.logical_units,
            mapped: state.map.count(),
            trim_pages: driver.ftl.trim_pages(),
            unit_bytes: state.geometry.unit_bytes,
        };
        if driver.ftl.read_only {
            return Err(infeasible(
                "the drive turned read-only before the run was over",
                "raise drive.over_provisioning, or write less",
            ));
        }
        let trims = log.requests.iter().any(|request| request.op == Op::Trim);
        let found = map_at_end(&recording, state, numbers.mapped);
        for (lpn, &own) in state.map.iter_with_ids().filter(|_| !trims) {
            let of_flash = found[lpn].map(|found| state.reverse[found.unit]);
            if own.is_some() && of_flash != Some(lpn) {
                return Err(Error::Invariant(format!(
                    "after the run a restart does not find logical unit {}",
                    lpn.number()
                )));
            }
        }
        let plan = Plan {
            every: choice.every,
            at: choice.at,
            restart_every: if choice.at.is_some() { 1 } else { RESTART_EVERY },
            shares: Shares {
                torn: self.config.power.torn_share,
                blank: self.config.power.blank_share,
            },
            seed: self.config.run.seed,
            hold_up: HoldUp::of(self.config, state),
        };
        Cuts::new(&recording, &log, state, numbers, &plan).run(&mut Anew { config: self.config })
    }
}

fn take_recording<S: Scheduler>(ftl: &mut Ftl<Stack, S>) -> Result<Recording, Error> {
    let recording = ftl.chips_mut().and_then(Chips::take_recording);
    recording.ok_or_else(|| Error::Invariant("the flash was not recorded".into()))
}

/// Restarts a drive of a configuration.
struct Anew<'a> {
    config: &'a Config,
}

impl Restarts for Anew<'_> {
    fn restart(&mut self, image: &Image) -> Result<Restarted, Error> {
        let config = self.config;
        let technique = stack(config, Vec::new())?;
        let mut ftl = Ftl::<Stack, Count>::new(config, technique)?;
        ftl.take_up(&config.ftl, image);
        match (config.run.mode, config.drive.scheduling.order) {
            (RunMode::Count, _) => clear(ftl, Count::default(), image),
            (RunMode::Timed, ServiceOrder::ReadsFirst) => {
                let sched = Queued::new(config, &ftl.state.geometry);
                clear(ftl.under(), sched, image)
            }
            (RunMode::Timed, ServiceOrder::InOrder) => {
                let sched = InOrder::new(config, &ftl.state.geometry);
                clear(ftl.under(), sched, image)
            }
        }
    }
}

/// What a restart does after the scan.
fn clear<S: Scheduler>(
    mut ftl: Ftl<Stack, S>,
    sched: S,
    image: &Image,
) -> Result<Restarted, Error> {
    let mut io = Io::new(sched);
    ftl.record();
    ftl.clear(&mut io, image)?;
    let recording = take_recording(&mut ftl)?;
    Ok(Restarted {
        programs: io.counters.programs.iter().sum(),
        units_moved: io.counters.gc_moved,
        // Those are among them that a block owed from before.
        erases: recording.commands.iter().map(Recorded::erases).sum(),
        moving_ns: io.sched.quiet_at_ns(),
        state: ftl.state,
        recording,
    })
}
