//! The state before the first request.

use crate::common::{Dice, Script, at, logical_pages, run, tiny, write};
use wordline_sim::config::Config;
use wordline_sim::simulate;
use wordline_sim::theory::{Cleaning, profile};
use wordline_trace::{Op, Request};

const PAGES_PER_BLOCK: usize = 32;

fn large(pattern: &str) -> Config {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 2048;
    config.drive.chip.pages_per_block = PAGES_PER_BLOCK as u64;
    config.drive.over_provisioning = 0.28;
    config.precondition.pattern = pattern.into();
    config
}

fn uniform(config: &Config, writes: u64) -> Vec<Request> {
    let (pages, mut dice) = (logical_pages(config), Dice::new(11));
    (0..writes).map(|_| write(dice.below(pages))).collect()
}

/// From the first write on the drive behaves as theory says of one that has run for ever.
#[test]
fn steady_state_is_steady_at_once() {
    let policies = [
        ("greedy", Cleaning::Greedy),
        ("fifo", Cleaning::Fifo),
        ("random", Cleaning::Random),
        ("d_choices", Cleaning::DChoices(3)),
    ];
    for (policy, cleaning) in policies {
        let mut config = large("steady");
        config.ftl.gc.policy = policy.into();
        config.ftl.gc.d = 3;
        // A third of what it takes to write the drive once.
        let result = run(&config, uniform(&config, 20_000));
        let measured = result.write_amplification.expect("there are writes");
        let theory = profile(cleaning, result.capacity.alpha, PAGES_PER_BLOCK).write_amplification;
        let deviation = measured / theory - 1.0;
        assert!(deviation.abs() < 0.03, "{policy}: {measured} against {theory}");
    }
}

/// The short run that verifies it is long enough for GC to come to every plane.
#[test]
fn a_steady_state_of_many_planes_is_verified() {
    for counts in ["blocks", "pages"] {
        let mut config = large("steady");
        (config.drive.channels, config.drive.chip.planes) = (8, 4);
        config.drive.chip.blocks_per_plane = 128;
        config.ftl.gc.counts = counts.into();
        let set_up = run(&config, uniform(&config, 1)).steady_state.preconditioning;
        let of = |name: &str| set_up[name].as_f64().expect("a number");
        let ratio = of("verified_write_amplification") / of("expected_write_amplification");
        assert!((ratio - 1.0).abs() < 0.05, "{counts}: {set_up}");
    }
}

/// What GC would have done in idle time before the run is done, and not left for its beginning.
#[test]
fn a_steady_state_leaves_nothing_to_idle_gc() {
    for mode in ["background", "preemptible"] {
        let mut config = large("steady");
        config.ftl.gc.mode = mode.into();
        config.ftl.gc.free_block_threshold = 0.08;
        config.ftl.gc.background_threshold = 0.1;
        let apart_us = 60_000_000;
        let result = run(&config, (0..3).map(|n| at(n * apart_us, Op::Read, n, 1)).collect());
        let planes = config.drive.channels * config.drive.chip.planes;
        // A block that is used up is a few victims, for each frees a part of one.
        assert!(result.gc.count <= 4 * planes, "{mode}: {} victims", result.gc.count);
    }
}

/// Where each unit that GC moves takes a write of its map entry, and that write more of GC.
#[test]
fn a_drive_too_full_for_its_map_is_refused() {
    let mut config = large("steady");
    config.drive.over_provisioning = 0.03;
    config.ftl.gc.policy = "random".into();
    config.ftl.map_cache.policy = "dftl".into();
    config.ftl.map_cache.capacity_kib = 8.0;
    let workload = Script::source(uniform(&config, 1));
    let error = simulate(&config, workload, &mut ()).expect_err("it can take no write").to_string();
    assert!(error.contains("GC could not make progress") && error.contains("map_cache"), "{error}");
}

#[test]
fn a_fill_writes_what_it_says() {
    for pattern in ["sequential", "random", "steady"] {
        for fill in [1.0, 0.5] {
            let mut config = large(pattern);
            config.precondition.fill = fill;
            let pages = logical_pages(&config);
            let written = (fill * pages as f64).round() as u64;
            let result = run(&config, vec![at(0, Op::Read, 0, pages as u32)]);
            assert_eq!(result.flash.page_reads.host, written, "{pattern} {fill}");
            assert_eq!(result.wear.erases_max, 0, "the fill is no part of the run");
        }
    }
}

#[test]
fn overwriting_a_sequential_fill_in_order_moves_nothing() {
    let config = large("sequential");
    let pages = logical_pages(&config);
    let result = run(&config, (0..2 * pages).map(|n| write(n % pages)).collect());
    assert!(result.gc.count > 1000);
    assert!(result.gc.pages_moved <= PAGES_PER_BLOCK as u64, "{}", result.gc.pages_moved);
}
