//! A small TLC drive whose times can be worked out by hand, and runs under every scheduler.
//!
//! A conventional program takes 900 us, so that a first stage takes 270 (M1), and a second one 900; a read
//! takes 50, a page on the channel 10. A word line's second stage, with its three reads, takes
//! 3 x (50 + 10) + 3 x 10 + 900 = 1110 us.

use crate::common::{PAGE, Script, tiny_timed};
use wordline_sim::config::{Cell, Config, PerPage, ProgramUnit, RunMode, ServiceOrder};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::Stack;
use wordline_sim::technique::lazy_ftl::{LazyFtl, LazyFtlConfig, Written};
use wordline_sim::{Error, Own, with_own};
use wordline_trace::{Op, Request};

/// A day of retention, ns.
pub const DAY_NS: u64 = 100_000_000;
/// A second stage of a word line, with its reads.
pub const LINE_NS: u64 = 1_110_000;

/// Blocks of three word lines.
pub fn tlc(blocks: u64) -> Config {
    let mut config = tiny_timed();
    let chip = &mut config.drive.chip;
    chip.cell = Cell::Tlc;
    chip.program = ProgramUnit::OneShot;
    chip.pages_per_block = 9;
    chip.blocks_per_plane = blocks;
    chip.program_us = PerPage::One(900.0);
    config
}

/// Blocks in M1 for a day of 100 ms, whose last tenth is the window.
pub fn m1() -> LazyFtlConfig {
    LazyFtlConfig {
        mode: Written::M1,
        day_s: DAY_NS as f64 / 1e9,
        margin_s: 0.0,
        ..LazyFtlConfig::default()
    }
}

/// A drive without time, in order, and with reads first.
pub fn schedulers(config: &Config) -> [Config; 3] {
    let with = |mode: RunMode, order: ServiceOrder| {
        let mut config = config.clone();
        config.run.mode = mode;
        config.drive.scheduling.order = order;
        config
    };
    [
        with(RunMode::Count, ServiceOrder::InOrder),
        with(RunMode::Timed, ServiceOrder::InOrder),
        with(RunMode::Timed, ServiceOrder::ReadsFirst),
    ]
}

/// Runs requests on the drive with the technique.
pub fn run(config: &Config, own: &LazyFtlConfig, requests: &[Request]) -> RunResult {
    try_run(config, own, requests).unwrap_or_else(|error| panic!("{error}"))
}

/// The outcome of a run, if it comes to its end.
pub fn try_run(
    config: &Config,
    own: &LazyFtlConfig,
    requests: &[Request],
) -> Result<RunResult, Error> {
    let technique = LazyFtl::new(own.clone(), config).expect("it works on this drive");
    let source = Script::source(requests.to_vec());
    Ok(with_own(config, Stack::alone(technique), Own::default(), source, &mut ())?.result)
}

/// Runs requests under every scheduler: what is done must not differ.
pub fn everywhere(config: &Config, own: &LazyFtlConfig, requests: &[Request]) -> [RunResult; 3] {
    let results = schedulers(config).map(|config| run(&config, own, requests));
    // What the last request saw depends on how long things take.
    let done = |result: &RunResult| {
        let mut told = result.technique.clone();
        told.remove("without_power");
        told
    };
    for result in &results[1..] {
        assert_eq!(done(result), done(&results[0]));
        assert_eq!(result.flash.program_operations, results[0].flash.program_operations);
    }
    results
}

/// A request of whole pages at a time in nanoseconds.
pub fn at_ns(ns: u64, op: Op, page: u64, pages: u32) -> Request {
    Request::new(op, page * PAGE, pages * PAGE as u32).at(ns)
}

/// A read of nothing: until then the run goes on.
pub fn until(ns: u64) -> Request {
    at_ns(ns, Op::Read, 20, 1)
}

/// A count that the technique reports, by the path to it.
pub fn figure(result: &RunResult, path: &str) -> u64 {
    let mut keys = path.split('.');
    let first = &result.technique[keys.next().unwrap_or_default()];
    let value = keys.fold(first, |value, key| &value[key]);
    value.as_u64().unwrap_or_else(|| panic!("{path} is {value}"))
}

/// Word lines secured, idle and due, and those that needed it no longer.
pub fn ends(result: &RunResult) -> (u64, u64, u64) {
    let of = |path| figure(result, path);
    (of("second_stages.idle"), of("second_stages.due"), of("dropped"))
}
