//! TLC whose word lines are programmed fast first and finished in place later: when the drive is
//! idle, at a time at the latest, or never when the data died before; as in Kim & Kim, Electronics
//! 12(4):843, 2023.

use crate::common::at;
use crate::harness::{drive, everywhere, figure, logical_units, run, schedulers};
use crate::reprogram::random_writes;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use wordline_sim::config::{Cell, Config, ProgramUnit};
use wordline_sim::drive::{DriveState, Shape};
use wordline_sim::ids::{BlockId, PlaneId, StreamId, Unit};
use wordline_sim::metrics::Counters;
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{
    ERASED, Flash, Kind, Load, Located, Mode, Needs, OpRow, OpTable, Span, Transition,
};
use wordline_sim::technique::{
    Apply, Cells, Few, Hook, Idle, Observer, Open, Phase, Placement, Profile, Promises, Technique,
};
use wordline_trace::{Op, Request};

const WORD_LINE: u32 = 3;
/// The modes of a word line after each stage.
const FIRST: Mode = "first_stage";
const SECOND: Mode = "second_stage";
const FIRST_US: u64 = 300;
const SECOND_US: u64 = 700;

/// The second stage of a word line follows `latest_ns` after its first one, or sooner.
#[derive(Default)]
pub struct TwoStages {
    /// The group that it is given.
    given: Option<usize>,
    latest_ns: u64,
    first_row: u8,
    second_row: u8,
    /// First units of word lines without their second stage, and when it must come.
    waiting: VecDeque<(u64, Unit)>,
    first_stages: u64,
    while_idle: u64,
    when_due: u64,
    dropped: u64,
}

impl TwoStages {
    pub fn new(latest_us: u64) -> Self {
        Self { latest_ns: latest_us * 1000, ..Self::default() }
    }

    /// Two stages in one group of dies.
    pub fn given(group: usize, latest_us: u64) -> Self {
        Self { given: Some(group), ..Self::new(latest_us) }
    }

    /// Drops word lines without valid data from the head of the queue.
    fn drop_dead(&mut self, state: &DriveState) {
        while let Some(&(_, unit)) = self.waiting.front() {
            let (block, place) = state.geometry.locate(unit);
            if (0..WORD_LINE).any(|page| state.valid.get(block, place + page)) {
                return;
            }
            self.waiting.pop_front();
            self.dropped += 1;
        }
    }
}

impl Technique for TwoStages {
    fn profile(&self) -> Profile {
        let hooks = &[Hook::Placement, Hook::Idle, Hook::Promises];
        Profile { places_fill: true, group: self.given, ..Profile::of(hooks) }
    }

    fn idle(&mut self, state: &DriveState, _: &dyn Load, _: u64) -> Idle {
        let next = self.next(state, u64::MAX);
        self.while_idle += u64::from(next != Idle::Nothing);
        next
    }

    fn promises(&self) -> Option<&dyn Promises> {
        Some(self)
    }

    fn promises_mut(&mut self) -> Option<&mut dyn Promises> {
        Some(self)
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        let counts = [
            ("first_stages", self.first_stages),
            ("while_idle", self.while_idle),
            ("when_due", self.when_due),
            ("dropped", self.dropped),
            ("waiting", self.waiting.len() as u64),
        ];
        counts.map(|(name, count)| (name.to_owned(), count.into())).into_iter().collect()
    }
}

impl Placement for TwoStages {
    fn open(&mut self, _: &DriveState, _: StreamId, _: PlaneId) -> Open {
        let (units, row) = (WORD_LINE, self.first_row);
        Open::Erased(Some(Shape { row, ..Shape::dense(units) }))
    }
}

impl Cells for TwoStages {
    fn operations(&mut self, table: &mut OpTable, _: &Flash<'_>) {
        let row = |name, needs, transition, us: u64, transfers| OpRow {
            name,
            kind: Kind::Program,
            needs,
            array_ns: [us * 1000; 4],
            transition,
            transfers,
            energy_nj: [0; 4],
            pages_read_first: 0,
        };
        let first = Transition::first(&[ERASED], FIRST);
        let second = Transition { from: &[FIRST], to: SECOND, passes: 1 };
        self.first_row = table.push(row("first_stage", Needs::Erased, first, FIRST_US, true));
        self.second_row =
            table.push(row("second_stage", Needs::Programmed, second, SECOND_US, false));
    }
}

impl TwoStages {
    /// The first of the second stages that are due by some time.
    fn next(&mut self, state: &DriveState, until_ns: u64) -> Idle {
        self.drop_dead(state);
        let Some(&(due_ns, unit)) = self.waiting.front() else { return Idle::Nothing };
        let (block, place) = state.geometry.locate(unit);
        let is_programmed = state.blocks[block].next > place;
        if !is_programmed || due_ns > until_ns {
            return Idle::Nothing;
        }
        self.waiting.pop_front();
        let spans = Few::One(Span { block, page: place, pages: WORD_LINE });
        let (row, urgent) = (self.second_row, false);
        Idle::Apply(Apply { spans, row, urgent, ticket: None })
    }
}

