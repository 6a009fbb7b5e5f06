//! Small drives with ReSSD.

use crate::common::{Script, at, tiny_timed};
use serde_json::Value;
use wordline_sim::config::{
    Acknowledge, Cell, Config, Frontiers, HotnessChoice, PerPage, ProgramUnit,
};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::ressd::{ReSsd, ReSsdConfig};
use wordline_sim::with;
use wordline_trace::{Op, Request};

/// Times of the conventional operations, and of the reprogramming ones, microseconds.
pub const READ_US: f64 = 66.0;
pub const PROGRAM_US: f64 = 3000.0;
/// A page on the channel.
pub const PAGE_US: f64 = 10.0;

/// A plane of 24 blocks of 8 word lines of TLC, in layers of that many; the first half of the logical
/// space is hot.
pub fn tlc(word_lines_per_layer: u64) -> Config {
    let mut config = tiny_timed();
    let chip = &mut config.drive.chip;
    chip.cell = Cell::Tlc;
    chip.program = ProgramUnit::OneShot;
    chip.blocks_per_plane = 24;
    chip.pages_per_block = 24;
    chip.layers_per_block = 8 / word_lines_per_layer;
    chip.read_us = PerPage::One(READ_US);
    chip.program_us = PerPage::One(PROGRAM_US);
    config.ftl.hotness.policy = HotnessChoice::Oracle;
    config.ftl.hotness.hot_share = 0.5;
    config.ftl.frontiers = Frontiers::Shared;
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.drive.over_provisioning = 1.0;
    config
}

/// The technique with super layers of that many layers.
pub fn layers(layers: u64) -> ReSsdConfig {
    ReSsdConfig { layers, ..ReSsdConfig::default() }
}

pub fn technique(own: &ReSsdConfig, config: &Config) -> ReSsd {
    ReSsd::new(own.clone(), config).expect("the drive is one for ReSSD")
}

/// Runs requests; in debug builds every operation is checked for legality on the way.
pub fn run(config: &Config, own: &ReSsdConfig, requests: Vec<Request>) -> RunResult {
    let technique = technique(own, config);
    let outcome = with(config, technique, Script::source(requests), &mut ());
    outcome.expect("the drive works").result
}

/// A figure of the technique's, by its path.
pub fn figure(result: &RunResult, path: &str) -> u64 {
    let found = Value::Object(result.technique.clone()).pointer(path).and_then(Value::as_u64);
    found.unwrap_or_else(|| panic!("no count {path} in {:?}", result.technique))
}

/// Writes of one page each, `gap_us` apart.
pub fn writes(pages: impl IntoIterator<Item = u64>, from_us: u64, gap_us: u64) -> Vec<Request> {
    let at = |(page, n): (u64, u64)| at(from_us + n * gap_us, Op::Write, page, 1);
    pages.into_iter().zip(0..).map(at).collect()
}
