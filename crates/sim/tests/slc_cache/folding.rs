//! How the cache hands data on: in idle time, before the host, and to garbage collection.

use crate::common::{Dice, PAGE, at};
use crate::harness::{run as run_alone, schedulers};
use crate::rig::{
    ASIDE, ERASE_US, LOGICAL, PAGE_US, SLC, SLC_READ_US, SLC_US, TLC, TLC_READ_US, TLC_US, cache,
    drive, figure, random, run, run_timed, taken, technique, until, writes,
};
use wordline_sim::config::{Config, Frontiers, GcMode, Pattern};
use wordline_sim::technique::slc_cache::{Fold, Size, SlcCacheConfig, Victims, WhenFull};
use wordline_trace::{Op, Request};

const IDLE_US: u64 = 500;
/// When the drive is quiet that has taken what the cache holds.
const FILLED_US: u64 = ASIDE * SLC * (PAGE_US + SLC_US);
/// Three units read and programmed together.
const STEP_US: u64 = 3 * (SLC_READ_US + PAGE_US) + 3 * PAGE_US + TLC_US;

/// A drive that uses idle time.
fn idle() -> Config {
    let mut config = drive();
    config.ftl.gc.idle_us = IDLE_US as f64;
    config
}

/// Fills the cache, and then once more at a time.
fn twice(again_us: u64) -> Vec<Request> {
    let full = ASIDE * SLC;
    let again = (full..2 * full).map(|unit| at(again_us, Op::Write, unit, 1));
    writes(0..full).into_iter().chain(again).collect()
}

#[test]
fn idle_time_empties_it() {
    let full = ASIDE * SLC;
    let requests: Vec<Request> = writes(0..full).into_iter().chain([until(1_000_000)]).collect();
    for result in run(&idle(), &cache(), &requests) {
        assert_eq!(figure(&result, "/left_cache/folded_in_idle_time"), full);
        assert_eq!(figure(&result, "/capacity_bytes/valid"), 0);
        assert_eq!(figure(&result, "/erases/slc"), ASIDE);
        assert_eq!(result.flash.page_programs.technique, full);
    }
    let never = SlcCacheConfig { fold: Fold::Never, ..cache() };
    for result in run(&idle(), &never, &requests) {
        assert_eq!(figure(&result, "/left_cache/folded_in_idle_time"), 0);
        assert_eq!(figure(&result, "/capacity_bytes/valid"), full * PAGE);
    }
}

#[test]
fn it_has_recovered_once_its_steps_and_erases_are_under_way() {
    // The second program empties the first block, which is erased; then the last two units are read. A
    // write that finds an empty block has it erased itself.
    let start_us = FILLED_US + IDLE_US;
    let rest_us = 2 * STEP_US + ERASE_US;
    let takes = |again_us| taken(&run_timed(&idle(), &cache(), twice(again_us)));
    let full = ASIDE * SLC;
    assert_eq!(takes(start_us), (full, full), "not idle for long enough");
    assert_eq!(takes(start_us + STEP_US), (full, full), "no block is empty");
    assert_eq!(takes(start_us + STEP_US + 1), (full + SLC, full - SLC), "one is");
    assert_eq!(takes(start_us + rest_us), (full + SLC, full - SLC), "still one");
    assert_eq!(takes(start_us + rest_us + 1), (2 * full, 0), "both are");
}

#[test]
fn a_request_waits_for_one_step_of_idle_work_at_most() {
    let start_us = FILLED_US + IDLE_US;
    let read = |at_us| {
        let requests = writes(0..ASIDE * SLC).into_iter().chain([at(at_us, Op::Read, 7, 1)]);
        run_timed(&idle(), &cache(), requests.collect()).host.read.max_us
    };
    let alone_us = (SLC_READ_US + PAGE_US) as f64;
    assert_eq!(read(start_us), alone_us);
    assert_eq!(read(start_us + 1), alone_us + (STEP_US - 1) as f64);
    assert_eq!(read(start_us + STEP_US), alone_us);
}

/// Both of its blocks die at once, and lie in one plane.
#[test]
fn a_request_waits_for_one_erase_at_most() {
    let (full, dead_us) = (ASIDE * SLC, 100_000);
    let own = SlcCacheConfig { fold: Fold::Never, ..cache() };
    let trim = at(dead_us, Op::Trim, 0, full as u32);
    let read = at(dead_us + IDLE_US + 1, Op::Read, full, 1);
    let requests = writes(0..full + TLC).into_iter().chain([trim, read]).collect();
    let result = run_timed(&idle(), &own, requests);
    assert_eq!(result.host.read.max_us, (TLC_READ_US + PAGE_US + ERASE_US - 1) as f64);
}

#[test]
fn a_share_of_it_keeps_its_data() {
    let own = SlcCacheConfig { keep: 0.5, ..cache() };
    let requests: Vec<Request> =
        writes(0..ASIDE * SLC).into_iter().chain([until(1_000_000)]).collect();
    for result in run(&idle(), &own, &requests) {
        assert_eq!(figure(&result, "/left_cache/folded_in_idle_time"), SLC);
        assert_eq!(figure(&result, "/blocks/full"), 1);
    }
}

#[test]
fn the_most_that_it_held_is_told_when_it_holds_less() {
    let full = ASIDE * SLC;
    let later = [until(1_000_000), at(2_000_000, Op::Write, full, 1)];
    let requests: Vec<Request> = writes(0..full).into_iter().chain(later).collect();
    for result in run(&idle(), &cache(), &requests) {
        assert_eq!(figure(&result, "/left_cache/folded_in_idle_time"), full);
        let of = |name| figure(&result, &format!("/capacity_bytes/{name}"));
        assert_eq!(of("most_used"), of("static"));
    }
}

