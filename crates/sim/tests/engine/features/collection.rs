//! Garbage collection: in idle time, within a plane, and after TRIM.

use crate::common::{Dice, at, logical_pages, run, tiny, tiny_timed, write};
use wordline_sim::config::{
    Acknowledge, Config, GcCounts, GcMode, HostMode, HotnessChoice, Pattern, ServiceOrder,
    WearChoice, load,
};
use wordline_sim::{logical_bytes, simulate};
use wordline_trace::{GeneratorContext, Op, Request, from_spec};

/// Single-page overwrites at random, `gap_us` apart, after a sequential fill.
fn overwrites(config: &Config, count: u64, gap_us: u64) -> Vec<Request> {
    let pages = logical_pages(config);
    let mut dice = Dice::new(5);
    let fill = (0..pages).map(|page| at(page * gap_us, Op::Write, page, 1));
    let rest = (pages..pages + count).map(|n| at(n * gap_us, Op::Write, dice.below(pages), 1));
    fill.chain(rest).collect()
}

#[test]
fn in_idle_time_no_write_waits_for_it() {
    for mode in [GcMode::Background, GcMode::Preemptible] {
        let mut config = tiny_timed();
        config.ftl.gc.mode = mode;
        config.ftl.gc.background_threshold = 0.25;
        config.ftl.gc.free_block_threshold = if mode == GcMode::Preemptible { 0.2 } else { 0.0 };
        config.ftl.gc.idle_us = 100.0;
        let result = run(&config, overwrites(&config, 500, 100_000));
        assert!(result.gc.count > 20, "{mode}: {} victims", result.gc.count);
        let mean_us = result.host.write.mean_us;
        assert!((mean_us - 610.0).abs() < 1e-3, "{mode}: {mean_us} us");
    }
}

#[test]
fn in_the_foreground_writes_wait() {
    let result = run(&tiny_timed(), overwrites(&tiny_timed(), 500, 100_000));
    assert!(result.host.write.max_us > 3610.0, "{}", result.host.write.max_us);
    assert!(result.host.write.mean_us > 610.0);
}

#[test]
fn preemptible_collection_is_interrupted_between_pages() {
    let mut config = tiny_timed();
    config.ftl.gc.mode = GcMode::Preemptible;
    config.ftl.gc.free_block_threshold = 0.2;
    config.ftl.gc.idle_us = 100.0;
    let result = run(&config, overwrites(&config, 800, 3_000));
    assert!(result.gc.count > 20, "{} victims", result.gc.count);
    // At worst a write waits for a page that is being moved, or for an erase.
    assert!(result.host.write.max_us < 1.01 * 3610.0, "{}", result.host.write.max_us);
}

#[test]
fn the_time_of_collection_is_that_of_its_operations() {
    for (copy_back, move_us) in [(false, 670.0), (true, 650.0)] {
        let mut config = tiny_timed();
        config.drive.chip.copy_back = copy_back;
        let result = run(&config, overwrites(&config, 500, 100_000));
        assert!(result.gc.pages_moved > 100);
        assert_eq!(result.flash.page_reads.gc, result.gc.pages_moved);
        let moved = result.gc.pages_moved as f64;
        let expected_ms = moved * move_us / 1000.0 + result.flash.erases as f64 * 3.0;
        let time_ms = result.gc.time_ms;
        assert!((time_ms - expected_ms).abs() < 1e-6 * expected_ms, "{time_ms} {expected_ms}");
        assert!((result.flash.erase_time_ms - 3.0 * result.flash.erases as f64).abs() < 1e-6);
    }
}

/// A tenth of the pages is written over and over. What wear levelling moves and erases is none of GC's time.
#[test]
fn what_wear_levelling_erases_is_not_time_of_collection() {
    let mut config = tiny_timed();
    config.drive.chip.blocks_per_plane = 32;
    config.ftl.wear.policy = WearChoice::Static;
    config.ftl.wear.threshold = 5;
    let pages = logical_pages(&config);
    let hot = (0..200).flat_map(|_| 0..pages / 10);
    let result = run(&config, (0..pages).chain(hot).map(write).collect());
    let of_wear = result.flash.erases - result.gc.count;
    assert!(of_wear > 20 && result.flash.page_programs.wear > 100, "{of_wear} erases");
    let expected_ms = result.gc.pages_moved as f64 * 0.670 + result.gc.count as f64 * 3.0;
    let time_ms = result.gc.time_ms;
    assert!((time_ms - expected_ms).abs() < 1e-6 * expected_ms, "{time_ms} {expected_ms}");
}

