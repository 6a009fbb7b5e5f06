//! TLC that is filled with two pages a word line, each of which is then programmed again, up to
//! twice, once one of its pages is no longer valid; as in Gao et al., ACM TOS 18(1):9, 2022.

use crate::common::{Dice, Script, at, write};
use crate::harness::{drive, everywhere, figure, logical_units, run};
use serde_json::{Map, Value};
use wordline_sim::config::{Cell, Config, Pattern, ProgramStart, ServiceOrder};
use wordline_sim::drive::{DriveState, Shape};
use wordline_sim::ids::{BlockId, DomainId, Id, PlaneId, StreamId, Unit};
use wordline_sim::metrics::Counters;
use wordline_sim::metrics::Values;
use wordline_sim::nand::command::Cause;
use wordline_sim::nand::{
    BlockState, ERASED, Flash, Kind, Located, Mode, Needs, OpRow, OpTable, Transition,
};
use wordline_sim::technique::{
    Cells, Hook, Observer, Open, Over, Phase, Place, Placement, Profile, Technique, Write,
};
use wordline_sim::with;
use wordline_trace::{Op, Request};

/// The stream of host writes.
const HOST: StreamId = StreamId(0);
/// Units of a word line, and those that its first program fills.
const WORD_LINE: u32 = 3;
const FILLED: u32 = 2;

/// The word line of a unit.
fn line_of(unit: Unit) -> usize {
    unit.index() / WORD_LINE as usize
}

const TWO_BITS: Mode = "two_bits";

pub const MLC_US: u64 = 400;
pub const REPROGRAM_US: u64 = 800;

#[derive(Default)]
pub struct Reprogramming {
    /// Reprograms of a word line at most.
    limit: u8,
    mlc_row: u8,
    reprogram_row: u8,
    /// Reprograms of each word line since its block was erased.
    reprograms: Vec<u8>,
    /// Units that became invalid in a block that is kept; some have been used since.
    invalid: Vec<Unit>,
    /// The unit that is about to be programmed again.
    placed: Option<Unit>,
    done: u64,
}

impl Reprogramming {
    pub fn new(limit: u8) -> Self {
        Self { limit, ..Self::default() }
    }

    /// True when the other page of the word line, which the reprogram preserves, is valid.
    fn preserves(&self, state: &DriveState, unit: Unit) -> bool {
        let (block, place) = state.geometry.locate(unit);
        let first = place - place % WORD_LINE;
        (first..first + FILLED).any(|other| other != place && state.valid.get(block, other))
    }

    /// Whether a page may be programmed again now.
    fn may_reprogram(&self, state: &DriveState, unit: Unit) -> bool {
        let (block, place) = state.geometry.locate(unit);
        state.blocks[block].state == BlockState::Kept
            && place % WORD_LINE < FILLED
            && !state.valid.get(block, place)
            && self.preserves(state, unit)
            && self.reprograms_of(unit) < self.limit
    }

    fn reprograms_of(&self, unit: Unit) -> u8 {
        self.reprograms.get(line_of(unit)).copied().unwrap_or(0)
    }

    /// True when the word line may be programmed again now or later.
    fn has_use(&self, state: &DriveState, unit: Unit) -> bool {
        let (block, place) = state.geometry.locate(unit);
        let holds_data = (0..FILLED).any(|page| state.valid.get(block, place + page));
        holds_data && self.reprograms_of(unit) < self.limit
    }
}

impl Technique for Reprogramming {
    fn profile(&self) -> Profile {
        Profile { places_fill: true, ..Profile::of(&[Hook::Placement, Hook::Deaths]) }
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        Map::from_iter([("reprograms".to_owned(), self.done.into())])
    }
}

impl Placement for Reprogramming {
    fn open(&mut self, _: &DriveState, stream: StreamId, _: PlaneId) -> Open {
        let shape = Shape { step: WORD_LINE, row: self.mlc_row, ..Shape::dense(FILLED) };
        Open::Erased((stream == HOST).then_some(shape))
    }

