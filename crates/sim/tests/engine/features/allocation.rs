//! The plane within the die, and what waits for garbage collection.

use crate::common::{at, outcome, run, tiny, tiny_timed, write};
use wordline_sim::Error;
use wordline_sim::config::{Config, FrontierScope, GcScope, GcTrigger, PlaneAllocation, load};
use wordline_sim::metrics::RunResult;
use wordline_trace::{Op, Request};

/// Writes of single pages 0.1 s apart.
fn writes(pages: impl Iterator<Item = u64>) -> Vec<Request> {
    (0..).zip(pages).map(|(n, page)| at(n * 100_000, Op::Write, page, 1)).collect()
}

#[test]
fn a_die_with_most_free_planes_is_used_as_a_whole() {
    // Two planes of 16 blocks of 8 pages, one block held back in each. All pages written are even ones,
    // which a static order puts into the first plane.
    let collected = |plane_allocation: PlaneAllocation, count: u64| {
        let mut config = tiny();
        config.drive.chip.planes = 2;
        config.ftl.plane_allocation = plane_allocation;
        run(&config, (0..count).map(|n| write(2 * n % 160)).collect()).gc.count
    };
    assert_eq!(collected(PlaneAllocation::Order, 15 * 8), 0);
    assert!(collected(PlaneAllocation::Order, 15 * 8 + 1) > 0);
    assert_eq!(collected(PlaneAllocation::MostFree, 2 * 15 * 8), 0);
    assert!(collected(PlaneAllocation::MostFree, 2 * 15 * 8 + 1) > 0);
}

#[test]
fn a_choice_of_planes_needs_an_open_block_in_each() {
    for multi_plane in [true, false] {
        let mut config = tiny();
        config.drive.chip.planes = 2;
        config.drive.chip.multi_plane = multi_plane;
        config.ftl.frontier_scope = FrontierScope::Die;
        config.ftl.gc.scope = if multi_plane { GcScope::Plane } else { GcScope::Die };
        config.ftl.plane_allocation = PlaneAllocation::MostFree;
        let message = match outcome(&config, vec![write(0)]) {
            Err(error @ Error::Infeasible { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(message.contains("ftl.plane_allocation"), "{message}");
        assert!(message.contains("ftl.frontier_scope"), "{message}");
    }
}

#[test]
fn a_read_waits_for_collection_where_any_access_does() {
    // 16 blocks of 8 pages. The 113th write opens the 15th block and leaves one erased; the first four
    // blocks hold nothing valid by then. An erase takes 3 ms, a read 60 us, a write 610 us.
    let result = |trigger: GcTrigger| -> RunResult {
        let mut config = tiny_timed();
        config.ftl.gc.trigger = trigger;
        let mut requests = writes((0..113).map(|n| n % 80));
        requests.extend([113, 114].map(|n| at(n * 100_000, Op::Read, 79, 1)));
        requests.extend((115..123).map(|n| at(n * 100_000, Op::Write, 40 + n % 8, 1)));
        run(&config, requests)
    };
    let (late, early) = (result(GcTrigger::Allocation), result(GcTrigger::Access));
    assert_eq!((late.host.read.max_us, early.host.read.max_us), (60.0, 3060.0));
    assert_eq!((late.host.read.mean_us, early.host.read.mean_us), (60.0, 1560.0));
    assert_eq!((late.host.write.max_us, early.host.write.max_us), (3610.0, 610.0));
    assert_eq!((late.gc.count, early.gc.count), (1, 1));
}

#[test]
fn the_last_program_of_a_block_writes_its_summary() {
    let mut config = tiny_timed();
    config.drive.chip.summary_us = 100.0;
    let result = run(&config, writes(0..16));
    assert_eq!(result.host.write.max_us, 710.0);
    assert!((result.host.write.mean_us - 622.5).abs() < 1e-9, "{}", result.host.write.mean_us);
}

#[test]
fn a_unit_of_centaur_is_one_program_of_both_planes() {
    // 96 KiB at 5 ns a byte and 900 us; 8 KiB at 5 ns a byte and 70 us.
    let text = "preset = \"centaur-3d-256g\"\ndrive.channels = 1\n\
                drive.chip.blocks_per_plane = 64\nhost.write_buffer_mib = 0\n\
                host.flush_interval_s = 0\nprecondition.pattern = \"none\"\n";
    let config: Config = load(text, "ssd.toml", &[]).expect("it is valid");
    let request =
        |us: u64, op: Op, kib: u64| Request { size_bytes: (kib * 1024) as u32, ..at(us, op, 0, 1) };
    let result = run(&config, vec![request(0, Op::Write, 96), request(10_000, Op::Read, 8)]);
    assert_eq!(result.flash.program_operations, 1);
    assert!((result.host.write.mean_us - 1391.52).abs() < 1e-6, "{}", result.host.write.mean_us);
    assert!((result.host.read.mean_us - 110.96).abs() < 1e-6, "{}", result.host.read.mean_us);
}