#[test]
fn the_threshold_is_one_of_erased_blocks_or_of_pages() {
    // 16 blocks of 8 pages, 3 of which are held back. Page 0 alone is hot: its block has room for 7.
    let collected = |counts: GcCounts, cold: u64| {
        let mut config = tiny();
        config.drive.over_provisioning = 1.0;
        config.ftl.hotness.policy = HotnessChoice::Oracle;
        config.ftl.hotness.hot_share = 1.0 / 64.0;
        config.ftl.gc.free_block_threshold = 0.2;
        config.ftl.gc.counts = counts;
        let cold = (0..cold).map(|n| write(1 + n % 63));
        run(&config, [write(0)].into_iter().chain(cold).collect()).gc.count
    };
    // The 13th cold block would leave 2 erased ones. Of 128 pages 24 are free once 103 cold ones are
    // written, which the next write finds.
    assert_eq!(collected(GcCounts::Blocks, 12 * 8), 0);
    assert!(collected(GcCounts::Blocks, 12 * 8 + 1) > 0);
    assert_eq!(collected(GcCounts::Pages, 103), 0);
    assert!(collected(GcCounts::Pages, 104) > 0);
}

#[test]
fn trimmed_data_is_not_moved() {
    let config = tiny();
    let pages = logical_pages(&config);
    let written = overwrites(&config, 2000, 0);
    let mut trimmed = written.clone();
    // The second half dies; writes go on in the first.
    trimmed.insert(pages as usize, at(0, Op::Trim, pages / 2, (pages / 2) as u32));
    for request in &mut trimmed[pages as usize + 1..] {
        request.offset_bytes /= 2;
        request.offset_bytes -= request.offset_bytes % crate::common::PAGE;
    }
    let (all, half) = (run(&config, written), run(&config, trimmed));
    let amplification = |result: &wordline_sim::metrics::RunResult| {
        result.write_amplification.expect("there are writes")
    };
    assert!(amplification(&all) > 1.3, "{}", amplification(&all));
    assert!(amplification(&half) < 1.1, "{}", amplification(&half));
}

#[test]
fn a_drive_that_is_trimmed_as_a_whole_moves_nothing() {
    let config = tiny();
    let pages = logical_pages(&config);
    let round = |_| (0..pages).map(write).chain([at(0, Op::Trim, 0, pages as u32)]);
    let result = run(&config, (0..20).flat_map(round).collect());
    assert!(result.gc.count > 50);
    assert_eq!((result.gc.pages_moved, result.write_amplification), (0, Some(1.0)));
}

#[test]
fn it_does_not_keep_the_channel_from_other_dies() {
    // Two dies share a channel; collection moves a block at a time, hundreds of transfers ahead. What
    // a die is busy with is the same whatever the order in which it is served.
    let busy_ms = |order: ServiceOrder| {
        let mut config = tiny_timed();
        config.drive.chips_per_channel = 2;
        config.drive.chip.pages_per_block = 64;
        config.drive.over_provisioning = 0.7;
        config.drive.scheduling.order = order;
        let result = run(&config, overwrites(&config, 4000, 2_000));
        let flash = &result.flash;
        let (reads, programs) = (flash.page_reads.total(), flash.page_programs.total());
        let expected_ms = reads as f64 * 0.06 + programs as f64 * 0.61 + flash.erases as f64 * 3.0;
        let busy: f64 = flash.die_utilisation.iter().sum();
        assert!(result.gc.pages_moved > 500, "{order}: {} moved", result.gc.pages_moved);
        (busy * result.workload.duration_s * 1000.0, expected_ms, result.host.write.mean_us)
    };
    let (in_order_ms, expected_ms, in_order_us) = busy_ms(ServiceOrder::InOrder);
    let (queued_ms, _, queued_us) = busy_ms(ServiceOrder::ReadsFirst);
    assert!((in_order_ms / expected_ms - 1.0).abs() < 0.05, "{in_order_ms} of {expected_ms} ms");
    assert!((in_order_ms / queued_ms - 1.0).abs() < 0.05, "{in_order_ms} and {queued_ms} ms");
    assert!((in_order_us / queued_us - 1.0).abs() < 0.15, "{in_order_us} and {queued_us} us");
}

