//! A run of an array: its drives built, each as its configuration says, and the workload replayed.

use super::array_latencies::ArrayLatencies;
use super::assembly::{build_ftl, is_conventional, stack};
use super::drive::{Drive, MemberDrive};
use super::front::Front;
use super::itemise::ItemisingMember;
use super::plan::{Plan, plan};
use super::scheduled::{Plain, scheduled};
use super::{Outcome, Own, Run, Watch};
use crate::array::{Array, Contents};
use crate::error::Error;
use crate::ftl::Preconditioning;
use crate::host::{Completions, Host};
use crate::ids::DriveId;
use crate::metrics::{Age, Breakdown, Counters, Recorder, RunResult};
use crate::nand::infeasible;
use crate::report::{DriveReport, Facts, array_result};
use crate::schema::{ArrayConfig, Config};
use crate::technique::{Conventional, Hooks};
use crate::warnings::unverified;
use wordline_trace::{Op, Request};

/// Runs the array of a configuration.
///
/// # Errors
/// An array that cannot work, and what [`super::simulate_own`] says.
pub(super) fn simulate(run: Run<'_>, own: &Own) -> Result<Outcome, Error> {
    let Own { techniques, erase, victim, hotness, planes, tape } = own;
    if tape.is_some() {
        return Err(infeasible(
            "a recording shows one drive, but array.level is set",
            "set array.level to \"none\", or run the array without a recording",
        ));
    }
    let has_policy = victim.is_some() || hotness.is_some() || planes.is_some();
    if !techniques.is_empty() || erase.is_some() || has_policy {
        return Err(infeasible(
            "a technique, erase scheme or policy of your own serves one drive, not those of an array",
            "set array.level = \"none\", or add it to the simulator",
        ));
    }
    let Plan { layout, rules, drives: configs } = plan(run.config)?;
    let (mut members, mut drives) = (Vec::new(), Vec::new());
    for config in configs {
        let (drive, preconditioning) = build_drive(&config, &mut *run.watch)?;
        members.push(drive);
        drives.push((config, preconditioning));
    }
    if run.config.host.breakdown {
        let kinds = members.iter().map(|drive| drive.state().geometry.groups.len());
        let kinds = kinds.max().unwrap_or(1);
        let latencies = ArrayLatencies::new(members.len() as u32, kinds);
        return replay(run, Array::new(layout, rules, members, latencies), drives);
    }
    replay(run, Array::new(layout, rules, members, ()), drives)
}

/// Replays the workload on an array that was built.
fn replay<C: Contents<Box<dyn MemberDrive>>>(
    run: Run<'_>,
    mut array: Array<Box<dyn MemberDrive>, C>,
    drives: Vec<(Config, Preconditioning)>,
) -> Result<Outcome, Error> {
    let preconditioning = drives[0].1.clone();
    inject(&run.config.array, &mut array);
    let page_bytes = array.core.page_bytes();
    let mut front = Front::new(run.config, array, page_bytes, drives);
    run.go(&mut front, &preconditioning)
}

/// What is to happen to an array.
pub(super) fn inject<C: Contents<Box<dyn MemberDrive>>>(
    config: &ArrayConfig,
    array: &mut Array<Box<dyn MemberDrive>, C>,
) {
    let ns = |s: f64| (s * 1e9).round() as u64;
    for &drive in &config.fail {
        array.lose_at(ns(config.fail_at_s), DriveId(u32::from(drive)));
    }
    if config.scrub {
        array.scrub_at(ns(config.scrub_at_s));
    }
}

impl<C: Contents<Box<dyn MemberDrive>>> Drive for Front<C> {
    fn feed(&mut self, batch: &[Request], base_ns: u64) -> Result<(), Error> {
        self.feed_batch(batch, base_ns)?;
        Ok(())
    }

    fn serve(&mut self, request: &Request) -> Result<bool, Error> {
        self.feed_one(request, 0)?;
        Ok(request.op != Op::Write || !self.is_read_only())
    }

