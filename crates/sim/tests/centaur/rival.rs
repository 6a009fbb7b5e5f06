//! The rival that takes small requests for hot.

use crate::harness::figure;
use crate::rig::*;
use wordline_sim::config::{Config, ProgramUnit};
use wordline_sim::technique::centaur::{CentaurConfig, Mode};

fn rival(epoch_requests: u64) -> CentaurConfig {
    CentaurConfig { mode: Mode::SlcMlc, epoch_requests, ..dispatcher() }
}

/// How many parts went to each kind.
fn parts(own: &CentaurConfig, config: &Config, sizes: &[u32]) -> [u64; 2] {
    let requests: Vec<_> =
        sizes.iter().zip(0..).map(|(&units, n)| put(n * 10_000, n * RANGE, units)).collect();
    let results = everywhere_with(own, config, &requests);
    let of = |name| figure(&results[0], name);
    [of("dispatched_2d_parts"), of("dispatched_3d_parts")]
}

#[test]
fn sizes_of_the_last_epoch_decide() {
    // Up to a unit at first; then 1 and 2 units against 8 and 9.
    let first = [1, 2, 1, 2, 8, 9];
    assert_eq!(parts(&rival(6), &two_kinds(), &first), [2, 4]);
    let second: Vec<u32> = first.into_iter().chain([1, 2, 3, 9]).collect();
    assert_eq!(parts(&rival(6), &two_kinds(), &second), [4, 6]);
    assert_eq!(parts(&rival(7), &two_kinds(), &second), [3 + 1, 6]);
    assert_eq!(parts(&rival(100), &two_kinds(), &second), [3, 7]);
}

#[test]
fn requests_and_not_their_parts_are_small_or_large() {
    // A request of 3 units, one of which lies across a border.
    let requests = [put(0, RANGE - 1, 3)];
    for result in everywhere_with(&rival(100), &two_kinds(), &requests) {
        assert_eq!(figure(&result, "dispatched_3d_parts"), 2);
    }
}

#[test]
fn small_requests_go_on_where_the_2d_flash_has_spent_more() {
    // The 2D flash, 384 units, alone is written, until its first erases; then both must share.
    let many: Vec<_> = (0..3000).map(|n| put(n * 2000, n % 50, 1)).collect();
    for result in everywhere_with(&rival(1 << 30), &two_kinds(), &many) {
        let of = |name| figure(&result, name);
        assert!(of("dispatched_2d_parts") > 300 && of("dispatched_3d_parts") > 100);
    }
}

#[test]
fn it_works_without_intra_die_parallelism_too() {
    let mut config = two_kinds();
    let chip = &mut config.drive.group.get_mut("b-tlc").expect("a group").chip;
    chip.program = ProgramUnit::Page;
    // Pages of four units: a part of two fills half of one.
    let requests = [put(0, 0, 2), put(10_000, 6, 4)];
    for result in everywhere_with(&rival(100), &config, &requests) {
        assert_eq!(figure(&result, "dispatched_3d_parts"), 3);
        assert_eq!((result.flash.program_operations, result.flash.padding), (3, 6));
    }
}
