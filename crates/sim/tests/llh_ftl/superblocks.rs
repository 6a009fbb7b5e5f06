//! LLH-FTL on superblocks: the word lines of a row lie on one die each, and what is written there is what blocks of
//! their size take.

use crate::common::{logical_pages, outcome};
use crate::harness::schedulers;
use crate::rig::{bank, figure, mixed, plain};
use wordline_sim::config::{Config, GcMode, RunMode};
use wordline_sim::metrics::RunResult;
use wordline_trace::Request;

const DIES: u64 = 4;

fn with_llh(mut config: Config) -> Config {
    let table = toml::Value::try_from(plain()).expect("parameters are a table");
    config.technique.insert("llh_ftl".into(), table);
    config
}

/// The bank on four dies that are one superblock deep.
fn of_superblocks() -> Config {
    let mut config = with_llh(bank());
    (config.drive.channels, config.drive.chips_per_channel) = (2, DIES / 2);
    config.ftl.superblock_dies = DIES;
    config
}

/// The bank with blocks as large.
fn of_large_blocks() -> Config {
    let mut config = with_llh(bank());
    config.drive.chip.pages_per_block *= DIES;
    config
}

fn run(config: &Config, requests: Vec<Request>) -> RunResult {
    outcome(config, requests).expect("the drive works").result
}

fn requests(config: &Config, count: u64) -> Vec<Request> {
    // Of each page two units.
    mixed(count, 90, 48, 2 * logical_pages(config))
}

fn counts(result: &RunResult) -> Vec<u64> {
    let (gc, flash) = (&result.gc, &result.flash);
    let programs = (flash.page_programs.host, flash.page_programs.gc);
    let seconds = figure(result, "/llh_ftl/rounds/second_empty");
    vec![gc.count, gc.pages_moved, programs.0, programs.1, flash.reprograms, seconds]
}

#[test]
fn it_counts_on_superblocks_what_it_counts_on_blocks_of_their_size() {
    let [ours, theirs] = [of_superblocks(), of_large_blocks()].map(|mut config| {
        config.run.mode = RunMode::Count;
        run(&config, requests(&config, 20_000))
    });
    assert_eq!(counts(&ours), counts(&theirs));
    assert_eq!(ours.flash.erases, DIES * theirs.flash.erases);
    assert!(ours.flash.reprograms > 500 && ours.gc.count > 20, "{:?}", counts(&ours));
}

#[test]
fn every_unit_stays_and_no_word_line_is_programmed_that_may_not_be() {
    for mode in [GcMode::Foreground, GcMode::Paced, GcMode::Background, GcMode::Preemptible] {
        let mut config = of_superblocks();
        config.ftl.gc.mode = mode;
        // Every run checks that each unit is where the map says, by legal operations.
        for config in schedulers(&config) {
            let reprograms = run(&config, requests(&config, 6_000)).flash.reprograms;
            // GC that goes on in every idle moment leaves no block to be written a second time.
            let waits = matches!(mode, GcMode::Foreground | GcMode::Paced);
            assert!(!waits || reprograms > 100, "{mode}: {reprograms}");
        }
    }
}

#[test]
fn word_lines_lie_on_all_dies_alike() {
    let config = of_superblocks();
    let busy = run(&config, requests(&config, 6_000)).flash.die_utilisation;
    assert!(busy.iter().all(|&share| (share / busy[0] - 1.0).abs() < 0.1), "{busy:?}");
}
