//! How much the cache takes, to the unit.

use crate::common::{PAGE, at};
use crate::rig::{
    ASIDE, BLOCKS, LOGICAL, SLC, TLC, cache, drive, figure, random, run, taken, writes,
};
use wordline_sim::config::{Config, HotnessChoice, Pattern};
use wordline_sim::technique::slc_cache::{Bypass, Size, SlcCacheConfig, WhenFull};
use wordline_trace::Op;

/// What a cache takes of so many units, one after the other.
#[track_caller]
fn check_takes(config: &Config, own: &SlcCacheConfig, capacity: u64) {
    for (units, expected) in [
        (capacity - 1, (capacity - 1, 0)),
        (capacity, (capacity, 0)),
        (capacity + 1, (capacity, 1)),
    ] {
        for result in run(config, own, &writes(0..units)) {
            assert_eq!(taken(&result), expected, "{units} of {capacity}");
        }
    }
}

#[test]
fn a_static_cache_takes_what_its_blocks_hold_and_no_unit_more() {
    check_takes(&drive(), &cache(), ASIDE * SLC);
    let five = SlcCacheConfig { static_share: 5.0 / BLOCKS as f64, ..cache() };
    let mut config = drive();
    config.drive.over_provisioning = 1.0;
    check_takes(&config, &five, 5 * SLC);
    let mib = (3 * SLC * PAGE) as f64 / (1024.0 * 1024.0);
    check_takes(&drive(), &SlcCacheConfig { static_mib: mib, ..cache() }, 3 * SLC);
}

#[test]
fn a_dynamic_cache_takes_a_third_of_what_is_free() {
    let dynamic = SlcCacheConfig { size: Size::Dynamic, static_share: 0.0, ..cache() };
    check_takes(&drive(), &dynamic, LOGICAL * SLC);
    let half = SlcCacheConfig { dynamic_share: 0.5, ..dynamic.clone() };
    check_takes(&drive(), &half, LOGICAL / 2 * SLC);
    let mib = (5 * SLC * PAGE) as f64 / (1024.0 * 1024.0);
    check_takes(&drive(), &SlcCacheConfig { dynamic_mib: mib, ..dynamic }, 5 * SLC);
}

#[test]
fn it_shrinks_as_the_drive_fills_down_to_its_own_blocks() {
    for (fill, blocks) in [(0.0, 16), (0.25, 12), (0.75, 4), (0.9375, 1), (1.0, 0)] {
        let mut config = drive();
        config.precondition.fill = fill;
        config.precondition.pattern = Pattern::Sequential;
        let free = SlcCacheConfig { size: Size::Dynamic, static_share: 0.0, ..cache() };
        if blocks > 0 {
            // New data, so that nothing of the old dies.
            let first = LOGICAL * TLC - blocks * TLC;
            for (units, expected) in [(blocks * SLC, 0), (blocks * SLC + 1, 1)] {
                let results = run(&config, &free, &writes(first..first + units));
                assert_eq!(taken(&results[0]), (blocks * SLC, expected), "{fill}");
            }
        }
        let floor = SlcCacheConfig { size: Size::Dynamic, ..cache() };
        let now = |own| figure(&run(&config, &own, &[])[0], "/capacity_bytes/now") / PAGE / SLC;
        assert_eq!(now(floor), blocks.max(ASIDE));
        assert_eq!(now(SlcCacheConfig { size: Size::Hybrid, ..cache() }), blocks + ASIDE);
    }
}

#[test]
fn data_beside_the_cache_sends_away_what_it_needs_the_room_of() {
    let dynamic = SlcCacheConfig { size: Size::Dynamic, static_share: 0.0, ..cache() };
    let full = LOGICAL * SLC;
    // A block of data beside the cache leaves room for one block less in it.
    for (units, folded) in [(full + TLC, 0), (full + TLC + 1, SLC)] {
        for result in run(&drive(), &dynamic, &writes(0..units)) {
            assert_eq!(taken(&result), (full, units - full));
            assert_eq!(figure(&result, "/left_cache/folded_while_writes_waited"), folded);
        }
    }
    // A cache of half of that leaves room for half of the data.
    let half = SlcCacheConfig { dynamic_share: 0.5, ..dynamic };
    let (full, beside) = (LOGICAL / 2 * SLC, LOGICAL / 2 * TLC);
    for (units, folded) in [(full + beside + TLC, 0), (full + beside + TLC + 1, SLC)] {
        for result in run(&drive(), &half, &writes(0..units)) {
            assert_eq!(figure(&result, "/left_cache/folded_while_writes_waited"), folded);
        }
    }
}

