//! Wear of cells that hold one bit at one time and three at another.

use crate::rig::{ASIDE, BLOCKS, SLC, cache, drive, figure, run, writes};
use wordline_sim::technique::slc_cache::{SlcCacheConfig, WhenFull};

/// Overwrites that erase nothing but blocks of the cache.
fn rounds(count: u64) -> Vec<wordline_trace::Request> {
    writes((0..count * SLC).map(|n| n % SLC))
}

#[test]
fn so_many_cycles_of_one_bit_count_as_one() {
    for (wear, erases, cycles) in
        [(0.0, 98, 0), (0.5, 98, 49), (1.0, 98, 98), (0.1, 98, 0), (0.25, 98, 24)]
    {
        // Blocks take turns: each is erased as often as the others, or once more.
        let own = SlcCacheConfig { wear, ..cache() };
        for result in run(&drive(), &own, &rounds(erases + ASIDE)) {
            assert_eq!(figure(&result, "/erases/slc"), erases);
            let counted = figure(&result, "/erases/slc_counted_cycles");
            let sum = result.wear.erases_mean * BLOCKS as f64;
            assert_eq!(counted, sum.round() as u64, "{wear}");
            // Each block holds back less than a cycle.
            assert!(counted <= cycles.max(1) && counted + BLOCKS >= cycles, "{wear}: {counted}");
        }
    }
}

#[test]
fn a_tenth_of_a_cycle_ten_times_is_one() {
    let own = SlcCacheConfig { wear: 0.1, ..cache() };
    for (times, cycles) in [(9, 0), (10, BLOCKS), (19, BLOCKS), (20, 2 * BLOCKS)] {
        for result in run(&drive(), &own, &rounds(times * BLOCKS + ASIDE)) {
            assert_eq!(figure(&result, "/erases/slc_counted_cycles"), cycles, "{times}");
        }
    }
}

#[test]
fn endurance_is_that_of_the_cycles_counted() {
    let mut config = drive();
    config.drive.chip.endurance_pec = 5;
    let lives = |wear| {
        let own = SlcCacheConfig { wear, when_full: WhenFull::WriteThrough, ..cache() };
        run(&config, &own, &rounds(40 * BLOCKS))[0].wear.worn_out_blocks
    };
    assert_eq!(lives(0.1), 0);
    assert!(lives(1.0) > 0);
}
