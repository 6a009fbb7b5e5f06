//! Work in place for a die that is idle while others are busy, a step at a time, each once its die has nothing
//! before it.

use crate::common::at;
use crate::harness::{drive, figure, run, run_hooks, schedulers};
use serde_json::{Map, Value};
use wordline_sim::config::{Cell, RunMode};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::DieId;
use wordline_sim::metrics::Counters;
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{
    Flash, Kind, Load, Located, NORMAL, Needs, OpRow, OpTable, Span, Transition,
};
use wordline_sim::technique::{
    Apply, Cells, Conventional, Few, Hook, Idle, Observer, Placement, Profile, Promises, Technique,
};
use wordline_trace::{Op, Request};

/// It looks at the dies this often.
const PERIOD_NS: u64 = 100_000;

/// Programs every page of the host again in place.
#[derive(Default)]
struct Paced {
    row: u8,
    waiting: Vec<Span>,
    next_ns: u64,
    /// Steps while another die was at work, and while none was.
    beside: u64,
    alone: u64,
}

fn die_of(state: &DriveState, span: &Span) -> DieId {
    state.geometry.die_of(state.geometry.plane_of(span.block))
}

impl Technique for Paced {
    fn profile(&self) -> Profile {
        Profile::of(&[Hook::Promises])
    }

    fn promises(&self) -> Option<&dyn Promises> {
        Some(self)
    }

    fn promises_mut(&mut self) -> Option<&mut dyn Promises> {
        Some(self)
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        [("beside", self.beside), ("alone", self.alone)]
            .map(|(name, count)| (name.to_owned(), count.into()))
            .into_iter()
            .collect()
    }
}

impl Placement for Paced {}

impl Cells for Paced {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        let program = table.row(flash.rows.program).clone();
        self.row = table.push(OpRow {
            name: "again",
            kind: Kind::Program,
            needs: Needs::Programmed,
            transition: Transition { from: &[NORMAL], to: "again", passes: 1 },
            ..program
        });
    }
}

impl Promises for Paced {
    fn overdue(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle {
        if now_ns < self.next_ns {
            return Idle::Nothing;
        }
        self.next_ns = now_ns + PERIOD_NS;
        let is_idle = |span: &Span| load.backlog_ns(die_of(state, span)) == 0;
        let Some(at) = self.waiting.iter().position(is_idle) else { return Idle::Nothing };
        let others_work = state.geometry.dies().iter().any(|die| load.backlog_ns(die) > 0);
        *if others_work { &mut self.beside } else { &mut self.alone } += 1;
        let spans = Few::One(self.waiting.remove(at));
        Idle::Apply(Apply { spans, row: self.row, urgent: false, ticket: None })
    }

    fn due_ns(&self) -> u64 {
        if self.waiting.is_empty() { u64::MAX } else { self.next_ns }
    }
}

impl Observer for Paced {
    fn written(&mut self, _: &DriveState, at: &Located, _: Cause, _: u64) {
        self.waiting.push(Span { block: at.block, page: at.place, pages: 1 });
    }
}

#[test]
fn an_idle_die_works_while_others_are_busy_and_holds_nobody_up() {
    let mut config = drive(Cell::Slc, 8, &[600.0]);
    config.drive.channels = 2;
    // Twelve pages to the first die, and one to the second.
    let pages = (0..12).map(|n| 2 * n).chain([1]);
    let mut requests: Vec<Request> = pages.map(|page| at(0, Op::Write, page, 1)).collect();
    requests.push(at(60_000, Op::Read, 70, 1));
    for config in schedulers(&config) {
        let result = run(&config, Paced::default(), requests.clone());
        assert_eq!(result.flash.reprograms, 13);
        let beside = u64::from(config.run.mode == RunMode::Timed);
        assert_eq!((figure(&result, "beside"), figure(&result, "alone")), (beside, 13 - beside));
        let without = run_hooks(&config, Conventional, requests.clone());
        assert_eq!(result.host.write.max_us, without.host.write.max_us);
    }
}