impl Promises for TwoStages {
    fn overdue(&mut self, state: &DriveState, _: &dyn Load, now_ns: u64) -> Idle {
        let next = self.next(state, now_ns);
        self.when_due += u64::from(next != Idle::Nothing);
        next
    }

    fn due_ns(&self) -> u64 {
        self.waiting.front().map_or(u64::MAX, |&(due_ns, _)| due_ns)
    }
}

impl Observer for TwoStages {
    fn written(
        &mut self,
        _: &DriveState,
        &Located { unit, place, .. }: &Located,
        _: Cause,
        now_ns: u64,
    ) {
        if place % WORD_LINE == 0 {
            self.first_stages += 1;
            self.waiting.push_back((now_ns + self.latest_ns, unit));
        }
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        let before = self.waiting.len();
        self.waiting.retain(|&(_, unit)| state.geometry.locate(unit).0 != block);
        self.dropped += (before - self.waiting.len()) as u64;
    }

    /// What stood there long before the run is finished.
    fn begin(&mut self, _: &DriveState, phase: Phase) {
        if phase == Phase::Run {
            self.waiting.clear();
            self.first_stages = 0;
        }
    }
}

fn tlc(idle_us: f64) -> Config {
    let mut config = drive(Cell::Tlc, 9, &[900.0; 3]);
    config.drive.chip.program = ProgramUnit::OneShot;
    config.ftl.gc.idle_us = idle_us;
    config
}

/// Two word lines, and a read of nothing at `until_us`.
fn two_word_lines(until_us: u64) -> Vec<Request> {
    vec![at(0, Op::Write, 0, 6), at(until_us, Op::Read, 70, 1)]
}

#[test]
fn the_second_stage_waits_for_an_idle_moment() {
    for result in everywhere(&tlc(500.0), || TwoStages::new(1_000_000), &two_word_lines(100_000)) {
        assert_eq!((figure(&result, "while_idle"), figure(&result, "when_due")), (2, 0));
        assert_eq!((result.flash.reprograms, result.flash.program_operations), (2, 4));
        if result.host.write.count > 0 {
            // The host waits for two transfers of three pages and two first stages, no more.
            let first_us = 2.0 * (30.0 + FIRST_US as f64);
            assert!((result.host.write.max_us - first_us).abs() < 1e-6, "{:?}", result.host.write);
        }
    }
}

#[test]
fn the_second_stage_comes_at_its_time_at_the_latest() {
    for (until_us, when_due) in [(4999, 0), (5001, 2)] {
        let requests = two_word_lines(until_us);
        for result in everywhere(&tlc(1e9), || TwoStages::new(5000), &requests) {
            assert_eq!((figure(&result, "while_idle"), figure(&result, "when_due")), (0, when_due));
            assert_eq!(result.flash.reprograms, when_due);
        }
    }
}

#[test]
fn a_word_line_whose_data_died_has_no_second_stage() {
    let requests = vec![
        at(0, Op::Write, 0, 3),
        at(1000, Op::Write, 0, 3),
        at(2000, Op::Write, 3, 3),
        at(20_000, Op::Read, 70, 1),
    ];
    for result in everywhere(&tlc(1e9), || TwoStages::new(5000), &requests) {
        assert_eq!((figure(&result, "dropped"), figure(&result, "when_due")), (1, 2));
        assert_eq!(result.flash.reprograms, 2);
    }
}

#[test]
fn a_read_in_between_finds_the_data() {
    let requests = [at(0, Op::Write, 0, 3), at(5000, Op::Read, 1, 1), at(9000, Op::Read, 1, 1)];
    let results = everywhere(&tlc(4500.0), || TwoStages::new(1_000_000), &requests);
    for result in results {
        assert_eq!(figure(&result, "while_idle"), 1);
        if result.host.read.count > 0 {
            // The first stage ends at 330 us, the second one works from 4830 to 5530.
            let (second_us, later_us) = (530.0 + 50.0 + 10.0, 50.0 + 10.0);
            assert_eq!(result.host.read.max_us, second_us);
            assert_eq!(result.host.read.mean_us, (second_us + later_us) / 2.0);
        }
    }
}

#[test]
fn every_word_line_is_finished_dropped_or_waiting() {
    let config = tlc(500.0);
    let mut requests = random_writes(&config, 6000);
    // Bursts of 30 writes, with a pause that is enough for some of the second stages.
    for (request, n) in requests.iter_mut().zip(0u64..) {
        request.arrival_ns = n / 30 * 30_000_000 + n % 30 * 1000;
    }
    assert!(logical_units(&config) > 30);
    for config in schedulers(&config) {
        let result = run(&config, TwoStages::new(20_000), requests.clone());
        let of = |name| figure(&result, name);
        let ends = of("while_idle") + of("when_due") + of("dropped") + of("waiting");
        assert_eq!(of("first_stages"), ends);
        assert_eq!(result.flash.reprograms, of("while_idle") + of("when_due"));
        assert_eq!(result.flash.program_operations, of("first_stages") + result.flash.reprograms);
        assert!(of("while_idle") > 0 && of("dropped") > 0, "{:?}", result.technique);
    }
}