    fn advance(&mut self, now_ns: u64) -> Result<(), Error> {
        if now_ns > self.array.core.now_ns {
            self.arrive(now_ns)?;
            self.drain_notices()?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), Error> {
        self.wait_for_end(u64::MAX)?;
        Ok(())
    }

    fn drain_notices(&mut self) -> Result<(), Error> {
        self.array.bring_up();
        self.array.core.members.all.iter_mut().try_for_each(|drive| drive.drain_notices())
    }

    fn drain(&mut self) -> Result<(), Error> {
        self.carry_out_waiting(0, u64::MAX)?;
        while self.array.core.requests.in_flight() > 0 {
            self.wait_for_end(u64::MAX)?;
        }
        self.array.advance(self.recorder.last_done_ns.max(self.array.core.now_ns))?;
        while self.sync_to_end && self.array.is_syncing() {
            self.wait_for_end(u64::MAX)?;
        }
        for drive in self.array.core.members.all.iter_mut() {
            drive.drain()?;
        }
        let sample = self.sample();
        self.recorder.series.close(sample);
        Ok(())
    }

    fn check(&self) -> Result<(), Error> {
        self.array.core.members.all.iter().try_for_each(|drive| drive.check())
    }

    fn completions(&mut self) -> &mut Completions {
        &mut self.completions
    }

    fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn counters(&self) -> Counters {
        let mut counters = Counters::default();
        self.array.core.members.all.iter().for_each(|drive| counters.add(&drive.counters()));
        counters
    }

    fn now_ns(&self) -> u64 {
        self.array.core.now_ns
    }

    fn logical_bytes(&self) -> u64 {
        self.array.core.layout.pages() * self.page_bytes
    }

    fn age(&self) -> Age {
        let mut age = Age::default();
        self.array.core.members.all.iter().for_each(|drive| age += drive.age());
        age
    }

    fn set_cycles_per_erase(&mut self, cycles: u32) {
        self.array.core.members.all.iter_mut().for_each(|drive| drive.set_cycles_per_erase(cycles));
    }

    fn is_read_only(&self) -> bool {
        self.array.core.members.all.iter().any(|drive| drive.is_read_only())
    }

    fn result(&mut self, facts: &Facts<'_>) -> RunResult {
        let mut reports = Vec::new();
        for (member, (config, preconditioning)) in
            self.array.core.members.all.ids().into_iter().zip(&self.drives)
        {
            let facts = Facts { config, preconditioning, life: Vec::new(), ..*facts };
            let drive = &mut self.array.core.members.all[member];
            let (result, warnings) = (drive.result(&facts), drive.warnings());
            reports.push(DriveReport {
                state: self.array.member_state(member),
                techniques: config.technique.keys().cloned().collect(),
                erase_scheme: config.erase.scheme,
                result,
                warnings: unverified(preconditioning).into_iter().chain(warnings).collect(),
            });
        }
        let all = self.array.core.members.all.iter();
        let groups = all.map(|drive| drive.state().geometry.groups.clone()).max_by_key(Vec::len);
        let groups = groups.unwrap_or_default();
        let sums = self.array.core.contents.itemisation();
        let breakdown = sums.map(|sums| Breakdown::of_array(sums, &groups));
        RunResult { breakdown, ..array_result(&self.facts(), facts, reports) }
    }
}

fn build_drive(
    config: &Config,
    watch: &mut dyn Watch,
) -> Result<(Box<dyn MemberDrive>, Preconditioning), Error> {
    if config.host.breakdown {
        let ftl = build_ftl(config, stack(config, Vec::new())?, Own::default(), watch)?;
        return Ok((scheduled::<ItemisingMember, _>(config, ftl.0), ftl.1));
    }
    if is_conventional(config) {
        return with_technique(config, Conventional, watch);
    }
    with_technique(config, stack(config, Vec::new())?, watch)
}

fn with_technique<T: Hooks>(
    config: &Config,
    technique: T,
    watch: &mut dyn Watch,
) -> Result<(Box<dyn MemberDrive>, Preconditioning), Error> {
    let (ftl, preconditioning) = build_ftl(config, technique, Own::default(), watch)?;
    Ok((scheduled::<Plain, T>(config, ftl), preconditioning))
}
