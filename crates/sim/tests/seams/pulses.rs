//! An erase scheme of the caller's own, as published ones are (Kim & Kim, Electronics 14:738, 2025;
//! Jeong et al., FAST 2014): a short first pulse, then as many as the block's past asks for, each
//! stronger than the one before and followed by a verify-read; gentle blocks that are programmed
//! more slowly and read by a row of the scheme's; reads that need retries when a block is old; a
//! lifetime that follows from the damage done; and, if wanted, a last loop that is put off.

use crate::common::{Dice, Script, at};
use crate::harness::{drive, logical_units, schedulers, stacked};
use crate::reprogram::{Reprogramming, random_writes, tlc};
use serde_json::{Map, Value};
use wordline_sim::config::{Cell, Config, Pattern, PerPage, ReadErrors, RunMode, ServiceOrder};
use wordline_sim::drive::DriveState;
use wordline_sim::ids::{BlockId, Id};
use wordline_sim::metrics::RunResult;
use wordline_sim::nand::{Flash, LOOPS_MAX, Loops, OpRow, OpTable, Pulse};
use wordline_sim::technique::erase::EraseScheme;
use wordline_sim::technique::{Conventional, ErasePlan, Hooks, Stack, Technique};
use wordline_sim::{Own, with_own};
use wordline_trace::{Op, Request};

const FIRST_NS: u64 = 400_000;
const PULSE_NS: u64 = 1_000_000;
const VERIFY_NS: u32 = 100_000;
/// Energy of the first pulse; each later one takes that much more than the one before.
const STEP_NJ: u64 = 10_000;
/// P/E cycles after which a block needs one pulse more.
const STEP_PEC: u32 = 4;
/// P/E cycles from which on a page is sensed twice.
const OLD_PEC: u32 = 8;
const GENTLE_READ_US: f64 = 90.0;
const GENTLE_PROGRAM_UJ: f64 = 7.0;
const SLOWER: f64 = 1.5;

#[derive(Default)]
struct Pulses {
    /// Rows of gentle blocks.
    program_row: u8,
    read_row: u8,
    /// Damage of each block: the energy of its pulses, in steps.
    damage: Vec<f64>,
    /// Damage that wears a block out.
    lasts: f64,
    /// Erases of each block that it has planned.
    planned: Vec<u32>,
    puts_off: bool,
}

impl Pulses {
    fn boxed() -> Box<Self> {
        Box::new(Self { lasts: f64::INFINITY, ..Self::default() })
    }
}

/// The loops of the erase of a block that has been through `erases` P/E cycles.
fn loops(erases: u32) -> Loops {
    let first = Pulse { pulse_ns: FIRST_NS, ..pulse(0) };
    let others = (0..=erases / STEP_PEC).map(|loop_| pulse(loop_ + 1));
    std::iter::once(first).chain(others).take(LOOPS_MAX).collect()
}

fn pulse(loop_: u32) -> Pulse {
    Pulse {
        pulse_ns: PULSE_NS,
        verify_ns: VERIFY_NS,
        may_suspend: true,
        energy_nj: STEP_NJ * u64::from(loop_ + 1),
        ..Pulse::default()
    }
}

impl EraseScheme for Pulses {
    fn operations(&mut self, table: &mut OpTable, flash: &Flash<'_>) {
        let (program, read) =
            (table.row(flash.rows.program).clone(), table.row(flash.rows.read).clone());
        let energy_nj = [(GENTLE_PROGRAM_UJ * 1000.0) as u64; 4];
        let slower = |ns: u64| (ns as f64 * SLOWER) as u64;
        let array_ns = program.array_ns.map(slower);
        self.program_row =
            table.push(OpRow { name: "gentle_program", array_ns, energy_nj, ..program });
        table.slow_down(self.program_row, SLOWER);
        let array_ns = [(GENTLE_READ_US * 1000.0) as u64; 4];
        self.read_row = table.push(OpRow { name: "gentle_read", array_ns, ..read });
    }

    fn begin(&mut self, state: &DriveState) {
        self.damage = state.blocks.iter().map(|block| f64::from(block.erases)).collect();
        self.planned = state.blocks.iter().map(|block| block.erases).collect();
    }

    fn plan(&mut self, state: &DriveState, block: BlockId) -> ErasePlan {
        let (block, erases) = (block.index(), state.blocks[block].erases);
        assert_eq!(self.planned[block], erases, "what a scheme notes of a block is of the run");
        self.planned[block] += 1;
        let mut all = loops(erases);
        self.damage[block] += all.energy_nj() as f64 / STEP_NJ as f64;
        let mut deferred = Loops::default();
        if self.puts_off {
            let (last, before) = all.as_slice().split_last().expect("two loops at least");
            deferred.push(*last);
            all = before.iter().copied().collect();
        }
        ErasePlan {
            loops: all,
            deferred,
            retire: self.damage[block] >= self.lasts,
            program_row: self.program_row,
            read_row: self.read_row,
        }
    }

