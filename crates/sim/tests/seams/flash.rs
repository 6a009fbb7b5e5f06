//! What the flash knows: marks from which the map is built again, operations that it refuses, ends of
//! operations of which a technique hears.

use crate::common::{Dice, at};
use crate::dispatcher::Dispatcher;
use crate::harness::{drive, logical_units, schedulers};
use crate::reprogram::Reprogramming;
use crate::second_pass::TwoPasses;
use crate::two_stages::TwoStages;
use serde_json::{Map, Value};
use wordline_sim::Error;
use wordline_sim::config::{Cell, Config, RunMode, ServiceOrder};
use wordline_sim::drive::DriveState;
use wordline_sim::engine::{Count, InOrder, Queued, Scheduler};
use wordline_sim::ftl::Ftl;
use wordline_sim::host::Driver;
use wordline_sim::ids::{BlockId, Unit};
use wordline_sim::metrics::Counters;
use wordline_sim::nand::{
    Flash, Kind, Load, Mode, NORMAL, Needs, OpRow, OpTable, Span, Transition,
};
use wordline_sim::technique::{
    Apply, Cells, Hook, Hooks, Idle, Observer, Placement, Profile, Promises, Stack, Technique,
};
use wordline_trace::{Op, Request};

/// Carries requests out on a drive that keeps marks, and lets it come to its end.
fn driven<T: Hooks, S: Scheduler>(
    config: &Config,
    hooks: T,
    sched: impl Fn(&DriveState) -> S,
    requests: &[Request],
) -> Result<Driver<T, S>, Error> {
    let mut ftl: Ftl<T, Count> = Ftl::new(config, hooks)?;
    ftl.keep_marks();
    let sched = sched(&ftl.state);
    let mut driver = Driver::new(config, ftl.under(), sched);
    driver.feed(requests, 0)?;
    driver.drain()?;
    driver.device.ftl.check()?;
    Ok(driver)
}

/// Writes and reads, in bursts with pauses.
fn bursts(config: &Config, count: u64) -> Vec<Request> {
    let (mut dice, units) = (Dice::new(7), logical_units(config));
    let request = |n: u64| {
        let us = n / 40 * 40_000 + n % 40 * 500;
        let op = if dice.one_in(10) { Op::Read } else { Op::Write };
        at(us, op, dice.below(units), 1)
    };
    (0..count).map(request).collect()
}

type Make = fn() -> Stack;

fn stack(technique: impl Technique + 'static) -> Stack {
    Stack::new(vec![("it".to_owned(), Box::new(technique))]).expect("one technique alone")
}

const MAKE: [(&str, &[f64], Make); 5] = [
    ("none", TLC_US, || Stack::new(Vec::new()).expect("no technique")),
    ("reprogramming", TLC_US, || stack(Reprogramming::new(2))),
    ("two passes", MLC_US, || stack(TwoPasses::new(2))),
    ("two stages", TLC_US, || stack(TwoStages::new(20_000))),
    ("dispatcher", TLC_US, || stack(Dispatcher::new(true))),
];
const MLC_US: &[f64] = &[500.0, 900.0];
const TLC_US: &[f64] = &[500.0, 600.0, 900.0];

#[test]
fn the_map_can_be_built_again_from_the_marks_of_the_flash() {
    for (name, program_us, make) in MAKE {
        let cell = if program_us.len() == 2 { Cell::Mlc } else { Cell::Tlc };
        let mut config = drive(cell, 12, program_us);
        config.drive.channels = 2;
        config.drive.over_provisioning = 2.0;
        let requests = bursts(&config, 3000);
        for config in schedulers(&config) {
            let what = format!("{name}, {} {}", config.run.mode, config.drive.scheduling.order);
            let (own, flash) = match (config.run.mode, config.drive.scheduling.order) {
                (RunMode::Count, _) => maps(&config, make(), |_| Count::default(), &requests),
                (RunMode::Timed, ServiceOrder::InOrder) => {
                    maps(&config, make(), |state| InOrder::new(&config, state.flash()), &requests)
                }
                (RunMode::Timed, ServiceOrder::ReadsFirst) => {
                    maps(&config, make(), |state| Queued::new(&config, state.flash()), &requests)
                }
            };
            assert_eq!(own, flash, "{what}");
            assert!(own.iter().filter(|&&unit| unit.is_some()).count() > 10, "{what}");
        }
    }
}

