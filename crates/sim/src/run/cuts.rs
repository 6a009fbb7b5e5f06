//! A run whose power is cut at every operation.

use super::array_cuts;
use super::assembly::{empty_ftl, fill_ftl, stack};
use super::cut_choice::{CutChoice, plan};
use super::drive::{Drive, take_recording};
use super::{Own, Run, Watch, with_host_mode};
use crate::engine::{Count, InOrder, Queued, Scheduler};
use crate::error::Error;
use crate::flash::Image;
use crate::ftl::{Ftl, Io};
use crate::host::Driver;
use crate::ids::Id;
use crate::nand::infeasible;
use crate::power::array::Recorded;
use crate::power::{CutReport, Cuts, Did, HoldUp, Restarted, Restarts, map_at_end};
use crate::schema::{ArrayLevel, Config, RunMode, ServiceOrder};
use crate::technique::Stack;
use wordline_trace::{Op, Source};

/// Runs `workload` on the drive of `config`, and cuts power at every operation of it.
///
/// # Errors
/// As [`simulate`](super::simulate); a drive that a capacitor protects, an array that cannot be cut.
pub fn power_cuts(
    config: &Config,
    mut workload: Box<dyn Source>,
    choice: CutChoice,
    watch: &mut dyn Watch,
) -> Result<CutReport, Error> {
    let config = &with_host_mode(config, &mut *workload)?;
    check(config)?;
    let run = Run::begin(config, workload, watch)?;
    if config.array.level != ArrayLevel::None {
        return array_cuts::cut(run, choice);
    }
    let mut own = Own::default();
    let technique = stack(config, std::mem::take(&mut own.techniques))?;
    let mut ftl = empty_ftl(config, technique, own)?;
    ftl.keep_marks();
    fill_ftl(config, &mut ftl, &mut *run.watch)?;
    match (config.run.mode, config.drive.scheduling.order) {
        (RunMode::Count, _) => run.cut(ftl, Count::default(), choice),
        (RunMode::Timed, ServiceOrder::ReadsFirst) => {
            let sched = Queued::new(config, ftl.state.flash());
            run.cut(ftl.under(), sched, choice)
        }
        (RunMode::Timed, ServiceOrder::InOrder) => {
            let sched = InOrder::new(config, ftl.state.flash());
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
        let Recorded { recording, log, numbers } = driver.take_recorded()?;
        let state = &driver.ftl.state;
        let trims = log.requests.iter().any(|request| request.op == Op::Trim);
        let found = map_at_end(&recording, state, numbers.mapped);
        for (lpn, own) in state.map.iter_with_ids().filter(|_| !trims) {
            let of_flash = found[lpn].map(|found| state.lpn_of(found.unit));
            if own.is_some() && of_flash != Some(lpn) {
                return Err(Error::Invariant(format!(
                    "after the run a restart does not find logical unit {}",
                    lpn.number()
                )));
            }
        }
        let hold_up = HoldUp::of(self.config, state);
        let plan = plan(self.config, choice, hold_up);
        Cuts::new(&recording, &log, state, numbers, &plan).run(&mut Anew { config: self.config })
    }
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
                let sched = Queued::new(config, ftl.state.flash());
                clear(ftl.under(), sched, image)
            }
            (RunMode::Timed, ServiceOrder::InOrder) => {
                let sched = InOrder::new(config, ftl.state.flash());
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
    let did = Did::of(&io.counters, io.sched.quiet_at_ns(), recording.commands.iter());
    Ok(Restarted { did, state: ftl.state, recording })
}