    fn short_errors(&self, state: &DriveState, block: BlockId) -> f64 {
        // Half as many again as the code corrects: one retry.
        if state.blocks[block].erases >= OLD_PEC { 108.0 } else { 0.0 }
    }

    fn metrics(&self, state: &DriveState) -> Map<String, Value> {
        assert_eq!(self.damage.len(), state.blocks.iter().len());
        [("damage".to_owned(), self.damage.iter().sum::<f64>().into())].into_iter().collect()
    }
}

fn slc() -> Config {
    let mut config = drive(Cell::Slc, 8, &[600.0]);
    config.drive.chip.program_uj = PerPage::One(5.0);
    config
}

fn run(config: &Config, technique: impl Technique + 'static, requests: &[Request]) -> RunResult {
    run_with(config, Stack::alone(technique), Pulses::boxed(), requests)
}

fn run_with(
    config: &Config,
    hooks: impl Hooks,
    scheme: Box<Pulses>,
    requests: &[Request],
) -> RunResult {
    let source = Script::source(requests.to_vec());
    let own = Own { erase: Some(scheme), ..Own::default() };
    with_own(config, hooks, own, source, &mut ()).expect("the drive works").result
}

/// Time (ms) and energy (mJ) of the erases of a run whose blocks began at `first` P/E cycles, from
/// how often each was erased.
fn expected(result: &RunResult, first: u64) -> (f64, f64) {
    let (mut ns, mut nj) = (0, 0);
    for &[erases, blocks] in &result.wear.histogram {
        for loops in (first..erases).map(|erases| loops(erases as u32)) {
            ns += blocks * loops.array_ns();
            nj += blocks * loops.energy_nj();
        }
    }
    (ns as f64 / 1e6, nj as f64 / 1e6)
}

fn assert_erases(result: &RunResult) {
    let (ms, mj) = expected(result, 0);
    assert!(result.wear.erases_max > u64::from(STEP_PEC));
    assert!((result.flash.erase_time_ms - ms).abs() < 1e-6, "{:?}", result.flash);
    assert!((result.energy_mj.erase - mj).abs() < 1e-9, "{:?}", result.energy_mj);
    let damage = result.erase["damage"].as_f64().expect("a number");
    assert!((damage - mj * 1e6 / STEP_NJ as f64).abs() < 1e-6);
}

#[test]
fn each_block_takes_the_pulses_of_its_age() {
    for pattern in [Pattern::None, Pattern::Steady] {
        let mut config = slc();
        config.precondition.pattern = pattern;
        let requests = random_writes(&config, 3000);
        for config in schedulers(&config) {
            assert_erases(&run(&config, Conventional, &requests));
            assert_erases(&run_with(&config, stacked(Conventional), Pulses::boxed(), &requests));
        }
    }
}

#[test]
fn erased_blocks_are_programmed_and_read_by_rows_of_the_scheme() {
    let config = slc();
    let mut requests = random_writes(&config, 3000);
    let last = (0..20).map(|n| at(10_000_000 + n * 1000, Op::Read, n, 1));
    requests.extend(last);
    for config in schedulers(&config) {
        let result = run(&config, Conventional, &requests);
        assert!(result.wear.erases_min > 0, "every block has been erased");
        let (young, all) = (16.0 * 8.0, result.flash.page_programs.total() as f64);
        let program_mj = (5.0 * young + GENTLE_PROGRAM_UJ * (all - young)) / 1000.0;
        assert!((result.energy_mj.program - program_mj).abs() < 1e-9, "{:?}", result.energy_mj);
        if config.run.mode == RunMode::Timed {
            let read_us = GENTLE_READ_US + 10.0;
            assert!((result.host.read.mean_us - read_us).abs() < 1e-6, "{:?}", result.host.read);
        }
    }
}

