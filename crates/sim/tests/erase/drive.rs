//! A small drive whose blocks erase by a scheme, and random writes.

use crate::common::{Dice, PAGE, Script, at, tiny_timed};
use wordline_sim::config::{Cell, Config, RunMode, SchemeChoice};
use wordline_sim::metrics::RunResult;
use wordline_sim::{logical_bytes, simulate};
use wordline_trace::{Op, Request};

/// A TLC drive of `blocks` blocks at this age, with the scheme and its parameters as TOML.
pub fn drive(blocks: u64, pec: u64, scheme: SchemeChoice, parameters: &str) -> Config {
    let mut config = tiny_timed();
    config.run.mode = RunMode::Count;
    config.drive.chip.cell = Cell::Tlc;
    config.drive.chip.pages_per_block = 12;
    config.drive.chip.blocks_per_plane = blocks;
    config.drive.chip.initial_pec = pec;
    config.drive.chip.erase_ms = 3.5;
    config.drive.chip.erase_uj = 3.5;
    config.erase.scheme = scheme;
    let table: toml::Table = toml::from_str(parameters).expect("TOML");
    config.erase.schemes.insert(scheme.name().into(), table.into());
    config
}

/// A drive whose pages have the errors of the cell laboratory's tables, read by these keys of `[drive.reads]`.
pub fn with_errors(mut config: Config, keys: &str) -> Config {
    config.drive.reads = toml::from_str(&format!("model = \"cell\"\n{keys}")).expect("TOML");
    config
}

/// Retries for each page that was read.
pub fn retries(result: &RunResult) -> f64 {
    result.reads.as_ref().expect("pages have errors").retries_per_page
}

/// Random writes of a page each, a millisecond apart, that fill the drive so many times.
pub fn writes(config: &Config, fills: u64) -> Vec<Request> {
    let units = logical_bytes(config).expect("the drive works") / PAGE;
    let mut dice = Dice::new(7);
    let first = (0..units).map(|n| at(n * 1000, Op::Write, n, 1)).collect::<Vec<_>>();
    let more = (units..units * fills).map(|n| at(n * 1000, Op::Write, dice.below(units), 1));
    first.into_iter().chain(more).collect()
}

pub fn run(config: &Config, requests: Vec<Request>) -> RunResult {
    simulate(config, Script::source(requests), &mut ()).expect("the drive works").result
}

/// A run of random writes.
pub fn worn(config: &Config, fills: u64) -> RunResult {
    run(config, writes(config, fills))
}

/// What the scheme reports under a name.
pub fn figure(result: &RunResult, name: &str) -> f64 {
    result.erase[name].as_f64().unwrap_or_else(|| panic!("{name} of {:?}", result.erase))
}
