//! Wear: levelled, at its end, and bad blocks.

use crate::common::{Dice, PAGE, at, logical_pages, outcome, run, tiny, tiny_timed, write};
use wordline_sim::Error;
use wordline_sim::config::{Config, HostMode, WearChoice};
use wordline_sim::metrics::RunResult;
use wordline_trace::{Op, Request};

/// A tenth of the pages is written over and over, the rest once.
fn mostly_cold(config: &Config, rounds: u64) -> Vec<Request> {
    let pages = logical_pages(config);
    (0..pages).chain((0..rounds).flat_map(|_| 0..pages / 10)).map(write).collect()
}

fn spread(result: &RunResult) -> u64 {
    result.wear.erases_max - result.wear.erases_min
}

#[test]
fn static_levelling_bounds_the_spread() {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 32;
    let requests = mostly_cold(&config, 2000);
    let none = run(&config, requests.clone());
    assert_eq!(none.wear.erases_min, 0, "cold blocks are never touched");
    assert!(spread(&none) > 200, "{}", spread(&none));
    config.ftl.wear.policy = WearChoice::Static;
    for threshold in [5, 20, 60] {
        config.ftl.wear.threshold = threshold;
        let result = run(&config, requests.clone());
        assert!(result.flash.page_programs.wear > 0);
        // It looks after every erase, and moves one block at a time, so that a block may be late by a few.
        assert!(spread(&result) <= threshold + 20, "{} for {threshold}", spread(&result));
    }
}

#[test]
fn a_block_erasing_table_moves_what_was_spared() {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 32;
    let requests = mostly_cold(&config, 2000);
    config.ftl.wear.policy = WearChoice::Bet;
    let [strict, loose, in_sets] = [(3, 1), (30, 1), (3, 8)].map(|(threshold, set_blocks)| {
        (config.ftl.wear.threshold, config.ftl.wear.set_blocks) = (threshold, set_blocks);
        run(&config, requests.clone())
    });
    let moved = |result: &RunResult| result.flash.page_programs.wear;
    assert!(moved(&strict) > 2 * moved(&loose), "{} {}", moved(&strict), moved(&loose));
    assert!(moved(&loose) > 0);
    for result in [&strict, &loose, &in_sets] {
        assert!(result.wear.erases_min > 0, "no block is spared for good");
    }
    // Without it the spread is above 200 (above).
    assert!(spread(&loose) < 100, "{}", spread(&loose));
}

#[test]
fn levelling_less_strictly_moves_less() {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 32;
    config.ftl.wear.policy = WearChoice::Static;
    let requests = mostly_cold(&config, 2000);
    let mut moved = |threshold| {
        config.ftl.wear.threshold = threshold;
        run(&config, requests.clone()).flash.page_programs.wear
    };
    let (strict, loose) = (moved(5), moved(60));
    assert!(strict > 2 * loose, "{strict} {loose}");
}

/// 16 blocks of 8 pages with 5 cycles each. Overwritten from end to end nothing is ever moved, so
/// that all blocks wear alike and their 640 page programs are all there is.
#[test]
fn a_worn_out_drive_refuses_writes() {
    let mut config = tiny();
    config.drive.chip.endurance_pec = 5;
    let pages = logical_pages(&config);
    let mut requests: Vec<Request> = (0..1000).map(|n| write(n % pages)).collect();
    requests.push(at(0, Op::Read, 0, pages as u32));
    let result = run(&config, requests);
    let accepted = result.wear.read_only_after_writes.expect("it wears out");
    assert!((560..=640).contains(&accepted), "{accepted}");
    assert_eq!(result.host.refused_writes, 1000 - accepted);
    assert_eq!(result.flash.page_programs.host, accepted);
    assert_eq!(result.write_amplification, Some(1.0));
    assert_eq!(result.wear.erases_max, 5);
    let erased_5_times: u64 =
        result.wear.histogram.iter().filter(|b| b[0] == 5).map(|b| b[1]).sum();
    assert_eq!(result.wear.worn_out_blocks, erased_5_times);
    assert_eq!(result.flash.page_reads.host, pages, "what was written can still be read");
    // What was refused is no part of it.
    let taken_gib = (accepted * PAGE) as f64 / f64::from(1 << 30);
    let rate = result.wear.erases_per_host_gib.expect("the host wrote");
    assert!((rate - result.flash.erases as f64 / taken_gib).abs() < 1e-6, "{rate}");
}

