//! The demand-paged map. 128 entries are cached; a translation page holds 1024.

use crate::common::{at, run, tiny, write};
use wordline_sim::config::{Config, MapCacheChoice};
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