/// The map of a drive after some requests, and the map that its flash tells.
fn maps<S: Scheduler>(
    config: &Config,
    hooks: Stack,
    sched: impl Fn(&DriveState) -> S,
    requests: &[Request],
) -> (Vec<Unit>, Vec<Unit>) {
    let driver = driven(config, hooks, sched, requests).expect("the drive works");
    let chips = driver.device.ftl.door.chips.as_ref().expect("a stack has its flash watched");
    let own = &driver.device.ftl.state.map;
    assert_eq!(chips.under_way().count(), 0, "everything has ended");
    let told = chips.marks().expect("marks are kept").map(own.count());
    (own.iter().collect(), told.iter().copied().collect())
}

const SECOND: Mode = "second";

/// Applies an operation in place to the first page of block 0 at given times, and hears of its end.
#[derive(Clone, Default)]
struct InPlace {
    row: u8,
    times_us: Vec<u64>,
    /// Blocks that take part.
    blocks: Vec<BlockId>,
    /// Whether it goes before whatever else waits for its die.
    urgent: bool,
    done: usize,
    ended: Vec<(u32, u64)>,
}

impl Technique for InPlace {
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
        Map::from_iter([("ended".to_owned(), serde_json::json!(self.ended))])
    }
}

impl Placement for InPlace {}

impl Cells for InPlace {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        let program = table.row(flash.rows.program).clone();
        let transition = Transition { from: &[NORMAL, SECOND], to: SECOND, passes: 1 };
        self.row = table.push(OpRow {
            name: "again",
            kind: Kind::Program,
            needs: Needs::Programmed,
            array_ns: [200_000; 4],
            transition,
            ..program
        });
    }
}

impl Promises for InPlace {
    fn overdue(&mut self, _: &DriveState, _: &dyn Load, now_ns: u64) -> Idle {
        if self.due_ns() > now_ns {
            return Idle::Nothing;
        }
        self.done += 1;
        let span = |&block: &BlockId| Span { block, page: 0, pages: 1 };
        let spans = self.blocks.iter().map(span).collect();
        let (row, urgent, ticket) = (self.row, self.urgent, Some(self.done as u32));
        Idle::Apply(Apply { spans, row, urgent, ticket })
    }

    fn ended(&mut self, _: &DriveState, ticket: u32, end_ns: u64) {
        self.ended.push((ticket, end_ns));
    }

    fn due_ns(&self) -> u64 {
        self.times_us.get(self.done).map_or(u64::MAX, |us| us * 1000)
    }
}

impl Observer for InPlace {}

/// Runs it on the writes of a page at 0 under each scheduler.
fn in_place(times_us: &[u64], writes: u64) -> Vec<Result<Vec<(u32, u64)>, String>> {
    in_place_of(&drive(Cell::Slc, 8, &[600.0]), &[BlockId(0)], times_us, writes)
}

/// Programs in place in these blocks of a drive.
fn in_place_of(
    config: &Config,
    blocks: &[BlockId],
    times_us: &[u64],
    writes: u64,
) -> Vec<Result<Vec<(u32, u64)>, String>> {
    let requests: Vec<Request> = (0..writes).map(|page| at(page, Op::Write, page, 1)).collect();
    let (times_us, blocks) = (times_us.to_vec(), blocks.to_vec());
    let own = InPlace { times_us, blocks, ..InPlace::default() };
    in_place_with(config, &own, requests)
}