/// Closed loop, one request at a time, no overhead: a write that is served takes 610 us (and what GC adds), one that is
/// refused none, so that refused ones would lower the mean and lift the rates.
#[test]
fn what_is_refused_is_in_no_latency_and_no_rate() {
    let mut config = tiny_timed();
    config.host.mode = HostMode::Closed;
    config.host.queue_depth = 1;
    config.drive.chip.endurance_pec = 5;
    let pages = logical_pages(&config);
    let writes = |count: u64| (0..count).map(|n| write(n % pages)).collect::<Vec<_>>();
    let dead = run(&config, writes(1000));
    let accepted = dead.wear.read_only_after_writes.expect("it wears out");
    let alive = run(&config, writes(accepted));
    assert_eq!((dead.workload.writes, alive.host.refused_writes), (1000, 0));
    assert_eq!(dead.host.refused_writes, 1000 - accepted);
    assert_eq!(dead.host.write.count, accepted);
    assert_eq!(dead.host.write.bytes, accepted * PAGE);
    assert_eq!(dead.host.write.mean_us, alive.host.write.mean_us);
    assert_eq!(dead.host.iops, alive.host.iops);
    assert_eq!(dead.host.bandwidth_mb_s, alive.host.bandwidth_mb_s);
    assert_eq!(dead.workload.duration_s, alive.workload.duration_s);
    assert!(dead.host.write.p50_us >= 610.0, "{}", dead.host.write.p50_us);
    let told = dead.warnings.iter().find(|text| text.contains("read-only")).expect("a warning");
    assert!(told.contains(&format!("{} units that it refused", 1000 - accepted)), "{told}");
    // Reads go on, and have the rates to themselves.
    let reads = (0..500).map(|n| at(0, Op::Read, n % pages, 1));
    let both = run(&config, writes(1000).into_iter().chain(reads).collect());
    let served = (accepted + 500) as f64;
    assert_eq!(both.host.read.count, 500);
    assert!((both.host.iops.unwrap() * both.workload.duration_s / served - 1.0).abs() < 1e-9);
}

/// 64 blocks, 54 of them for the data: those that wear out early are lost in the middle of GC's work,
/// which goes on with the one that is in reserve for that. The drive takes writes while there are 59:
/// for its data, two in reserve, two open ones, and one to gain from.
#[test]
fn a_drive_outlives_its_first_worn_blocks() {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 64;
    config.drive.over_provisioning = 0.2;
    config.drive.chip.endurance_pec = 300;
    config.drive.chip.endurance_sigma = 0.2;
    let pages = logical_pages(&config);
    for seed in 1..=6 {
        config.run.seed = seed;
        let mut dice = Dice::new(seed);
        let requests = (0..80_000).map(|_| write(dice.below(pages))).collect();
        let result = run(&config, requests);
        assert!(result.wear.read_only_after_writes.is_some(), "seed {seed}: it wears out");
        let lost = result.wear.worn_out_blocks;
        assert!(lost > 64 - 59, "seed {seed}: read-only after {lost} worn blocks");
    }
}

#[test]
fn a_longer_life_lasts_longer() {
    let mut config = tiny();
    let pages = logical_pages(&config);
    let mut life = |pec| {
        config.drive.chip.endurance_pec = pec;
        let requests = (0..8000).map(|n| write(n % pages)).collect();
        run(&config, requests).wear.read_only_after_writes.expect("it wears out")
    };
    // 128 page programs for each cycle.
    assert_eq!(life(20) - life(10), 10 * 128);
}

#[test]
fn bad_blocks_are_left_alone() {
    let mut config = tiny();
    config.drive.chip.blocks_per_plane = 64;
    config.drive.chip.bad_blocks = 0.1;
    let pages = logical_pages(&config);
    let result = run(&config, (0..5000).map(|n| write(n * 7 % pages)).collect());
    let (bad, never) = (result.wear.bad_blocks, result.wear.histogram[0]);
    let again = run(&config, vec![write(0)]).wear.bad_blocks;
    assert_eq!(bad, again, "which blocks are bad is a matter of the seed alone");
    let share = |bad_blocks: f64| {
        let mut large = config.clone();
        large.drive.chip.blocks_per_plane = 4096;
        large.drive.chip.bad_blocks = bad_blocks;
        run(&large, vec![write(0)]).wear.bad_blocks
    };
    // Four standard deviations of a binomial of 4096 are 77 at a tenth and 56 at a twentieth.
    assert!(share(0.1).abs_diff(410) < 77 && share(0.05).abs_diff(205) < 56);
    assert_eq!(never, [0, bad], "the others are all in use");
    assert_eq!(result.host.refused_writes, 0);
}

#[test]
fn too_many_bad_blocks_are_an_error_with_the_arithmetic() {
    let mut config = tiny();
    config.drive.chip.bad_blocks = 0.5;
    match outcome(&config, vec![write(0)]) {
        Err(Error::Infeasible { what, help }) => {
            assert!(what.contains("16 blocks") && help.contains("over_provisioning"), "{what}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_drive_that_refused_one_write_refuses_all() {
    let mut config = tiny();
    config.drive.channels = 2;
    config.drive.chip.endurance_pec = 4;
    let pages = logical_pages(&config);
    // Only the first channel is written until it wears out, then only the second, which has a block
    // open by then.
    let first = (0..2000).map(|n| write(n % (pages / 2) * 2));
    let second = (0..50).map(|n| write(n * 2 + 1));
    let result = run(&config, [write(1)].into_iter().chain(first).chain(second).collect());
    let accepted = result.wear.read_only_after_writes.expect("it wears out");
    assert_eq!(result.flash.page_programs.host, accepted);
    assert_eq!(result.host.refused_writes, 2051 - accepted);
}
