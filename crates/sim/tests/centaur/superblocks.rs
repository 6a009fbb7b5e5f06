//! Centaur on superblocks, which each kind of flash has of its own: what is dispatched, merged and handed on there is
//! what blocks of their size take.

use crate::common::{Dice, outcome};
use crate::harness::schedulers;
use crate::rig::{RANGE, THREE_D, TWO_D, dispatcher, put, two_kinds, valid, whole};
use serde_json::Value;
use wordline_sim::Error;
use wordline_sim::config::{Config, GcMode, Pattern, RunMode, SuperblockParity};
use wordline_sim::logical_bytes;
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::centaur::{CentaurConfig, Partial, Steal};
use wordline_trace::Request;

const DIES: u64 = 2;

fn with_centaur(mut config: Config, own: &CentaurConfig) -> Config {
    let table = toml::Value::try_from(own).expect("parameters are a table");
    config.technique.insert("centaur".into(), table);
    config
}

/// Two dies of each kind of flash, which are one superblock deep.
fn of_superblocks(own: &CentaurConfig) -> Config {
    let mut config = with_centaur(two_kinds(), own);
    config.ftl.superblock_dies = DIES;
    config
}

/// A die of each kind with blocks as large.
fn of_large_blocks(own: &CentaurConfig) -> Config {
    let mut config = with_centaur(two_kinds(), own);
    config.drive.channels = 1;
    for group in config.drive.group.values_mut() {
        group.chip.pages_per_block *= DIES;
    }
    config
}

fn run(config: &Config, requests: Vec<Request>) -> RunResult {
    outcome(config, requests).expect("the drive works").result
}

/// Parts of all sizes, all over the drive.
fn requests(config: &Config, seed: u64, count: u64) -> Vec<Request> {
    let units = logical_bytes(config).expect("the drive works") / crate::rig::UNIT;
    let mut dice = Dice::new(seed);
    let write = |n: u64| {
        let length = dice.between(1, 2 * RANGE);
        put(n * 3_000, dice.below(units - length), length as u32)
    };
    (0..count).map(write).collect()
}

fn kinds() -> Vec<CentaurConfig> {
    let migrates = CentaurConfig { migrate: true, ..dispatcher() };
    vec![
        dispatcher(),
        CentaurConfig { partial: Partial::Pad, ..dispatcher() },
        CentaurConfig { partial: Partial::Pad, ..migrates.clone() },
        migrates,
    ]
}

fn counts(result: &RunResult) -> Vec<u64> {
    let (gc, flash) = (&result.gc, &result.flash);
    let programs = (flash.page_programs.host, flash.page_programs.gc, flash.padding);
    let [two, three] = valid(result);
    vec![gc.count, gc.pages_moved, programs.0, programs.1, programs.2, two, three]
}

#[test]
fn it_counts_on_superblocks_what_it_counts_on_blocks_of_their_size() {
    for own in kinds() {
        let [ours, theirs] = [of_superblocks(&own), of_large_blocks(&own)].map(|mut config| {
            config.run.mode = RunMode::Count;
            run(&config, requests(&config, 5, 2_500))
        });
        assert_eq!(counts(&ours), counts(&theirs), "{own:?}");
        assert_eq!(ours.flash.erases, DIES * theirs.flash.erases);
        assert_eq!(ours.technique["centaur"], theirs.technique["centaur"], "{own:?}");
        let [two, three] = valid(&ours);
        assert!(two > 50 && three > 500 && ours.gc.count > 20, "{:?}", counts(&ours));
    }
}

#[test]
fn ranges_are_programmed_on_the_dies_in_turn() {
    // A program of 1,500 us, and four pages of 16 KiB on the channel of each die.
    let own = dispatcher();
    let alone = run(&of_superblocks(&own), vec![whole(0, 0)]).host.write.mean_us;
    let result = run(&of_superblocks(&own), vec![whole(0, 0), whole(0, 1)]);
    assert!((result.host.write.mean_us - alone).abs() < 1e-3, "{} us", result.host.write.mean_us);
    assert_eq!(valid(&result)[THREE_D], 2 * RANGE);
    let small = run(&of_superblocks(&own), vec![put(0, 0, 1), put(0, 100, 1)]);
    assert_eq!((valid(&small)[TWO_D], small.flash.program_operations), (2, 2));
    let once = run(&of_superblocks(&own), vec![put(0, 0, 1)]).host.write.mean_us;
    assert!((small.host.write.mean_us - once).abs() < 1e-3, "{} us", small.host.write.mean_us);
}

#[test]
fn idle_dies_of_a_superblock_take_parts_over() {
    let steals = CentaurConfig { steal: Steal::AnyIdle, migrate: true, ..dispatcher() };
    for own in [steals.clone(), CentaurConfig { steal: Steal::AllIdle, ..steals }] {
        for mode in [GcMode::Foreground, GcMode::Paced, GcMode::Background, GcMode::Preemptible] {
            let mut config = of_superblocks(&own);
            config.ftl.gc.mode = mode;
            (config.precondition.pattern, config.precondition.fill) = (Pattern::Random, 0.9);
            // Every run checks that each unit is where the map says, by legal operations.
            for config in &schedulers(&config)[1..] {
                let result = run(config, requests(config, 7, 1_500));
                let figures = Value::Object(result.technique.clone());
                let stolen = figures.pointer("/centaur/stolen_parts").and_then(Value::as_u64);
                assert!(stolen > Some(0), "{figures}");
            }
        }
    }
}

#[test]
fn parity_is_refused_beside_it() {
    let mut config = of_superblocks(&dispatcher());
    config.ftl.superblock_parity = SuperblockParity::Plane;
    match outcome(&config, vec![whole(0, 0)]).map(|_| ()) {
        Err(Error::Infeasible { what, help }) => {
            assert!(what.contains("centaur") && help.contains("superblock_parity"), "{what}");
        }
        other => panic!("{other:?}"),
    }
}