/// Programs in place under these requests, and time after them.
fn in_place_with(
    config: &Config,
    own: &InPlace,
    mut requests: Vec<Request>,
) -> Vec<Result<Vec<(u32, u64)>, String>> {
    requests.push(at(50_000, Op::Read, 70, 1));
    let technique = || Stack::alone(own.clone());
    let run = |config: &Config| -> Result<Vec<(u32, u64)>, Error> {
        Ok(match (config.run.mode, config.drive.scheduling.order) {
            (RunMode::Count, _) => {
                heard(driven(config, technique(), |_| Count::default(), &requests)?)
            }
            (RunMode::Timed, ServiceOrder::InOrder) => {
                let sched = |state: &DriveState| InOrder::new(config, state.flash());
                heard(driven(config, technique(), sched, &requests)?)
            }
            (RunMode::Timed, ServiceOrder::ReadsFirst) => {
                let sched = |state: &DriveState| Queued::new(config, state.flash());
                heard(driven(config, technique(), sched, &requests)?)
            }
        })
    };
    schedulers(config).iter().map(|config| run(config).map_err(|error| error.to_string())).collect()
}

/// Of which ends the technique heard.
fn heard<S: Scheduler>(driver: Driver<Stack, S>) -> Vec<(u32, u64)> {
    let told = driver
        .device
        .ftl
        .technique
        .metrics(&driver.device.ftl.state, &driver.device.io.counters)
        .remove("ended");
    serde_json::from_value(told.unwrap_or_default()).expect("pairs of numbers")
}

#[test]
fn a_technique_hears_when_its_operation_ends() {
    // The page crosses the channel in 10 us, and the array takes 200.
    let [count, in_order, queued] = &in_place(&[2000], 1)[..] else { panic!("three schedulers") };
    assert_eq!(count.as_deref(), Ok(&[(1, 2_000_000)][..]));
    assert_eq!(in_order.as_deref(), Ok(&[(1, 2_210_000)][..]));
    assert_eq!(in_order, queued);
}

#[test]
fn a_program_too_many_in_place_stops_the_run() {
    for result in in_place(&[2000, 4000], 1) {
        let message = result.expect_err("a word line takes one such program");
        for part in
            ["again of page 0 of block 0", "in place 1 times", "word line 0 is second, its pages 0"]
        {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn a_program_in_place_of_an_erased_word_line_stops_the_run() {
    for result in in_place(&[2000], 0) {
        let message = result.expect_err("nothing was programmed");
        assert!(message.contains("its word line is erased; word line 0 is erased"), "{message}");
    }
}

#[test]
fn an_operation_in_place_works_on_several_planes_together() {
    let mut config = drive(Cell::Slc, 8, &[600.0]);
    config.drive.chip.planes = 2;
    config.drive.chip.multi_plane = true;
    // Both pages cross the channel, one after the other, and the arrays work together.
    let [count, in_order, queued] = &in_place_of(&config, &[0, 16].map(BlockId), &[2000], 2)[..]
    else {
        panic!("three schedulers")
    };
    assert_eq!(count.as_deref(), Ok(&[(1, 2_000_000)][..]));
    assert_eq!(in_order.as_deref(), Ok(&[(1, 2_220_000)][..]));
    assert_eq!(in_order, queued);
    // Each plane's word line takes one such program.
    for result in in_place_of(&config, &[0, 16].map(BlockId), &[2000, 4000], 2) {
        assert!(result.expect_err("one too many").contains("in place 1 times"));
    }
}

/// One page is written, and much later others to another plane of its die: while the first of them is being
/// programmed the operation in place on that page falls due.
#[test]
fn an_operation_that_is_due_goes_before_what_waits_for_its_die() {
    let mut config = drive(Cell::Slc, 8, &[600.0]);
    config.drive.chip.planes = 2;
    let others = (0..4).map(|n| at(2000, Op::Write, 2 * n + 1, 1));
    let requests: Vec<Request> = std::iter::once(at(0, Op::Write, 0, 1)).chain(others).collect();
    let ends_at = |urgent| {
        let (times_us, blocks) = (vec![2100], vec![BlockId(0)]);
        let own = InPlace { times_us, blocks, urgent, ..InPlace::default() };
        let queued = in_place_with(&config, &own, requests.clone()).pop();
        let ended = queued.expect("three schedulers").expect("it is legal");
        ended.iter().map(|&(_, end_ns)| end_ns).collect::<Vec<_>>()
    };
    // A page takes 10 us on the channel and 600 in the array, the operation 200 there.
    assert_eq!(ends_at(true), [2_000_000 + 610_000 + 210_000]);
    assert_eq!(ends_at(false), [2_000_000 + 4 * 610_000 + 210_000]);
}
