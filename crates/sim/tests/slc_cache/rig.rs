//! A die of TLC with an SLC cache, and writes that fill it.

use crate::common::{Dice, at};
use serde_json::Value;
use wordline_sim::config::{Acknowledge, Cell, Config, ProgramUnit};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::slc_cache::{SlcCache, SlcCacheConfig};
use wordline_trace::{Op, Request};

/// Units of a block in the cache, and outside of it.
pub const SLC: u64 = 4;
pub const TLC: u64 = 12;
/// Blocks of the plane of [`drive`], and of its logical space.
pub const BLOCKS: u64 = 24;
pub const LOGICAL: u64 = 16;
/// Blocks that [`cache`] sets aside.
pub const ASIDE: u64 = 2;
/// Times in microseconds: a page on the channel, a program in the cache and one of a word line, reads.
pub const PAGE_US: u64 = 10;
pub const SLC_US: u64 = 200;
pub const TLC_US: u64 = 900;
pub const SLC_READ_US: u64 = 25;
pub const TLC_READ_US: u64 = 50;
pub const ERASE_US: u64 = 3000;

/// A plane of 24 blocks of 4 word lines, 16 blocks' worth of data; it is never idle for long enough.
pub fn drive() -> Config {
    let mut config = crate::harness::drive(Cell::Tlc, TLC, &[TLC_US as f64; 3]);
    config.drive.chip.blocks_per_plane = BLOCKS;
    config.drive.chip.program = ProgramUnit::OneShot;
    config.drive.over_provisioning = 0.5;
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.ftl.gc.idle_us = 1e9;
    config
}

/// Two blocks that are its own.
pub fn cache() -> SlcCacheConfig {
    SlcCacheConfig {
        static_share: ASIDE as f64 / BLOCKS as f64,
        program_us: SLC_US as f64,
        read_us: SLC_READ_US as f64,
        ..SlcCacheConfig::default()
    }
}

pub fn technique(own: &SlcCacheConfig, config: &Config) -> SlcCache {
    SlcCache::new(own.clone(), config).expect("the drive is one for an SLC cache")
}

/// Runs requests under every scheduler, alone and in a stack.
pub fn run(config: &Config, own: &SlcCacheConfig, requests: &[Request]) -> [RunResult; 3] {
    crate::harness::everywhere(config, || technique(own, config), requests)
}

/// A run under the scheduler in order alone.
pub fn run_timed(config: &Config, own: &SlcCacheConfig, requests: Vec<Request>) -> RunResult {
    let [_, in_order, _] = crate::harness::schedulers(config);
    crate::harness::run(&in_order, technique(own, config), requests)
}

/// Writes of a unit each, at once.
pub fn writes(units: impl IntoIterator<Item = u64>) -> Vec<Request> {
    units.into_iter().map(crate::common::write).collect()
}

/// A read of a unit that nobody wrote, at a time: so long the drive may be idle.
pub fn until(us: u64) -> Request {
    at(us, Op::Read, LOGICAL * TLC - 1, 1)
}

/// A figure of the technique's, by its path.
pub fn figure(result: &RunResult, path: &str) -> u64 {
    let found = Value::Object(result.technique.clone()).pointer(path).and_then(Value::as_u64);
    found.unwrap_or_else(|| panic!("no count {path} in {:?}", result.technique))
}

/// Units of the host that went to the cache, and beside it because it was full.
pub fn taken(result: &RunResult) -> (u64, u64) {
    (figure(result, "/host_units/cached"), figure(result, "/host_units/written_through"))
}

/// Random writes, reads and trims of up to three units, so many microseconds apart on average, and a pause
/// now and then.
pub fn random(config: &Config, count: u64, gap_us: u64) -> Vec<Request> {
    let (mut dice, units) = (Dice::new(5), crate::harness::logical_units(config));
    let mut now_us = 0;
    let request = |_| {
        now_us += dice.below(2 * gap_us) + if dice.one_in(100) { 200 * gap_us } else { 0 };
        let op = dice.pick(&[Op::Write, Op::Write, Op::Write, Op::Read, Op::Trim]);
        at(now_us, op, dice.below(units - 2), dice.between(1, 3) as u32)
    };
    (0..count).map(request).collect()
}
