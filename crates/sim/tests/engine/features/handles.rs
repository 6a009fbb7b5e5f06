//! Placement handles: the host says which data belongs together.

use crate::common::{Dice, logical_pages, run, tiny, write};
use wordline_sim::config::{Config, HotnessChoice};
use wordline_trace::Request;

/// Half of the pages are written round and round, the others at random, each half with a handle of its own.
fn log_and_tree(config: &Config, handles: [u32; 2]) -> Vec<Request> {
    let (half, mut dice) = (logical_pages(config) / 2, Dice::new(3));
    let both = |n: u64| {
        let log = Request { stream: handles[0], ..write(n % half) };
        let tree = Request { stream: handles[1], ..write(half + dice.below(half)) };
        [log, tree]
    };
    (0..20 * half).flat_map(both).collect()
}

/// What is written beyond the host's writes, for each of these.
fn moved(policy: HotnessChoice, count: u64, handles: [u32; 2]) -> f64 {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 64;
    config.drive.over_provisioning = 0.3;
    (config.ftl.hotness.policy, config.ftl.hotness.handles) = (policy, count);
    let result = run(&config, log_and_tree(&config, handles));
    result.write_amplification.expect("the host wrote") - 1.0
}

#[test]
fn data_of_a_handle_shares_no_block_with_that_of_another() {
    let mixed = moved(HotnessChoice::None, 2, [0, 1]);
    let apart = moved(HotnessChoice::Handle, 2, [0, 1]);
    // What is written round and round dies block by block.
    assert!(apart < 0.95 * mixed, "{apart} {mixed}");
    // Which handle is which does not matter; those beyond the last share it.
    assert_eq!(moved(HotnessChoice::Handle, 2, [0, 9]), apart);
    let together = moved(HotnessChoice::Handle, 2, [1, 9]);
    assert!(together > apart, "{together} {apart}");
}