    fn keeps(&mut self, state: &DriveState, block: BlockId) -> bool {
        let first = state.geometry.first_unit(block);
        let word_lines = (0..state.geometry.stride).step_by(WORD_LINE as usize);
        state.blocks[block].stream() == HOST
            && word_lines.into_iter().any(|place| self.has_use(state, first.plus(place)))
    }

    fn surrender(&mut self, state: &DriveState, domain: DomainId) -> Option<BlockId> {
        let kept = |block: &BlockId| state.blocks[*block].state == BlockState::Kept;
        let here = |block: &BlockId| state.domain_of_block(*block) == domain;
        let blocks = state.geometry.blocks().into_iter().filter(kept).filter(here);
        blocks.min_by_key(|&block| state.blocks[block].valid)
    }

    fn place(&mut self, state: &DriveState, write: &Write<'_>) -> Place {
        if write.cause != Cause::Host {
            return Place::Stream(write.stream);
        }
        while let Some(unit) = self.invalid.pop() {
            if self.may_reprogram(state, unit) {
                self.placed = Some(unit);
                return Place::Unit(Over::new(unit, self.reprogram_row));
            }
        }
        Place::Stream(HOST)
    }
}

impl Cells for Reprogramming {
    fn operations(&mut self, table: &mut OpTable, _: &Flash<'_>) {
        let row = |name, needs, transition, us: u64| OpRow {
            pages_read_first: u32::from(needs == Needs::Programmed),
            name,
            kind: Kind::Program,
            needs,
            array_ns: [us * 1000; 4],
            transition,
            transfers: true,
            energy_nj: [us; 4],
        };
        let first = Transition::first(&[ERASED], TWO_BITS);
        let again = Transition { from: &[TWO_BITS], to: TWO_BITS, passes: self.limit };
        self.mlc_row = table.push(row("mlc_program", Needs::Erased, first, MLC_US));
        self.reprogram_row = table.push(row("reprogram", Needs::Programmed, again, REPROGRAM_US));
    }
}

impl Observer for Reprogramming {
    fn written(&mut self, state: &DriveState, &Located { unit, .. }: &Located, _: Cause, _: u64) {
        if self.placed.take_if(|placed| *placed == unit).is_some() {
            self.reprograms.resize(state.geometry.units().div_ceil(WORD_LINE.into()) as usize, 0);
            self.reprograms[line_of(unit)] += 1;
            self.done += 1;
        }
    }

    fn invalidated(&mut self, state: &DriveState, &Located { unit, block, .. }: &Located) {
        let is_kept = state.blocks[block].state == BlockState::Kept;
        if is_kept && self.reprograms_of(unit) < self.limit {
            self.invalid.push(unit);
        }
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        let first = line_of(state.geometry.first_unit(block));
        let word_lines = state.geometry.stride / WORD_LINE;
        let used = self.reprograms.iter_mut().skip(first).take(word_lines as usize);
        used.for_each(|reprograms| *reprograms = 0);
    }

    fn begin(&mut self, _: &DriveState, phase: Phase) {
        if phase == Phase::Run {
            self.done = 0;
        }
    }
}

/// Blocks of 4 word lines; the host's data takes 8 of 16 blocks at two pages a word line.
pub fn tlc() -> Config {
    let mut config = drive(Cell::Tlc, 12, &[500.0, 600.0, 900.0]);
    config.drive.over_provisioning = 2.0;
    // What is padded depends on arrivals alone, and so is the same under every scheduler.
    config.ftl.program_start = ProgramStart::AfterTimeout;
    config
}

pub fn random_writes(config: &Config, writes: u64) -> Vec<Request> {
    let (mut dice, units) = (Dice::new(1), logical_units(config));
    (0..writes).map(|_| write(dice.below(units))).collect()
}