#[test]
fn a_write_that_finds_the_cache_full_waits_for_a_block_where_it_is_to() {
    let own = SlcCacheConfig { when_full: WhenFull::FoldFirst, ..cache() };
    let full = ASIDE * SLC;
    for (units, folded) in
        [(full, 0), (full + 1, SLC), (full + SLC, SLC), (full + SLC + 1, 2 * SLC)]
    {
        for result in run(&drive(), &own, &writes(0..units)) {
            assert_eq!(taken(&result), (units, 0));
            assert_eq!(figure(&result, "/left_cache/folded_while_writes_waited"), folded);
            assert_eq!(figure(&result, "/erases/slc"), folded / SLC);
            assert_eq!(result.flash.page_programs.technique, folded);
        }
    }
}

#[test]
fn what_is_overwritten_in_the_cache_is_never_handed_on() {
    let rounds = 100;
    for result in run(&drive(), &cache(), &writes((0..rounds * SLC).map(|n| n % SLC))) {
        assert_eq!(taken(&result), (rounds * SLC, 0));
        assert_eq!(figure(&result, "/left_cache/overwritten"), (rounds - 1) * SLC);
        assert_eq!(figure(&result, "/capacity_bytes/valid"), SLC * PAGE);
        assert_eq!(result.flash.page_programs.technique + result.gc.pages_moved, 0);
        assert_eq!(figure(&result, "/erases/slc"), rounds - ASIDE);
        assert_eq!(figure(&result, "/capacity_bytes/most_used"), ASIDE * SLC * PAGE);
    }
}

#[test]
fn large_or_cold_writes_go_beside_it_where_they_are_to() {
    let kib = 4 * PAGE as u32 / 1024;
    let own = SlcCacheConfig { bypass: Bypass::Large, bypass_kib: f64::from(kib), ..cache() };
    for result in run(&drive(), &own, &[at(0, Op::Write, 0, 3), at(1, Op::Write, 3, 4)]) {
        assert_eq!((taken(&result), figure(&result, "/host_units/bypassed")), ((3, 0), 4));
    }
    // What finds the cache full is told apart from what was never to go there.
    let small = writes(0..ASIDE * SLC + 1);
    let requests: Vec<_> = small.into_iter().chain([at(1, Op::Write, 20, 4)]).collect();
    for result in run(&drive(), &own, &requests) {
        let expected = ((ASIDE * SLC, 1), 4);
        assert_eq!((taken(&result), figure(&result, "/host_units/bypassed")), expected);
    }
    let mut config = drive();
    config.drive.over_provisioning = 0.8;
    config.ftl.hotness.policy = HotnessChoice::Oracle;
    config.ftl.hotness.hot_share = 0.5;
    let own = SlcCacheConfig { bypass: Bypass::Cold, ..cache() };
    let cold = crate::harness::logical_units(&config) - 1;
    for result in run(&config, &own, &writes([0, cold, 1])) {
        assert_eq!((taken(&result), figure(&result, "/host_units/bypassed")), ((2, 0), 1));
    }
}

#[test]
fn a_cache_of_nothing_changes_nothing() {
    let mut config = drive();
    config.ftl.gc.idle_us = 500.0;
    config.precondition.pattern = Pattern::Random;
    let requests = random(&config, 4000, 50);
    let none = SlcCacheConfig { static_share: 0.0, ..cache() };
    for (config, with) in
        crate::harness::schedulers(&config).iter().zip(run(&config, &none, &requests))
    {
        let mut without = crate::common::run(config, requests.clone());
        let mut with = with;
        (with.technique, with.simulator) = (without.technique.clone(), without.simulator.clone());
        without.config = with.config.clone();
        assert_eq!(
            serde_json::to_value(&with).expect("it is JSON"),
            serde_json::to_value(&without).expect("it is JSON")
        );
    }
}
