//! A drive of two SLC dies and two TLC dies, one of each on each of two channels. A program of the TLC dies
//! takes 12 units of 4 KiB; the TLC flash has eight times the units of the SLC flash.

use crate::harness::{drive, everywhere, run};
use wordline_sim::config::{Allocation, Cell, Config, GroupConfig, PerPage, ProgramUnit};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::centaur::{Centaur, CentaurConfig, Steal};
use wordline_trace::{Op, Request};

/// Bytes of a unit.
pub const UNIT: u64 = 4096;
/// Units of a range.
pub const RANGE: u64 = 12;
/// The groups, in the order of the results.
pub const TWO_D: usize = 0;
pub const THREE_D: usize = 1;

pub fn two_kinds() -> Config {
    let mut config = drive(Cell::Slc, 8, &[600.0]);
    config.drive.channels = 2;
    config.ftl.allocation = Allocation::Cwdp;
    config.ftl.mapping_unit_kib = 4.0;
    let mut slc = GroupConfig { chip: config.drive.chip.clone(), ..GroupConfig::default() };
    (slc.chip.blocks_per_plane, slc.chip.endurance_pec) = (24, 60_000);
    let mut tlc = slc.clone();
    let chip = &mut tlc.chip;
    (chip.cell, chip.program) = (Cell::Tlc, ProgramUnit::FullSequence);
    (chip.blocks_per_plane, chip.pages_per_block, chip.page_kib) = (16, 24, 16.0);
    chip.program_us = PerPage::One(1500.0);
    (chip.erase_ms, chip.endurance_pec) = (10.0, 5000);
    config.drive.group = [("a-slc".into(), slc), ("b-tlc".into(), tlc)].into();
    config
}

/// The TLC dies alone, or the SLC dies.
pub fn one_kind(name: &str) -> Config {
    let mut config = two_kinds();
    config.drive.chip = config.drive.group[name].chip.clone();
    config.drive.group.clear();
    config
}

/// A criterion of half a program that does not change, and nothing else.
pub fn dispatcher() -> CentaurConfig {
    CentaurConfig {
        initial_bytes: 6 * UNIT,
        min_bytes: UNIT,
        max_bytes: RANGE * UNIT,
        step_bytes: 0,
        steal: Steal::Never,
        migrate: false,
        ..CentaurConfig::default()
    }
}

pub fn centaur(own: &CentaurConfig, config: &Config) -> Centaur {
    Centaur::new(own.clone(), config).expect("it works on this drive")
}

pub fn run_with(own: &CentaurConfig, config: &Config, requests: &[Request]) -> RunResult {
    run(config, centaur(own, config), requests.to_vec())
}

/// Under every scheduler, alone and in a stack, with equal counts.
pub fn everywhere_with(
    own: &CentaurConfig,
    config: &Config,
    requests: &[Request],
) -> [RunResult; 3] {
    everywhere(config, || centaur(own, config), requests)
}

/// A write of units at a time in microseconds.
pub fn put(us: u64, unit: u64, units: u32) -> Request {
    crate::common::at(us, Op::Write, unit, units)
}

/// A whole range.
pub fn whole(us: u64, range: u64) -> Request {
    put(us, range * RANGE, RANGE as u32)
}

/// Valid units of both kinds of flash.
pub fn valid(result: &RunResult) -> [u64; 2] {
    [TWO_D, THREE_D].map(|group| result.wear.groups[group].valid_pages)
}

pub fn share(result: &RunResult, name: &str) -> f64 {
    result.technique[name].as_f64().expect("the technique reports a number of that name")
}
