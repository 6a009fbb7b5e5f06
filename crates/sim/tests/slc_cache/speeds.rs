//! The cliff: what a drive takes before and after it, and how long the slowest writes wait.

use crate::common::at;
use crate::rig::{
    BLOCKS, PAGE_US, SLC, SLC_READ_US, SLC_US, TLC, TLC_US, cache, drive, figure, run_timed, writes,
};
use wordline_sim::config::{Config, ReadErrors};
use wordline_sim::technique::slc_cache::{Size, SlcCacheConfig, WhenFull};
use wordline_trace::Op;

/// A cache of 20 of 96 blocks.
const CACHE: u64 = 20;

fn large() -> Config {
    let mut config = drive();
    config.drive.chip.blocks_per_plane = 4 * BLOCKS;
    config.drive.over_provisioning = 0.6;
    config
}

fn own(when_full: WhenFull) -> SlcCacheConfig {
    SlcCacheConfig { static_share: CACHE as f64 / (4 * BLOCKS) as f64, when_full, ..cache() }
}

/// Microseconds until so many units are programmed that arrive at once.
fn duration_us(own: &SlcCacheConfig, units: u64) -> f64 {
    let mut config = large();
    config.ftl.acknowledge = wordline_sim::config::Acknowledge::Program;
    (run_timed(&config, own, writes(0..units)).workload.duration_s * 1e6).round()
}

#[test]
fn each_plateau_is_as_fast_as_its_programs() {
    let full = CACHE * SLC;
    let own = own(WhenFull::WriteThrough);
    let cached_us = (full * (PAGE_US + SLC_US)) as f64;
    assert_eq!(duration_us(&own, full), cached_us);
    for lines in [1, 10, 100] {
        let beside_us = (lines * (3 * PAGE_US + TLC_US)) as f64;
        assert_eq!(duration_us(&own, full + 3 * lines), cached_us + beside_us);
    }
}

/// A year old and after 4,000 cycles a page needs retries beside the cache, and none in it.
#[test]
fn pages_in_the_cache_have_the_errors_of_one_bit() {
    let mut config = large();
    config.drive.chip.initial_pec = 4000;
    config.drive.reads.model = ReadErrors::Cell;
    config.drive.reads.data_age_h = 8760.0;
    let (own, full) = (own(WhenFull::WriteThrough), CACHE * SLC);
    let retries = |pages: std::ops::Range<u64>| {
        let reads = pages.map(|page| at(1_000_000 + page * 10_000, Op::Read, page, 1));
        let requests = writes(0..full + 60).into_iter().chain(reads).collect();
        run_timed(&config, &own, requests).reads.expect("pages have errors").retries_per_page
    };
    assert_eq!(retries(0..full), 0.0);
    assert!(retries(full..full + 60) > 0.1);
}

#[test]
fn handing_on_first_is_slower_than_writing_beside() {
    // A block of the cache is read, programmed as others, erased, and filled: per 4 units.
    let full = CACHE * SLC;
    let rounds = 15;
    let fold_us = SLC * (SLC_READ_US + PAGE_US + PAGE_US) * 3 + SLC * TLC_US + 3 * 3000;
    let fill_us = 3 * SLC * (PAGE_US + SLC_US);
    let expected = full * (PAGE_US + SLC_US) + rounds * (fold_us + fill_us);
    let units = full + rounds * TLC;
    assert_eq!(duration_us(&own(WhenFull::FoldFirst), units), expected as f64);
    assert!(duration_us(&own(WhenFull::WriteThrough), units) < expected as f64);
}

#[test]
fn the_slowest_writes_are_those_beyond_the_cliff() {
    let full = CACHE * SLC;
    let p999_us = |units: u64| {
        let spaced = (0..units).map(|n| at(n * 2000, Op::Write, n, 1)).collect();
        let mut config = large();
        config.ftl.acknowledge = wordline_sim::config::Acknowledge::Program;
        config.ftl.merge_timeout_us = 0.0;
        run_timed(&config, &own(WhenFull::WriteThrough), spaced).host.write.p999_us
    };
    let close = |measured: f64, expected: u64| (measured / expected as f64 - 1.0).abs() < 0.01;
    assert!(close(p999_us(full), PAGE_US + SLC_US), "{}", p999_us(full));
    assert!(close(p999_us(full + 1), 3 * PAGE_US + TLC_US), "{}", p999_us(full + 1));
}

#[test]
fn a_third_plateau_begins_where_data_and_cache_fill_the_drive() {
    // A dynamic cache: each block of data beside it sends one and a half away, of which half stays.
    let own = SlcCacheConfig { size: Size::Dynamic, static_share: 0.0, ..cache() };
    let result = run_timed(&large(), &own, writes(0..50 * TLC));
    let beside = figure(&result, "/host_units/written_through");
    let folded = figure(&result, "/left_cache/folded_while_writes_waited");
    let cached = figure(&result, "/host_units/cached");
    assert_eq!(cached + beside, 50 * TLC);
    let expected = beside as f64 / 2.0;
    assert!((folded as f64 - expected).abs() <= 2.0 * TLC as f64, "{folded} of {beside}");
}