#[test]
fn pulses_are_suspended_for_reads() {
    let mut config = slc();
    config.run.mode = RunMode::Timed;
    config.drive.scheduling.order = ServiceOrder::ReadsFirst;
    let (mut dice, units) = (Dice::new(2), logical_units(&config));
    let mut requests = random_writes(&config, 3000);
    for (request, n) in requests.iter_mut().zip(0..) {
        request.arrival_ns = n * 3_000_000;
    }
    let reads = (0..9000).map(|n| at(n * 1000 + 500, Op::Read, dice.below(units), 1));
    requests.extend(reads);
    requests.sort_by_key(|request| request.arrival_ns);
    let [patient, suspending] = [false, true].map(|suspend_erase| {
        config.drive.scheduling.suspend_erase = suspend_erase;
        run(&config, Conventional, &requests)
    });
    assert_eq!(patient.flash.suspensions, 0);
    assert!(suspending.flash.suspensions > 100, "{}", suspending.flash.suspensions);
    assert!(suspending.host.read.mean_us < patient.host.read.mean_us);
    assert_erases(&suspending);
}

#[test]
fn a_scheme_composes_with_a_technique() {
    let config = tlc();
    let requests = random_writes(&config, 3000);
    for config in schedulers(&config) {
        let result = run_with(&config, stacked(Reprogramming::new(2)), Pulses::boxed(), &requests);
        assert!(result.flash.reprograms > 0);
        assert_erases(&result);
    }
}

#[test]
fn a_run_may_begin_with_worn_blocks() {
    let mut config = slc();
    config.drive.chip.initial_pec = 5;
    let requests = random_writes(&config, 1000);
    for config in schedulers(&config) {
        let result = run(&config, Conventional, &requests);
        assert!(result.wear.erases_min >= 5 && result.wear.erases_max > 5);
        let (ms, _) = expected(&result, 5);
        assert!((result.flash.erase_time_ms - ms).abs() < 1e-6);
    }
}

#[test]
fn damage_wears_blocks_out() {
    let config = slc();
    let requests = random_writes(&config, 6000);
    let scheme = || Box::new(Pulses { lasts: 40.0, ..Pulses::default() });
    for config in schedulers(&config) {
        let result = run_with(&config, Conventional, scheme(), &requests);
        assert!(result.wear.worn_out_blocks > 0 && result.wear.read_only_at_s.is_some());
        // 3 of damage in each of the first four cycles, 6, then 10: 40 is reached in the eighth or so.
        let worn = result.wear.histogram.iter().map(|&[erases, _]| erases).max();
        assert_eq!(worn, Some((0..).find(|&n| damage_after(n) >= 40.0).expect("some")));
    }
}

fn damage_after(erases: u64) -> f64 {
    (0..erases).map(|n| loops(n as u32).energy_nj() as f64 / STEP_NJ as f64).sum()
}

#[test]
fn the_last_loop_may_wait_until_the_block_is_used_again() {
    let mut config = slc();
    config.run.mode = RunMode::Timed;
    // The 16 blocks are filled, and some reclaimed; nothing is written after that.
    let requests = random_writes(&config, 400);
    let [at_once, put_off] = [false, true].map(|puts_off| {
        let scheme = Pulses { lasts: f64::INFINITY, puts_off, ..Pulses::default() };
        run_with(&config, Conventional, Box::new(scheme), &requests)
    });
    assert_eq!(at_once.flash.erases, put_off.flash.erases);
    // Erased blocks that have not been used again still lack their last loop.
    let missing_ms = at_once.flash.erase_time_ms - put_off.flash.erase_time_ms;
    let one_ms = pulse(1).array_ns() as f64 / 1e6;
    let unused = missing_ms / one_ms;
    assert!(unused >= 1.0 && (unused - unused.round()).abs() < 1e-9, "{unused}");
    assert_eq!(put_off.flash.page_programs.total(), at_once.flash.page_programs.total());
}

#[test]
fn old_blocks_are_read_again() {
    let mut config = slc();
    config.run.mode = RunMode::Timed;
    let mut requests = random_writes(&config, 3000);
    requests.extend((0..20).map(|n| at(10_000_000 + n * 1000, Op::Read, n, 1)));
    config.drive.reads.model = ReadErrors::Cell;
    let result = run_with(&config, Conventional, Pulses::boxed(), &requests);
    assert!(result.wear.erases_min >= u64::from(OLD_PEC), "every block is old");
    assert!((result.host.read.mean_us - (2.0 * GENTLE_READ_US + 10.0)).abs() < 1e-6);
}

#[test]
fn a_techniques_own_programs_slow_down_with_the_block() {
    let mut table = OpTable::default();
    let config = slc();
    let geometry = wordline_sim::nand::Geometry::new(&config).expect("a drive");
    let flash = table.add_flash(&config.drive.chip, &geometry.groups[0]).expect("a chip");
    let mut scheme = Pulses::boxed();
    scheme.operations(&mut table, &flash);
    assert_eq!(table.slowed_ns(flash.rows.program, 1000), 1000);
    assert_eq!(table.slowed_ns(scheme.program_row, 1000), 1500);
}
