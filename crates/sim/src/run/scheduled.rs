//! The choice of a scheduler.

use super::drive::MemberDrive;
use crate::engine::{Count, InOrder, Queued, Scheduler};
use crate::ftl::Ftl;
use crate::host::Driver;
use crate::schema::{Config, RunMode, ServiceOrder};
use crate::technique::Hooks;

/// Builds a drive on the scheduler that was chosen.
pub(super) trait Build {
    fn build<T: Hooks, S: Scheduler>(
        config: &Config,
        ftl: Ftl<T, S>,
        sched: S,
    ) -> Box<dyn MemberDrive>;
}

/// Builds a drive on the scheduler as it is.
pub(super) struct Plain;

impl Build for Plain {
    fn build<T: Hooks, S: Scheduler>(
        config: &Config,
        ftl: Ftl<T, S>,
        sched: S,
    ) -> Box<dyn MemberDrive> {
        Box::new(Driver::new(config, ftl, sched))
    }
}

/// A drive under the scheduler of its configuration.
pub(super) fn scheduled<B: Build, T: Hooks>(
    config: &Config,
    ftl: Ftl<T, Count>,
) -> Box<dyn MemberDrive> {
    match (config.run.mode, config.drive.scheduling.order) {
        // Without time there is nothing to build around.
        (RunMode::Count, _) => Plain::build(config, ftl, Count::default()),
        (RunMode::Timed, ServiceOrder::ReadsFirst) => {
            let sched = Queued::new(config, ftl.state.flash());
            B::build(config, ftl.under(), sched)
        }
        (RunMode::Timed, ServiceOrder::InOrder) => {
            let sched = InOrder::new(config, ftl.state.flash());
            B::build(config, ftl.under(), sched)
        }
    }
}
