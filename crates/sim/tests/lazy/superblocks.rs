//! Second stages of superblocks: the word lines of a row are secured on all dies at once, and a promise counts with
//! that.

use crate::common::{Dice, logical_pages};
use crate::rig::{DAY_NS, LINE_NS, at_ns, everywhere, figure, m1, run, schedulers, tlc, until};
use wordline_sim::Error;
use wordline_sim::config::{Config, GcMode, Pattern, SuperblockParity};
use wordline_sim::technique::lazy_ftl::{LazyFtl, LazyFtlConfig, Moves, Secures};
use wordline_trace::{Op, Request};

/// Four dies on channels of their own, in superblocks of all: three rows of four word lines.
fn of_four_dies(blocks: u64) -> Config {
    let mut config = tlc(blocks);
    config.drive.channels = 4;
    config.ftl.superblock_dies = 4;
    config
}

/// Writes of whole word lines, one a millisecond.
fn lines(count: u64) -> Vec<Request> {
    (0..count).map(|line| at_ns(line * 1_000_000, Op::Write, 3 * line, 3)).collect()
}

#[test]
fn a_row_is_secured_on_all_dies_at_once() {
    let config = of_four_dies(12);
    let fill = |mut requests: Vec<Request>, until_ns: u64| {
        requests.push(until(until_ns));
        requests
    };
    // In the window of the block, from 80 % of the day on: a row, and the next one when that is over.
    let own = LazyFtlConfig { window: 0.2, ..m1() };
    let window_ns = 8 * DAY_NS / 10;
    for (until_ns, secured) in
        [(window_ns, 0), (window_ns + 1, 4), (window_ns + LINE_NS, 4), (window_ns + LINE_NS + 1, 8)]
    {
        for result in everywhere(&config, &own, &fill(lines(12), until_ns)) {
            assert_eq!(figure(&result, "second_stages.idle"), secured, "{until_ns}");
        }
    }
    for config in &schedulers(&config)[1..] {
        let result = run(config, &own, &fill(lines(12), DAY_NS));
        assert_eq!(figure(&result, "second_stages.idle"), 12);
        // A first stage of each line, of 270 us and a transfer of 30, then the second.
        let busy_ns = 3 * (300_000 + LINE_NS);
        let length_ns = result.workload.duration_s * 1e9;
        for share in &result.flash.die_utilisation {
            let deviation = share * length_ns / busy_ns as f64 - 1.0;
            assert!(deviation.abs() < 0.1, "{:?}", result.flash.die_utilisation);
        }
    }
}

/// Two thirds of each die's time are the host's, so that a row asks for three times its second stage.
#[test]
fn a_promise_is_refused_that_asks_for_more_than_all_dies_have() {
    let config = of_four_dies(8);
    let day = |ns: u64| LazyFtlConfig { day_s: ns as f64 / 1e9, ..m1() };
    let needed_ns = 3 * 3 * LINE_NS;
    assert!(LazyFtl::new(day(needed_ns), &config).is_ok());
    assert!(LazyFtl::new(day(needed_ns - 1000), &config).is_err());
    // A die alone would take four times as long for as many word lines.
    let mut alone = tlc(8);
    alone.drive.chip.pages_per_block *= 4;
    assert!(LazyFtl::new(day(4 * needed_ns - 1000), &alone).is_err());
    assert!(LazyFtl::new(day(4 * needed_ns), &alone).is_ok());
}

#[test]
fn what_is_due_is_secured_in_time_on_every_die() {
    // No window: second stages begin as late as may be. A row is kept free for one that has begun.
    let own = LazyFtlConfig { window: 0.0, day_s: 15e-3, ..m1() };
    let config = of_four_dies(12);
    let mut requests = lines(12);
    requests.push(until(40_000_000));
    for config in &schedulers(&config)[1..] {
        let result = run(config, &own, &requests);
        let of = |path| figure(&result, path);
        assert_eq!((of("second_stages.due"), of("late"), of("turned_away")), (12, 0, 0));
    }
}

#[test]
fn every_unit_stays_under_gc_and_second_stages() {
    let moved = LazyFtlConfig { secures: Secures::Moved, window: 0.5, ..m1() };
    let cheaper = LazyFtlConfig { secures: Secures::Cheaper, window: 0.5, ..m1() };
    let lazy = LazyFtlConfig { moves: Moves::Lazy, window: 0.5, ..m1() };
    let wide = LazyFtlConfig { window: 0.5, ..m1() };
    for (own, seed) in [wide, moved, cheaper, lazy].into_iter().zip(1..) {
        for mode in [GcMode::Foreground, GcMode::Paced, GcMode::Background, GcMode::Preemptible] {
            let mut config = of_four_dies(16);
            config.drive.over_provisioning = 0.8;
            config.ftl.gc.mode = mode;
            config.precondition.pattern = Pattern::Steady;
            let (mut dice, pages) = (Dice::new(seed), logical_pages(&config));
            let write = |n: u64| at_ns(n * 1_500_000, Op::Write, dice.below(pages), 1);
            let requests: Vec<Request> = (0..1500).map(write).collect();
            // Every run checks that each unit is where the map says, by legal operations.
            for config in &schedulers(&config)[1..] {
                let result = run(config, &own, &requests);
                let of = |path| figure(&result, path);
                let secured = of("second_stages.idle") + of("second_stages.due");
                let moved = of("moved.word_lines");
                assert!(secured + moved > 100, "{secured} {moved} {own:?} {mode}");
                assert_eq!(of("late"), 0);
            }
        }
    }
}

#[test]
fn parity_has_no_second_stage() {
    let mut config = of_four_dies(8);
    config.ftl.superblock_parity = SuperblockParity::Plane;
    config.technique.insert("lazy_ftl".into(), toml::Table::new().into());
    match crate::common::outcome(&config, lines(1)).map(|_| ()) {
        Err(Error::Infeasible { what, help }) => {
            assert!(what.contains("second stages") && help.contains("superblock_parity"), "{what}");
        }
        other => panic!("{other:?}"),
    }
}