#[test]
fn a_word_line_with_an_invalid_page_is_programmed_again() {
    // Two pages of each of 4 word lines fill the block; a further write makes one of them invalid,
    // and the last one takes its place.
    let first = (0..8).map(|page| at(page * 1000, Op::Write, page, 1));
    let last = [at(20_000, Op::Write, 0, 1), at(30_000, Op::Write, 9, 1)];
    let requests: Vec<Request> = first.chain(last).collect();
    for result in everywhere(&tlc(), || Reprogramming::new(2), &requests) {
        assert_eq!((result.flash.reprograms, result.flash.page_reads.technique), (1, 1));
        // The ninth write opens a block: the eight before it filled one with 4 two-page programs.
        assert_eq!(result.flash.page_programs.host, 10);
        assert_eq!(figure(&result, "reprograms"), 1);
        let last_us = 60.0 + 10.0 + REPROGRAM_US as f64;
        if result.host.write.count > 0 {
            assert!(result.host.write.max_us >= last_us, "{}", result.host.write.max_us);
        }
    }
}

#[test]
fn a_block_takes_more_than_its_first_programs_before_it_is_erased() {
    let config = tlc();
    let requests = random_writes(&config, 20_000);
    let filled_once = f64::from(8);
    let without = &everywhere(&config, || Reprogramming::new(0), &requests)[0];
    let with = &everywhere(&config, || Reprogramming::new(2), &requests)[0];
    assert!(without.wear.page_writes_per_erase <= filled_once);
    assert!(with.wear.page_writes_per_erase > filled_once, "{:?}", with.wear);
    assert!(with.flash.erases < without.flash.erases);
    assert_eq!(without.flash.reprograms, 0);
    // Each word line that was filled may be programmed twice again, and each time after a read.
    let lives = with.flash.erases + 16;
    assert!(with.flash.reprograms <= lives * 4 * 2);
    assert_eq!(with.flash.page_reads.technique, with.flash.reprograms);
    assert_eq!(figure(with, "reprograms"), with.flash.reprograms);
    assert_eq!(with.flash.page_programs.host, 20_000);
}

#[test]
fn preconditioning_counts_for_nothing() {
    let mut config = tlc();
    config.precondition.pattern = Pattern::Steady;
    let result = run(&config, Reprogramming::new(2), vec![at(0, Op::Read, 0, 1)]);
    assert_eq!((figure(&result, "reprograms"), result.flash.reprograms), (0, 0));
    let requests = random_writes(&config, 5000);
    let result = &everywhere(&config, || Reprogramming::new(2), &requests)[0];
    assert_eq!(figure(result, "reprograms"), result.flash.reprograms);
    assert!(result.flash.reprograms > 1000);
}

/// Latency of a request of a drive that serves reads first, by its number.
fn latency_ns(requests: Vec<Request>, number: u64) -> u64 {
    let mut config = tlc();
    config.drive.scheduling.order = ServiceOrder::ReadsFirst;
    config.run.records = true;
    let outcome = with(&config, Reprogramming::new(2), Script::source(requests), &mut ());
    let records = outcome.expect("the drive works").records.0;
    let column = |name| match &records.iter().find(|column| column.name == name).unwrap().values {
        Values::U64(values) => values.clone(),
        Values::F64(_) => panic!("{name} is a column of whole numbers"),
    };
    let row = column("request").iter().position(|&n| n == number).expect("it ended");
    column("latency_ns")[row]
}

#[test]
fn what_a_reprogram_reads_for_the_host_goes_before_host_writes() {
    // A block is full. A program of another is under way until 20,420 us, the next one waits from
    // 20,100 us on; then a page of the full block becomes invalid and is programmed again. The read of 60 us goes before that, unless it comes too late.
    let waiting = 420 + 320;
    for (at_ns, latency_us) in [(20_419_999, waiting + 60), (20_420_001, waiting)] {
        let mut requests: Vec<Request> = (0..8).map(|n| at(n * 1000, Op::Write, n, 1)).collect();
        requests.push(at(20_000, Op::Write, 20, 2));
        requests.push(at(20_100, Op::Write, 22, 2));
        requests.push(at(20_200, Op::Trim, 0, 1));
        requests.push(Request { arrival_ns: at_ns, ..write(9) });
        assert_eq!(latency_ns(requests, 9), latency_us * 1000, "{at_ns}");
    }
}