#[test]
fn a_drive_owes_nothing_of_what_writes_wait_for() {
    for mode in [GcMode::Foreground, GcMode::Background, GcMode::Preemptible, GcMode::Paced] {
        let mut config = tiny_timed();
        config.host.mode = HostMode::Closed;
        config.host.queue_depth = 16;
        config.ftl.acknowledge = Acknowledge::Buffer;
        config.ftl.gc.mode = mode;
        config.drive.scheduling.order = ServiceOrder::ReadsFirst;
        let result = run(&config, overwrites(&config, 3000, 0));
        let flash = &result.flash;
        let (reads, programs) = (flash.page_reads.total(), flash.page_programs.total());
        let owed_ms = reads as f64 * 0.06 + programs as f64 * 0.61 + flash.erases as f64 * 3.0;
        let busy: f64 = flash.die_utilisation.iter().sum();
        let done_ms = busy * result.workload.duration_s * 1000.0;
        assert!(result.gc.pages_moved > 1000, "{mode}: {} moved", result.gc.pages_moved);
        assert!(done_ms > 0.97 * owed_ms, "{mode}: {done_ms} of {owed_ms} ms are done");
    }
}

/// Small blocks, the oldest of which is collected whatever it holds: what that makes stale of the map in flash takes
/// as much room as it gains.
#[test]
fn idle_time_ends_where_the_map_takes_all_that_is_gained() {
    let drive = r#"
        run.mode = "count"
        drive.channels = 1
        drive.chips_per_channel = 3
        drive.over_provisioning = 0.12
        drive.chip = { planes = 3, blocks_per_plane = 60, pages_per_block = 8, page_kib = 2 }
        ftl.free_block_order = "circular"
        ftl.gc = { policy = "fifo", free_block_threshold = 0, mode = "background", idle_us = 1 }
        ftl.map_cache = { policy = "dftl", capacity_kib = 1 }
        precondition.pattern = "random"
    "#;
    for (dies, mode, least) in [(0, "background", 50), (0, "preemptible", 10), (3, "background", 5)]
    {
        let set = [format!("ftl.superblock_dies={dies}"), format!("ftl.gc.mode={mode}")];
        let config = load(drive, "the drive", &set).expect("it is right");
        let bytes = logical_bytes(&config).expect("it works");
        let context = GeneratorContext::on_drive(bytes, config.run.seed);
        let workload = from_spec("uniform:writes=300,size_kib=2,interval_us=100", &context);
        let outcome = simulate(&config, workload.expect("it is right"), &mut ()).expect("it works");
        let count = outcome.result.gc.count;
        assert!(count > least, "{dies}, {mode}: {count} blocks were collected");
    }
}

/// Nine blocks of data, one that is held back, two that are open, and one to gain from.
#[test]
fn a_drive_without_a_block_to_spare_collects_in_step_too() {
    for mode in [GcMode::Foreground, GcMode::Paced] {
        let mut config = tiny();
        config.drive.chip.blocks_per_plane = 13;
        config.ftl.gc.mode = mode;
        let result = run(&config, overwrites(&config, 500, 1000));
        assert!(result.gc.count > 100, "{mode}: {} victims", result.gc.count);
    }
}

/// Where planes work together a unit of the host takes room of one of them. GC that moved as much in each would go in
/// bursts, while which the die's writes wait.
#[test]
fn gc_of_planes_that_work_together_goes_in_step_with_what_each_takes() {
    let mut config = tiny_timed();
    (config.drive.channels, config.drive.chips_per_channel) = (2, 2);
    let chip = &mut config.drive.chip;
    (chip.planes, chip.multi_plane) = (2, true);
    (chip.blocks_per_plane, chip.pages_per_block) = (64, 128);
    config.drive.over_provisioning = 0.25;
    config.ftl.gc.mode = GcMode::Paced;
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.precondition.pattern = Pattern::Steady;
    (config.host.mode, config.host.queue_depth) = (HostMode::Closed, 64);
    let (mut dice, pages) = (Dice::new(7), logical_pages(&config));
    let writes = (0..40_000).map(|_| at(0, Op::Write, dice.below(pages), 1)).collect();
    let host = run(&config, writes).host;
    let (iops, bound) = (host.iops.expect("it is timed"), host.iops_bound.expect("it is timed"));
    assert!(iops > 0.93 * bound, "{iops} of {bound}");
}
