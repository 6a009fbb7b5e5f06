//! Data that joins the cells of full blocks: what stays, and what is legal.

use crate::common::at;
use crate::rig::{
    ASIDE, PAGE_US, SLC, SLC_READ_US, SLC_US, TLC_READ_US, TLC_US, cache, drive, figure, run,
    run_timed, taken, until, writes,
};
use wordline_sim::config::{Cell, Config, PerPage};
use wordline_sim::technique::slc_cache::{Fold, SlcCacheConfig, WhenFull};
use wordline_trace::{Op, Request};

fn idle(cell: Cell, pages: u64) -> Config {
    let mut config = drive();
    config.ftl.gc.idle_us = 500.0;
    config.drive.chip.cell = cell;
    config.drive.chip.pages_per_block = pages;
    config.drive.chip.program_us = PerPage::One(TLC_US as f64);
    config
}

fn in_place() -> SlcCacheConfig {
    SlcCacheConfig { fold: Fold::InPlace, ..cache() }
}

#[test]
fn one_block_takes_the_data_of_others_and_keeps_its_own() {
    // Blocks of 4 word lines: the older one's four units go in programs of one, two or three.
    for (cell, pages, programs) in [(Cell::Mlc, 8, 4), (Cell::Tlc, 12, 2), (Cell::Qlc, 16, 2)] {
        let full = writes(0..ASIDE * SLC).into_iter();
        let requests: Vec<Request> = full.chain([until(1_000_000)]).collect();
        for result in run(&idle(cell, pages), &in_place(), &requests) {
            assert_eq!(figure(&result, "/left_cache/moved_onto_cache_cells"), SLC);
            assert_eq!(figure(&result, "/left_cache/stayed_in_place"), SLC);
            assert_eq!(result.flash.reprograms, programs, "{cell}");
            assert_eq!(figure(&result, "/erases/slc"), 1);
            assert_eq!(result.flash.page_programs.technique, SLC);
        }
    }
}

/// The drive with two planes that work together.
fn two_planes(mut config: Config) -> Config {
    (config.drive.chip.planes, config.drive.chip.multi_plane) = (2, true);
    config.drive.over_provisioning = 0.8;
    config
}

#[test]
fn where_planes_work_together_a_block_of_each_takes_data() {
    // The cache is full: two blocks in each plane, the older ones of which have eight units to give.
    let full = writes(0..2 * ASIDE * SLC).into_iter();
    let requests: Vec<Request> = full.chain([until(1_000_000)]).collect();
    for result in run(&two_planes(idle(Cell::Tlc, 12)), &in_place(), &requests) {
        assert_eq!(figure(&result, "/left_cache/moved_onto_cache_cells"), 2 * SLC);
        assert_eq!(figure(&result, "/left_cache/stayed_in_place"), 2 * SLC);
        // Two pages more on each of two word lines in both planes.
        assert_eq!((result.flash.reprograms, result.flash.padding), (2, 0));
        assert_eq!(
            (figure(&result, "/erases/slc"), result.flash.page_programs.technique),
            (2, 2 * SLC)
        );
    }
}

#[test]
fn the_last_block_waits_for_another_one() {
    for (config, blocks) in [(idle(Cell::Tlc, 12), 1), (two_planes(idle(Cell::Tlc, 12)), 2)] {
        let full = writes(0..blocks * SLC).into_iter();
        let requests: Vec<Request> = full.chain([until(1_000_000)]).collect();
        for result in run(&config, &in_place(), &requests) {
            assert_eq!(figure(&result, "/blocks/full"), blocks);
            assert_eq!(result.flash.reprograms, 0);
        }
    }
}

#[test]
fn a_word_line_is_read_as_what_it_was_programmed_last() {
    // Two of the second block's word lines were programmed again, the other two were not.
    let read = |unit| {
        let full = writes(0..ASIDE * SLC).into_iter();
        let requests = full.chain([at(1_000_000, Op::Read, unit, 1)]).collect();
        run_timed(&idle(Cell::Tlc, 12), &in_place(), requests).host.read.max_us
    };
    let (slc_us, tlc_us) = ((SLC_READ_US + PAGE_US) as f64, (TLC_READ_US + PAGE_US) as f64);
    let expected = [tlc_us, tlc_us, tlc_us, tlc_us, tlc_us, tlc_us, slc_us, slc_us];
    for (unit, expected) in (0..).zip(expected) {
        assert_eq!(read(unit), expected, "{unit}");
    }
}

#[test]
fn a_write_that_finds_the_cache_full_joins_its_cells_where_it_is_to() {
    let own = SlcCacheConfig { when_full: WhenFull::InPlace, ..cache() };
    let full = ASIDE * SLC;
    // The first one turns a block of the cache into another kind, whose place a new one takes.
    for (units, joined) in [(full, 0), (full + 1, 1), (full + 1 + SLC, 1), (full + 2 + SLC, 2)] {
        for result in run(&drive(), &own, &writes(0..units)) {
            assert_eq!(figure(&result, "/host_units/onto_cache_cells"), joined, "{units}");
            assert_eq!(taken(&result), (units - joined, 0));
            assert_eq!(result.flash.page_programs.technique, 0);
        }
    }
}

#[test]
fn it_takes_the_time_of_a_program_and_of_the_read_before_it() {
    let own = SlcCacheConfig { when_full: WhenFull::InPlace, ..cache() };
    let full = ASIDE * SLC;
    let last = |own: &SlcCacheConfig| {
        let mut requests = writes(0..full);
        requests.push(at(100_000, Op::Write, full, 1));
        requests.push(at(100_000, Op::Write, full + 1 + SLC, 1));
        let mut config = drive();
        config.ftl.acknowledge = wordline_sim::config::Acknowledge::Program;
        config.ftl.merge_timeout_us = 0.0;
        run_timed(&config, own, requests).host.write.max_us
    };
    let before_us = (full * (PAGE_US + SLC_US)) as f64;
    assert!(last(&own) >= before_us.min((TLC_US + SLC_READ_US + 2 * PAGE_US) as f64));
    let slower = SlcCacheConfig { reprogram_us: 5000.0, ..own };
    assert_eq!(last(&slower), (5000 + SLC_READ_US + 2 * PAGE_US + PAGE_US + SLC_US) as f64);
}
