//! A run of an array: its drives built, each as its configuration says, and the workload replayed.

use super::assembly::{build_ftl, is_conventional, stack};
use super::drive::Drive;
use super::front::Front;
use super::life::Ages;
use super::plan::{Plan, plan};
use super::{Outcome, Own, Replay, Run, Watch, measure};
use crate::array::{Array, Contents};
use crate::engine::{Count, InOrder, Queued};
use crate::error::Error;
use crate::ftl::{Ftl, Preconditioning};
use crate::host::Driver;
use crate::ids::DriveId;
use crate::metrics::{Age, Counters};
use crate::nand::infeasible;
use crate::report::{DriveReport, Facts, array_result};
use crate::schema::{ArrayConfig, Config, RunMode, ServiceOrder};
use crate::technique::{Conventional, Hooks};
use crate::warnings::unverified;
use std::time::Instant;
use wordline_trace::Request;

/// A drive about to run.
struct Built {
    config: Config,
    preconditioning: Preconditioning,
    drive: Box<dyn Drive>,
}

/// Runs the array of a configuration.
///
/// # Errors
/// An array that cannot work, and what [`super::simulate_own`] says.
pub(super) fn simulate(run: Run<'_>, own: &Own) -> Result<Outcome, Error> {
    let Own { techniques, erase, victim, hotness, planes } = own;
    let has_policy = victim.is_some() || hotness.is_some() || planes.is_some();
    if !techniques.is_empty() || erase.is_some() || has_policy {
        return Err(infeasible(
            "a technique, erase scheme or policy of your own serves one drive, not those of an array",
            "set array.level = \"none\", or add it to the simulator",
        ));
    }
    let Plan { layout, rules, drives } = plan(run.config)?;
    let mut built = Vec::new();
    for config in drives {
        built.push(build_drive(config, &mut *run.watch)?);
    }
    let mut members = Vec::new();
    let mut described = Vec::new();
    for Built { config, preconditioning, drive } in built {
        members.push(drive);
        described.push((config, preconditioning));
    }
    let mut array = Array::new(layout, rules, members, ());
    inject(&run.config.array, &mut array);
    let front = Front::new(run.config, array, rules.page_bytes);
    replay(run, front, described)
}

/// What is to happen to an array.
pub(super) fn inject<C: Contents<Box<dyn Drive>>>(
    config: &ArrayConfig,
    array: &mut Array<Box<dyn Drive>, C>,
) {
    let ns = |s: f64| (s * 1e9).round() as u64;
    for &drive in &config.fail {
        array.lose_at(ns(config.fail_at_s), DriveId(u32::from(drive)));
    }
    if config.scrub {
        array.scrub_at(ns(config.scrub_at_s));
    }
}

fn replay(
    mut run: Run<'_>,
    mut front: Front,
    drives: Vec<(Config, Preconditioning)>,
) -> Result<Outcome, Error> {
    let replaying = Instant::now();
    let life = run.replay_all(&mut front)?;
    front.drain()?;
    measure::check(run.config, &front.recorder)?;
    let replaying = replaying.elapsed();
    if run.config.run.check {
        front.array.members.iter().try_for_each(|drive| drive.check())?;
    }
    let Run { config, started, workload, .. } = run;
    let facts = Facts {
        config,
        preconditioning: &drives[0].1,
        workload: &*workload,
        life,
        wall: (started.elapsed(), replaying),
    };
    Ok(outcome(&mut front, &facts, &drives))
}

/// What an array has done, and each of its drives.
pub(super) fn outcome<C: Contents<Box<dyn Drive>>>(
    front: &mut Front<C>,
    facts: &Facts<'_>,
    drives: &[(Config, Preconditioning)],
) -> Outcome {
    let mut reports = Vec::new();
    let members = front.array.members.iter_with_ids();
    for ((member, drive), (config, preconditioning)) in members.zip(drives) {
        let facts = Facts { config, preconditioning, life: Vec::new(), ..*facts };
        reports.push(DriveReport {
            state: front.array.member_state(member),
            techniques: config.technique.keys().cloned().collect(),
            erase_scheme: config.erase.scheme,
            result: drive.result(&facts),
            warnings: unverified(preconditioning).into_iter().chain(drive.warnings()).collect(),
        });
    }
    let records = front.recorder.take_records();
    let series = measure::series(facts.config, &front.recorder);
    Outcome { result: array_result(&front.facts(), facts, reports), series, records }
}

impl<C: Contents<Box<dyn Drive>>> Replay for Front<C> {
    fn feed(&mut self, batch: &[Request], base_ns: u64) -> Result<(), Error> {
        Self::feed(self, batch, base_ns)
    }

    fn counters(&self) -> Counters {
        Self::counters(self)
    }

    fn logical_bytes(&self) -> u64 {
        Self::logical_bytes(self)
    }

    fn now_ns(&self) -> u64 {
        self.array.now_ns()
    }
}

impl<C: Contents<Box<dyn Drive>>> Ages for Front<C> {
    fn age(&self) -> Age {
        let mut age = Age::default();
        self.array.members.iter().for_each(|drive| age += drive.age());
        age
    }

    fn set_cycles_per_erase(&mut self, cycles: u32) {
        self.array.members.iter_mut().for_each(|drive| drive.set_cycles_per_erase(cycles));
    }

    fn is_read_only(&self) -> bool {
        self.array.members.iter().any(|drive| drive.is_read_only())
    }
}

fn build_drive(config: Config, watch: &mut dyn Watch) -> Result<Built, Error> {
    if is_conventional(&config) {
        return under_scheduler(config, Conventional, watch);
    }
    let techniques = stack(&config, Vec::new())?;
    under_scheduler(config, techniques, watch)
}

fn under_scheduler<T: Hooks + 'static>(
    config: Config,
    technique: T,
    watch: &mut dyn Watch,
) -> Result<Built, Error> {
    let (ftl, preconditioning) = build_ftl(&config, technique, Own::default(), watch)?;
    let drive = scheduled(&config, ftl);
    Ok(Built { config, preconditioning, drive })
}

/// A drive under the scheduler of its configuration.
pub(super) fn scheduled<T: Hooks + 'static>(config: &Config, ftl: Ftl<T, Count>) -> Box<dyn Drive> {
    match (config.run.mode, config.drive.scheduling.order) {
        (RunMode::Count, _) => Box::new(Driver::new(config, ftl, Default::default())),
        (RunMode::Timed, ServiceOrder::ReadsFirst) => {
            let sched = Queued::new(config, ftl.state.flash());
            let ftl: Ftl<T, Queued> = ftl.under();
            Box::new(Driver::new(config, ftl, sched))
        }
        (RunMode::Timed, ServiceOrder::InOrder) => {
            let sched = InOrder::new(config, ftl.state.flash());
            let ftl: Ftl<T, InOrder> = ftl.under();
            Box::new(Driver::new(config, ftl, sched))
        }
    }
}
