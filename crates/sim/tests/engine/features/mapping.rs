//! The demand-paged map. 128 entries are cached; a translation page holds 1024.

use crate::common::{at, run, tiny, write};
use wordline_sim::config::{Config, MapCacheChoice, RunMode, ServiceOrder};
use wordline_trace::{Op, Request};

fn paged() -> Config {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 300;
    config.ftl.map_cache.policy = MapCacheChoice::Dftl;
    config.ftl.map_cache.capacity_kib = 1.0;
    config
}

/// Reads and programs of translation pages.
fn traffic(requests: Vec<Request>) -> (u64, u64) {
    let flash = run(&paged(), requests).flash;
    (flash.page_reads.mapping, flash.page_programs.mapping)
}

#[test]
fn what_fits_into_the_cache_costs_nothing() {
    let rounds = (0..5).flat_map(|_| (0..128).map(write)).collect();
    assert_eq!(traffic(rounds), (0, 0));
}

#[test]
fn a_dirty_entry_that_leaves_takes_its_page_along() {
    // Entry 128 pushes out entry 0: the page is written for the first time, then read.
    let mut requests: Vec<Request> = (0..129).map(write).collect();
    assert_eq!(traffic(requests.clone()), (1, 1));
    // A hit.
    requests.push(at(0, Op::Read, 128, 1));
    assert_eq!(traffic(requests.clone()), (1, 1));
    // A miss, in whose favour entry 1 leaves: it was cleaned together with entry 0.
    requests.push(at(0, Op::Read, 0, 1));
    assert_eq!(traffic(requests.clone()), (2, 1));
}

#[test]
fn each_page_of_the_map_is_written_back_by_itself() {
    // 64 entries of page 0, then 64 of page 1, then one more of each.
    let pages = (0..64).chain(1024..1088).chain([64, 1088]);
    // Entry 64 pushes out entry 0, of page 0; by then entry 1, which 1088 pushes out, is clean.
    // Page 0 exists now and is read for entry 64; page 1 was never written.
    assert_eq!(traffic(pages.map(write).collect()), (1, 1));
}

#[test]
fn a_page_that_exists_is_read_before_it_is_written_back() {
    let mut pages: Vec<u64> = (0..129).collect();
    // Pushes entries 1 to 127 out, all clean, then 128, which is dirty.
    pages.extend(200..328);
    let (reads, programs) = traffic(pages.into_iter().map(write).collect());
    // Every entry from 128 on is loaded from page 0, and the second write-back reads it too.
    assert_eq!((reads, programs), (1 + 128 + 1, 2));
}

/// Reads of translation page 0 by requests long after it was written, none of whose entries is cached.
fn reads_of_the_map(order: ServiceOrder, requests: &[Request]) -> u64 {
    let mut config = paged();
    config.run.mode = RunMode::Timed;
    config.drive.scheduling.order = order;
    // Entry 128 pushes out entry 0, so that page 0 is in flash, and those after it push out the others.
    let once = |page| Request { arrival_ns: page * 1_000_000_000, ..write(page) };
    let before: Vec<Request> = (0..400).map(once).collect();
    let reads = |requests: Vec<Request>| run(&config, requests).flash.page_reads.mapping;
    reads([&before, requests].concat()) - reads(before)
}

#[test]
fn a_read_of_the_map_serves_all_who_need_its_page_until_it_is_over() {
    const LATER_US: u64 = 1_000_000_000;
    for order in [ServiceOrder::InOrder, ServiceOrder::ReadsFirst] {
        let reads = |requests: &[Request]| reads_of_the_map(order, requests);
        let read = |after_us, page, pages| at(LATER_US + after_us, Op::Read, page, pages);
        assert_eq!(reads(&[read(0, 10, 1)]), 1);
        // Within a request, between requests, and for a write.
        assert_eq!(reads(&[read(0, 10, 5)]), 1, "{order:?}");
        assert_eq!(reads(&[read(0, 10, 1), read(20, 12, 1), read(40, 14, 2)]), 1, "{order:?}");
        assert_eq!(reads(&[read(0, 10, 1), at(LATER_US + 1, Op::Write, 12, 1)]), 1, "{order:?}");
        // A page takes 60 us to be read, and what comes then reads it again.
        assert_eq!(reads(&[read(0, 10, 1), read(61, 12, 1)]), 2, "{order:?}");
    }
}

#[test]
fn who_needs_a_page_of_the_map_waits_for_the_read_that_is_under_way() {
    let mut config = paged();
    config.run.mode = RunMode::Timed;
    let once = |page| Request { arrival_ns: page * 1_000_000_000, ..write(page) };
    let mut requests: Vec<Request> = (0..400).map(once).collect();
    let last_us = 1_000_000_000;
    requests.extend([at(last_us, Op::Read, 10, 1), at(last_us + 20, Op::Read, 12, 1)]);
    let latency = run(&config, requests).host.read;
    // The page of the map until 60 us, then a page each until 120 and 180 us.
    assert_eq!((latency.mean_us, latency.max_us), (140.0, 160.0));
}
