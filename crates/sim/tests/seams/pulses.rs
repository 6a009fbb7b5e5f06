//! An erase scheme of the caller's own: as many pulses as the block's age asks for, the last one
//! half as long, and blocks that are programmed and read by rows of the scheme's afterwards; as
//! erase schemes with pulses per block do (Kim & Kim, Electronics 14:738, 2025).

use crate::common::{Dice, Script, at};
use crate::harness::{drive, logical_units, schedulers, stacked};
use crate::reprogram::{Reprogramming, random_writes, tlc};
use std::collections::BTreeMap;
use wordline_sim::config::{Config, PerPage};
use wordline_sim::drive::DriveState;
use wordline_sim::metrics::RunResult;
use wordline_sim::nand::{ERASE, Flash, OpRow, OpTable, PROGRAM, READ};
use wordline_sim::technique::erase::EraseScheme;
use wordline_sim::technique::{Conventional, ErasePlan, Technique};
use wordline_sim::with_scheme;
use wordline_trace::{Op, Request};

const PULSE_NS: u64 = 1_000_000;
/// P/E cycles after which a block needs one pulse more.
const STEP_PEC: u32 = 4;
const GENTLE_READ_US: f64 = 90.0;
const GENTLE_PROGRAM_UJ: f64 = 7.0;

#[derive(Default)]
struct Pulses {
    program_row: u8,
    read_row: u8,
    /// Erases of each block that it has planned.
    planned: BTreeMap<u32, u32>,
}

impl Pulses {
    fn boxed() -> Box<dyn EraseScheme> {
        Box::new(Self::default())
    }
}

/// Time of the erase of a block that has been through `erases` P/E cycles.
fn erase_ns(erases: u64) -> u64 {
    (1 + erases / u64::from(STEP_PEC)) * PULSE_NS + PULSE_NS / 2
}

impl EraseScheme for Pulses {
    fn operations(&mut self, table: &mut OpTable, _: &Flash<'_>) {
        let (program, read) = (table.row(PROGRAM).clone(), table.row(READ).clone());
        let energy_nj = [(GENTLE_PROGRAM_UJ * 1000.0) as u64; 4];
        self.program_row = table.push(OpRow { name: "gentle_program", energy_nj, ..program });
        let array_ns = [(GENTLE_READ_US * 1000.0) as u64; 4];
        self.read_row = table.push(OpRow { name: "gentle_read", array_ns, ..read });
    }

    fn plan(&mut self, state: &DriveState, block: u32) -> ErasePlan {
        let erases = state.blocks[block as usize].erases;
        let planned = self.planned.entry(block).or_default();
        assert_eq!(*planned, erases, "what a scheme notes of a block belongs to the run");
        *planned += 1;
        ErasePlan {
            array_ns: erase_ns(u64::from(erases)),
            pulse_ns: PULSE_NS,
            energy_nj: state.ops.row(ERASE).energy_nj[0],
            retire: false,
            program_row: self.program_row,
            read_row: self.read_row,
        }
    }
}

fn slc() -> Config {
    let mut config = drive("slc", 8, &[600.0]);
    config.drive.chip.program_uj = PerPage::One(5.0);
    config
}

fn run(config: &Config, technique: impl Technique, requests: &[Request]) -> RunResult {
    let source = Script::source(requests.to_vec());
    let outcome = with_scheme(config, technique, Pulses::boxed(), source, &mut ());
    outcome.expect("the drive works").result
}

/// The time that the erases of a run took, from how often each block was erased.
fn expected_ms(result: &RunResult) -> f64 {
    let of_block = |erases: u64| (0..erases).map(erase_ns).sum::<u64>();
    let blocks = result.wear.histogram.iter();
    blocks.map(|&[erases, blocks]| blocks * of_block(erases)).sum::<u64>() as f64 / 1e6
}

fn assert_erase_time(result: &RunResult) {
    let (is, expected) = (result.flash.erase_time_ms, expected_ms(result));
    assert!(result.wear.erases_max > u64::from(STEP_PEC) && (is - expected).abs() < 1e-6);
}

#[test]
fn each_block_takes_the_pulses_of_its_age() {
    for pattern in ["none", "steady"] {
        let mut config = slc();
        config.precondition.pattern = pattern.into();
        let requests = random_writes(&config, 3000);
        for config in schedulers(&config) {
            assert_erase_time(&run(&config, Conventional, &requests));
            assert_erase_time(&run(&config, stacked(Conventional), &requests));
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
        if config.run.mode == "timed" {
            let read_us = GENTLE_READ_US + 10.0;
            assert!((result.host.read.mean_us - read_us).abs() < 1e-6, "{:?}", result.host.read);
        }
    }
}

#[test]
fn pulses_are_suspended_for_reads() {
    let mut config = slc();
    config.run.mode = "timed".into();
    config.drive.scheduling.order = "reads_first".into();
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
    assert_erase_time(&suspending);
}

#[test]
fn a_scheme_composes_with_a_technique() {
    let config = tlc();
    let requests = random_writes(&config, 3000);
    for config in schedulers(&config) {
        let result = run(&config, stacked(Reprogramming::new(2)), &requests);
        assert!(result.flash.reprograms > 0);
        assert_erase_time(&result);
    }
}