/// The share is one of the cache, however many planes fill and leave together.
#[test]
fn a_share_of_planes_that_work_together_is_kept_once() {
    let mut config = idle();
    (config.drive.chip.planes, config.drive.chip.multi_plane) = (2, true);
    config.drive.over_provisioning = 0.8;
    let own = SlcCacheConfig { keep: 0.5, ..cache() };
    let requests: Vec<Request> =
        writes(0..2 * ASIDE * SLC).into_iter().chain([until(1_000_000)]).collect();
    for result in run(&config, &own, &requests) {
        assert_eq!(figure(&result, "/left_cache/folded_in_idle_time"), 2 * SLC);
        assert_eq!(figure(&result, "/blocks/full"), 2);
    }
}

#[test]
fn reads_take_the_time_of_the_cells_that_hold_the_data() {
    let read = |at_us| {
        let full = writes(0..ASIDE * SLC).into_iter();
        let requests = full.chain([at(at_us, Op::Read, 0, 1)]).collect();
        run_timed(&idle(), &cache(), requests).host.read.max_us
    };
    assert_eq!(read(FILLED_US), (SLC_READ_US + PAGE_US) as f64);
    assert_eq!(read(1_000_000), (TLC_READ_US + PAGE_US) as f64);
}

#[test]
fn garbage_collection_takes_blocks_of_the_cache_last_or_as_it_likes() {
    // Half of the drive is written again and again beside a cache that is full of other data.
    let size = SlcCacheConfig { size: Size::Dynamic, static_share: 0.0, ..cache() };
    let mut config = drive();
    config.precondition.pattern = Pattern::Sequential;
    config.precondition.fill = 0.5;
    let first = LOGICAL * TLC / 2;
    let cached = LOGICAL / 2 * SLC;
    let mut dice = Dice::new(3);
    let again: Vec<u64> = (0..3000).map(|_| dice.below(first)).collect();
    let requests = writes((first..first + cached).chain(again));
    let by_gc = |gc| {
        let own = SlcCacheConfig { gc, ..size.clone() };
        figure(&run(&config, &own, &requests)[0], "/left_cache/moved_by_gc")
    };
    assert_eq!(by_gc(Victims::Last), 0);
    assert!(by_gc(Victims::Any) > 0);
}

#[test]
fn blocks_set_aside_are_there_however_full_the_drive_is() {
    let mut config = drive();
    config.precondition.pattern = Pattern::Random;
    config.precondition.fill = 1.0;
    let own = SlcCacheConfig { fold: Fold::Never, ..cache() };
    let own_blocks = ASIDE * SLC;
    // Writes over data are collected for; those that the cache takes find its blocks erased.
    let large = (0..400).map(|n| n * 5 % (LOGICAL * TLC));
    for size in [Size::Static, Size::Hybrid] {
        let own = SlcCacheConfig { size, ..own.clone() };
        for result in run(&config, &own, &writes(large.clone())) {
            assert!(taken(&result).0 >= own_blocks, "{:?}", taken(&result));
            assert!(result.gc.count > 0);
        }
        for result in run(&config, &own, &writes(0..own_blocks)) {
            assert_eq!((taken(&result), result.gc.count), ((own_blocks, 0), 0));
        }
    }
}

#[test]
fn every_way_of_handing_on_keeps_every_unit() {
    let folds = [Fold::Copy, Fold::InPlace, Fold::Never];
    let fulls = [WhenFull::WriteThrough, WhenFull::FoldFirst, WhenFull::InPlace];
    let sizes = [Size::Static, Size::Dynamic, Size::Hybrid];
    let mut config = idle();
    config.precondition.pattern = Pattern::Random;
    config.precondition.fill = 0.8;
    let requests = random(&config, 1500, 300);
    for (size, gc) in sizes.into_iter().zip([Victims::Any, Victims::Last, Victims::Any]) {
        for (fold, when_full) in
            folds.into_iter().flat_map(|fold| fulls.map(|when_full| (fold, when_full)))
        {
            let own = SlcCacheConfig { size, gc, fold, when_full, keep: 0.2, ..cache() };
            for (config, (frontiers, planes)) in schedulers(&config).iter().zip([
                (Frontiers::Separate, 1),
                (Frontiers::Shared, 2),
                (Frontiers::Coldest, 2),
            ]) {
                let mut config = config.clone();
                config.ftl.frontiers = frontiers;
                (config.drive.chip.planes, config.drive.chip.multi_plane) = (planes, planes > 1);
                config.ftl.gc.mode = GcMode::Background;
                let result = run_alone(&config, technique(&own, &config), requests.clone());
                let (cached, through) = taken(&result);
                let joined = figure(&result, "/host_units/onto_cache_cells");
                assert_eq!(cached + through + joined, result.flash.page_programs.host);
                assert_eq!(result.host.refused_writes, 0);
                assert!(cached > 0);
                let left = ["folded_in_idle_time", "folded_while_writes_waited", "moved_by_gc"];
                let left = left.map(|name| figure(&result, &format!("/left_cache/{name}")));
                let held = figure(&result, "/capacity_bytes/valid") / PAGE;
                let stayed = figure(&result, "/left_cache/stayed_in_place");
                assert!(left.iter().sum::<u64>() + held + stayed <= cached, "{size:?} {fold:?}");
            }
        }
    }
}
