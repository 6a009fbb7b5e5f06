//! When a technique is asked for work: again in the same gap once something has changed.

use crate::common::{at, write};
use crate::harness::{drive, figure, run, schedulers};
use serde_json::{Map, Value};
use wordline_sim::config::Cell;
use wordline_sim::drive::DriveState;
use wordline_sim::ids::Lpn;
use wordline_sim::metrics::Counters;
use wordline_sim::nand::Load;
use wordline_sim::technique::{
    Cells, Hook, Idle, Observer, Placement, Profile, Promises, Technique,
};
use wordline_trace::Op;

const DUE_NS: u64 = 5_000_000;

/// Moves one unit at a time of its own, and only then has an idle moment's work: another one.
#[derive(Default)]
struct Sleeper {
    moved: u32,
    idle_moments: u64,
}

impl Technique for Sleeper {
    fn profile(&self) -> Profile {
        Profile::of(&[Hook::Idle, Hook::Promises])
    }

    fn idle(&mut self, state: &DriveState, _: &dyn Load, _: u64) -> Idle {
        self.idle_moments += 1;
        match self.moved {
            1 => self.next(state),
            _ => Idle::Nothing,
        }
    }

    fn promises(&self) -> Option<&dyn Promises> {
        Some(self)
    }

    fn promises_mut(&mut self) -> Option<&mut dyn Promises> {
        Some(self)
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        Map::from_iter([("idle_moments".to_owned(), self.idle_moments.into())])
    }
}

impl Placement for Sleeper {}

impl Cells for Sleeper {}

impl Sleeper {
    fn next(&mut self, state: &DriveState) -> Idle {
        self.moved += 1;
        Idle::Move(state.unit_of(Lpn(self.moved.into())))
    }
}

impl Promises for Sleeper {
    fn overdue(&mut self, state: &DriveState, _: &dyn Load, _: u64) -> Idle {
        match self.moved {
            0 => self.next(state),
            _ => Idle::Nothing,
        }
    }

    fn due_ns(&self) -> u64 {
        if self.moved == 0 { DUE_NS } else { u64::MAX }
    }
}

impl Observer for Sleeper {}

#[test]
fn an_idle_moment_comes_again_after_a_change() {
    let mut config = drive(Cell::Slc, 8, &[600.0]);
    config.ftl.gc.idle_us = 500.0;
    // A move takes 60 us to read and 610 to program; the next one is due 500 us after it.
    for (config, second_us) in schedulers(&config).iter().zip([5500, 6170, 6170]) {
        for (until_us, moves) in [(second_us, 1), (second_us + 1, 2)] {
            let writes = (0..4).map(write);
            let requests = writes.chain([at(until_us, Op::Read, 0, 1)]).collect();
            let result = run(config, Sleeper::default(), requests);
            assert_eq!(result.flash.page_programs.technique, moves, "{until_us}");
            assert!(figure(&result, "idle_moments") >= moves);
        }
    }
}
