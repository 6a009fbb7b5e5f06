//! Runs that say of what latencies consist. All of them go through the run-time stack of techniques, which
//! changes no figure, so that no other run has anything of it.

use super::assembly::build_ftl;
use super::drive::MemberDrive;
use super::scheduled::{Build, Plain, scheduled};
use super::{Outcome, Own, Run, Watch};
use crate::engine::{Itemised, Scheduler};
use crate::error::Error;
use crate::ftl::Ftl;
use crate::nand::infeasible;
use crate::schema::{Config, RunMode};
use crate::technique::{Hooks, Stack};
use wordline_trace::Source;

/// Refuses runs whose latencies consist of nothing.
pub(super) fn check(config: &Config) -> Result<(), Error> {
    if !config.host.breakdown {
        return Ok(());
    }
    if config.run.mode == RunMode::Count {
        return Err(infeasible(
            "host.breakdown is set, but nothing takes time in run.mode = \"count\"",
            "set run.mode to \"timed\", or host.breakdown to false",
        ));
    }
    Ok(())
}

/// Refuses it where the technique is no part of the run-time stack.
pub(super) fn refuse(config: &Config) -> Result<(), Error> {
    match config.host.breakdown {
        false => Ok(()),
        true => Err(infeasible(
            "host.breakdown is set, but the technique is not called through the run-time stack",
            "name the technique in the configuration or in `Own`, and call `simulate_own`",
        )),
    }
}

/// Runs `workload` on a drive, and says of what its latencies consist.
pub(super) fn simulate(
    config: &Config,
    technique: Stack,
    mut own: Own,
    workload: Box<dyn Source>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    let run = Run::begin(config, workload, watch)?;
    let tape = own.tape.take();
    let (ftl, preconditioning) = build_ftl(config, technique, own, &mut *run.watch)?;
    let mut drive = scheduled::<Itemising, _>(config, ftl);
    run.go_on_tape(&mut *drive, &preconditioning, tape)
}

/// Builds a drive on a scheduler that says of what latencies consist.
struct Itemising;

impl Build for Itemising {
    fn build<T: Hooks, S: Scheduler>(
        config: &Config,
        ftl: Ftl<T, S>,
        sched: S,
    ) -> Box<dyn MemberDrive> {
        let sched = Itemised::new(sched, ftl.state.flash());
        Plain::build(config, ftl.under(), sched)
    }
}

/// Builds a drive of an array on such a scheduler, which keeps the parts of each request for it.
pub(super) struct ItemisingMember;

impl Build for ItemisingMember {
    fn build<T: Hooks, S: Scheduler>(
        config: &Config,
        ftl: Ftl<T, S>,
        sched: S,
    ) -> Box<dyn MemberDrive> {
        let sched = Itemised::of_member(sched, ftl.state.flash());
        Plain::build(config, ftl.under(), sched)
    }
}
