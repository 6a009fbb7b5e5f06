//! The cache on superblocks: what it takes and hands on is that of blocks of their size.

use crate::common::{logical_pages, outcome};
use crate::harness::schedulers;
use crate::rig::{cache, drive, random, writes};
use wordline_sim::config::{Acknowledge, Config, GcMode, Pattern, RunMode, SuperblockParity};
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::slc_cache::{Fold, Size, SlcCacheConfig, Victims, WhenFull};
use wordline_trace::Request;

/// Planes of a program, dies of a row, and so blocks of a superblock.
const PLANES: u64 = 2;
const DIES: u64 = 4;
const BLOCKS: u64 = PLANES * DIES;

fn with(config: Config, own: &SlcCacheConfig) -> Config {
    let table = toml::Value::try_from(own).expect("parameters are a table");
    let mut config = config;
    config.technique.insert("slc_cache".into(), table);
    config
}

/// The drive of the other tests, on four dies of two planes that are one superblock deep.
fn of_superblocks(config: &Config) -> Config {
    let mut config = config.clone();
    config.drive.channels = 2;
    config.drive.chips_per_channel = DIES / 2;
    config.drive.chip.planes = PLANES;
    config.drive.chip.multi_plane = true;
    config.ftl.superblock_dies = DIES;
    config
}

/// A drive of one plane whose blocks are as large as the superblocks of another.
fn of_large_blocks(config: &Config) -> Config {
    let mut config = config.clone();
    config.drive.chip.pages_per_block *= BLOCKS;
    config
}

fn run(config: &Config, requests: Vec<Request>) -> RunResult {
    outcome(config, requests).expect("the drive works").result
}

fn figure(result: &RunResult, path: &str) -> u64 {
    crate::rig::figure(result, &format!("/slc_cache{path}"))
}

/// What does not hang on the number of blocks that each erase is of.
const COUNTS: [&str; 9] = [
    "/host_units/cached",
    "/host_units/written_through",
    "/host_units/onto_cache_cells",
    "/left_cache/overwritten",
    "/left_cache/folded_while_writes_waited",
    "/left_cache/moved_by_gc",
    "/left_cache/moved_onto_cache_cells",
    "/left_cache/stayed_in_place",
    "/capacity_bytes/most_used",
];

fn kinds() -> Vec<SlcCacheConfig> {
    let of = |size, when_full, fold, gc| SlcCacheConfig { size, when_full, fold, gc, ..cache() };
    vec![
        of(Size::Static, WhenFull::WriteThrough, Fold::Copy, Victims::Last),
        of(Size::Static, WhenFull::FoldFirst, Fold::Copy, Victims::Any),
        of(Size::Hybrid, WhenFull::FoldFirst, Fold::InPlace, Victims::Last),
        of(Size::Dynamic, WhenFull::InPlace, Fold::Copy, Victims::Any),
        of(Size::Hybrid, WhenFull::InPlace, Fold::InPlace, Victims::Last),
    ]
}

#[test]
fn it_counts_on_superblocks_what_it_counts_on_blocks_of_their_size() {
    let mut config = drive();
    config.run.mode = RunMode::Count;
    for own in kinds() {
        let [ours, theirs] = [of_superblocks(&config), of_large_blocks(&config)].map(|config| {
            let config = with(config, &own);
            let mut dice = crate::common::Dice::new(3);
            let units = logical_pages(&config);
            run(&config, writes((0..20_000).map(|_| dice.below(units))))
        });
        // GC meets a victim's units in another order, so that a few go to another block.
        let is_near = |one: u64, other: u64| one.abs_diff(other) <= 2 * BLOCKS + other / 50;
        for path in COUNTS {
            let counts = (figure(&ours, path), figure(&theirs, path));
            assert!(is_near(counts.0, counts.1), "{path} {counts:?} {own:?}");
        }
        for path in ["/erases/slc", "/erases/other", "/blocks/opened"] {
            let counts = (figure(&ours, path), BLOCKS * figure(&theirs, path));
            assert!(is_near(counts.0, counts.1), "{path} {counts:?} {own:?}");
        }
        let amplification = [&ours, &theirs].map(|of| of.write_amplification.expect("it wrote"));
        let ratio = amplification[0] / amplification[1];
        assert!((ratio - 1.0).abs() < 0.02, "{amplification:?} {own:?}");
        assert!(figure(&ours, "/host_units/cached") > 100, "{own:?}");
    }
}

#[test]
fn a_row_of_the_cache_is_programmed_on_all_dies_at_once() {
    // A page of each plane: a die takes two pages of the channel's, then programs them together.
    let mut config = with(of_superblocks(&drive()), &cache());
    config.ftl.acknowledge = Acknowledge::Program;
    let result = run(&config, writes(0..BLOCKS));
    assert_eq!(result.flash.program_operations, DIES);
    assert_eq!(figure(&result, "/host_units/cached"), BLOCKS);
    let end_us = (2 * 2 * crate::rig::PAGE_US + crate::rig::SLC_US) as f64;
    assert!(
        (result.workload.duration_s * 1e6 - end_us).abs() < 1e-3,
        "{} us",
        result.workload.duration_s * 1e6
    );
}

#[test]
fn it_hands_superblocks_on_in_idle_time_and_every_unit_stays() {
    for (own, parity, metadata) in [
        (kinds(), SuperblockParity::None, 1.0),
        (kinds(), SuperblockParity::Plane, 1.0),
        (kinds(), SuperblockParity::Die, 1.1),
    ]
    .into_iter()
    .flat_map(|(kinds, parity, factor)| kinds.into_iter().map(move |own| (own, parity, factor)))
    {
        for mode in [GcMode::Foreground, GcMode::Paced, GcMode::Background, GcMode::Preemptible] {
            let mut config = of_superblocks(&drive());
            config.drive.over_provisioning = 1.4;
            config.ftl.superblock_parity = parity;
            config.ftl.superblock_metadata_factor = metadata;
            config.ftl.gc.mode = mode;
            config.ftl.gc.idle_us = 500.0;
            config.precondition.pattern = Pattern::Steady;
            let config = with(config, &own);
            let requests = random(&config, 3000, 400);
            // Every run checks that each unit is where the map says, by legal operations.
            for config in schedulers(&config) {
                let result = run(&config, requests.clone());
                assert!(figure(&result, "/host_units/cached") > 0, "{own:?} {mode}");
                let paths = ["folded_in_idle_time", "overwritten", "stayed_in_place"];
                let left = paths.map(|name| figure(&result, &format!("/left_cache/{name}")));
                let is_timed = config.run.mode == RunMode::Timed;
                assert!(!is_timed || left.iter().sum::<u64>() > 100, "{left:?} {own:?} {mode}");
            }
        }
    }
}
