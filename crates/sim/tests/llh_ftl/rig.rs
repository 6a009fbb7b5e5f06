//! A bank of MLC with LLH-FTL, and writes of hot and of cold data.

use crate::common::{Dice, at};
use serde_json::Value;
use wordline_sim::config::{Acknowledge, Cell, Config, Frontiers, HotnessChoice, PerPage};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::llh_ftl::{LlhFtl, LlhFtlConfig};
use wordline_trace::{Op, Request};

pub const READ_US: f64 = 60.0;
pub const LOW_US: f64 = 500.0;
pub const HIGH_US: f64 = 1300.0;
/// A page of 8 KiB on the channel; a unit is half of that.
pub const PAGE_US: f64 = 20.0;
/// Between two pages' worth of writes.
pub const GAP_US: u64 = 5000;
/// Units of a block of [`bank`].
pub const BLOCK: u64 = 16;
/// Blocks of [`bank`] that are opened before two are left.
pub const BEFORE_SCARCE: u64 = 22;

/// A plane of 24 blocks of 8 pages of 8 KiB, 4 word lines, whose units are 4 KiB; 16 blocks' worth of
/// data. Requests of the first half of the logical space are hot.
pub fn bank() -> Config {
    let mut config = crate::harness::drive(Cell::Mlc, 8, &[LOW_US, HIGH_US]);
    let chip = &mut config.drive.chip;
    chip.blocks_per_plane = 24;
    chip.page_kib = 8.0;
    chip.read_us = PerPage::One(READ_US);
    config.drive.over_provisioning = 0.5;
    config.ftl.mapping_unit_kib = 4.0;
    config.ftl.frontiers = Frontiers::Coldest;
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.ftl.hotness.policy = HotnessChoice::Oracle;
    config.ftl.hotness.hot_share = 0.5;
    config.ftl.gc.free_block_threshold = 2.1 / 24.0;
    config
}

/// Codes that do not fail, and a threshold that does not move.
pub fn plain() -> LlhFtlConfig {
    LlhFtlConfig { failure: 0.0, steps: 1000, floor: 0, strain: 1.0, ..LlhFtlConfig::default() }
}

pub fn technique(own: &LlhFtlConfig, config: &Config) -> LlhFtl {
    LlhFtl::new(own.clone(), config).expect("the drive is one for LLH-FTL")
}

/// Runs requests under every scheduler, alone and in a stack.
pub fn run(config: &Config, own: &LlhFtlConfig, requests: &[Request]) -> [RunResult; 3] {
    crate::harness::everywhere(config, || technique(own, config), requests)
}

/// Writes of a few hot units over and over: whatever is not among the last of them is invalid.
pub fn all_hot(count: u64) -> Vec<Request> {
    writes((0..count).map(|n| n % (BLOCK / 2)))
}

/// A figure of the technique's, by its path.
pub fn figure(result: &RunResult, path: &str) -> u64 {
    let found = Value::Object(result.technique.clone()).pointer(path).and_then(Value::as_u64);
    found.unwrap_or_else(|| panic!("no count {path} in {:?}", result.technique))
}

/// Writes of a unit each, two at a time, so that they fill a page; far apart.
pub fn writes(units: impl IntoIterator<Item = u64>) -> Vec<Request> {
    let at = |(unit, n): (u64, u64)| at(n / 2 * GAP_US, Op::Write, unit, 1);
    units.into_iter().zip(0..).map(at).collect()
}

/// Random writes, of which a share in 100 goes to the first `hot` units, the others beyond half of the
/// logical space of `units`.
pub fn mixed(count: u64, share: u64, hot: u64, units: u64) -> Vec<Request> {
    let mut dice = Dice::new(7);
    let half = units / 2;
    let unit = |dice: &mut Dice| match dice.below(100) < share {
        true => dice.below(hot),
        false => half + dice.below(units - half),
    };
    writes((0..count).map(|_| unit(&mut dice)).collect::<Vec<_>>())
}
