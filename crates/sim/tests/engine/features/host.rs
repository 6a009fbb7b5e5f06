//! How requests arrive, and the write buffer.

use super::column;
use crate::common::{PAGE, at, outcome, run, tiny, tiny_timed, write};
use wordline_sim::config::{
    Beyond, Cell, Config, Flushes, HostMode, Incomplete, MapCacheChoice, PerPage, ProgramStart,
    ProgramUnit, ServiceOrder, Streams, Unmapped,
};
use wordline_trace::{Op, Request};

fn closed(queue_depth: u64) -> Config {
    let mut config = tiny_timed();
    config.host.mode = HostMode::Closed;
    config.host.queue_depth = queue_depth;
    config.run.records = true;
    config
}

#[test]
fn a_closed_loop_keeps_its_depth() {
    for &order in ServiceOrder::ALL {
        for depth in [1, 3, 7] {
            let mut config = closed(depth);
            config.drive.scheduling.order = order;
            let records = outcome(&config, (0..40).map(write).collect()).expect("it works").records;
            // One die ends a program every 610 us, and each end lets one request in.
            for (number, arrival_ns) in column(&records, "arrival_ns").into_iter().enumerate() {
                let ended = (number as u64 + 1).saturating_sub(depth);
                assert_eq!(arrival_ns, ended * 610_000, "request {number} of depth {depth}");
            }
        }
    }
}

/// Each program is padded and ends while the host looks for the next thing that is due.
#[test]
fn a_closed_loop_sees_programs_that_end_at_once() {
    let mut config = closed(1);
    config.drive.chip.cell = Cell::Mlc;
    config.drive.chip.program = ProgramUnit::OneShot;
    let result = run(&config, (0..5).map(write).collect());
    assert_eq!((result.host.write.count, result.flash.padding), (5, 5));
}

/// Programs that leave the rest of a word line: each takes as long as that of a whole one, and the next
/// goes on where it ended. Together they take the energy of whole ones.
#[test]
fn programs_that_are_not_full_leave_the_rest() {
    let mut config = closed(1);
    config.drive.chip.cell = Cell::Mlc;
    config.drive.chip.program = ProgramUnit::OneShot;
    config.ftl.incomplete = Incomplete::Leave;
    config.drive.chip.program_uj = PerPage::Many(vec![2.0, 5.0]);
    let pages = config.drive.chip.pages_per_block;
    let result = run(&config, (0..pages + 1).map(write).collect());
    assert_eq!((result.flash.padding, result.flash.program_operations), (0, pages + 1));
    let free = result.capacity.physical_pages - result.capacity.free_pages;
    assert_eq!(free, pages + 1, "nothing is left out");
    let energy_mj = (pages as f64 / 2.0 * 7.0 + 2.0) / 1e3;
    let spent_mj = result.energy_mj.program;
    assert!((spent_mj - energy_mj).abs() < 1e-9, "{spent_mj} of {energy_mj}");
    config.ftl.incomplete = Incomplete::Pad;
    let padded = run(&config, (0..pages + 1).map(write).collect());
    assert_eq!(padded.flash.padding, pages + 1);
    // Padding crosses the channel, too: a page takes 10 us.
    let saved_us = padded.host.write.mean_us - result.host.write.mean_us;
    assert!((saved_us - 10.0).abs() < 1e-6, "{saved_us}");
    (config.drive.chip.planes, config.drive.chip.multi_plane) = (2, true);
    config.ftl.incomplete = Incomplete::Leave;
    assert!(outcome(&config, Vec::new()).is_err());
}

/// The first page of a word line was programmed, the second one waits for a third: a read finds the latter with
/// the controller and the former on the flash.
#[test]
fn what_was_left_for_later_alone_is_read_from_the_controller() {
    let mut config = tiny_timed();
    config.drive.chip.cell = Cell::Tlc;
    config.drive.chip.pages_per_block = 9;
    config.drive.chip.program = ProgramUnit::OneShot;
    (config.ftl.program_start, config.ftl.merge_timeout_us) = (ProgramStart::AfterTimeout, 100.0);
    config.ftl.incomplete = Incomplete::Leave;
    for (page, read_us) in [(0, 60.0), (1, 0.0)] {
        let writes = [at(0, Op::Write, 0, 1), at(2000, Op::Write, 1, 1)];
        let reads = [at(2010, Op::Read, page, 1)];
        let result = run(&config, [&writes[..], &reads].concat());
        assert_eq!((result.flash.program_operations, result.flash.padding), (2, 0));
        assert!((result.host.read.mean_us - read_us).abs() < 1e-3, "page {page}");
    }
}

#[test]
fn an_open_loop_is_scaled() {
    let mut config = tiny_timed();
    config.run.records = true;
    for scale in [0.5, 1.0, 3.0] {
        config.host.time_scale = scale;
        let requests = (0..5).map(|n| at(n * 1000, Op::Read, n, 1)).collect();
        let records = outcome(&config, requests).expect("it works").records;
        let expected: Vec<u64> = (0..5).map(|n| (n as f64 * 1e6 * scale) as u64).collect();
        assert_eq!(column(&records, "arrival_ns"), expected);
    }
}

#[test]
fn a_bus_carries_one_request_at_a_time() {
    let mut config = tiny_timed();
    config.host.bus_mb_s = 4096.0 / 100.0; // 100 us a page
    config.host.overhead_us = 7.0;
    let result = run(&config, vec![write(0)]);
    assert!((result.host.write.mean_us - 717.0).abs() < 1e-3, "{}", result.host.write.mean_us);
    let result = run(&config, vec![write(0), at(9000, Op::Read, 0, 1)]);
    assert!((result.host.read.mean_us - 167.0).abs() < 1e-3, "{}", result.host.read.mean_us);
}

fn buffered(pages: u64) -> Config {
    let mut config = tiny_timed();
    config.host.write_buffer_mib = (pages * PAGE) as f64 / f64::from(1 << 20);
    config
}

#[test]
fn the_write_buffer_lets_the_least_recently_written_go() {
    let pages = [0, 1, 2, 3, 0, 4];
    let mut requests: Vec<Request> = pages.map(write).to_vec();
    // Page 1 is on flash; the others are not.
    requests.extend([0, 1, 2, 3, 4].map(|page| at(9000, Op::Read, page, 1)));
    let result = run(&buffered(4), requests);
    assert_eq!(result.flash.page_programs.host, 1);
    assert_eq!((result.host.buffer_write_hits, result.host.buffer_read_hits), (1, 4));
    assert_eq!(result.flash.page_reads.host, 1);
}

#[test]
fn a_hit_in_the_write_buffer_takes_the_time_of_dram() {
    let result = run(&buffered(4), vec![write(0), write(0)]);
    assert!((result.host.write.mean_us - 1.0).abs() < 1e-9, "{}", result.host.write.mean_us);
}

/// Page 0 is on flash once it was flushed.
#[test]
fn a_part_of_what_the_write_buffer_holds_is_completed_there() {
    let flush = Request { size_bytes: 0, ..at(10, Op::Flush, 0, 1) };
    let part = Request { size_bytes: 512, ..at(20_000, Op::Write, 0, 1) };
    let reads = |requests| run(&buffered(8), requests).flash.page_reads.host;
    assert_eq!(reads(vec![write(0), flush, part]), 1);
    assert_eq!(reads(vec![write(0), flush, at(15_000, Op::Write, 0, 1), part]), 0);
}

#[test]
fn the_write_buffer_is_flushed() {
    let mut config = buffered(8);
    let requests = |last_us| vec![write(0), write(1), write(2), at(last_us, Op::Read, 50, 1)];
    assert_eq!(run(&config, requests(30_000)).flash.page_programs.host, 0);
    config.host.flush_interval_s = 0.02;
    assert_eq!(run(&config, requests(19_999)).flash.page_programs.host, 0);
    assert_eq!(run(&config, requests(20_001)).flash.page_programs.host, 3);
    let flush = Request { size_bytes: 0, ..at(10, Op::Flush, 0, 1) };
    assert_eq!(run(&buffered(8), vec![write(0), flush]).flash.page_programs.host, 1);
}

#[test]
fn a_write_with_fua_leaves_the_write_buffer_before_it_is_acknowledged() {
    let fua = Request { fua: true, ..write(1) };
    let result = run(&buffered(8), vec![write(0), fua]);
    assert_eq!(result.flash.page_programs.host, 1);
    assert!(result.host.write.max_us > 100.0, "{}", result.host.write.max_us);
    let mut lies = buffered(8);
    lies.power.flushes = Flushes::Lie;
    assert_eq!(run(&lies, vec![fua]).flash.page_programs.host, 0);
}

#[test]
fn a_trimmed_unit_leaves_the_write_buffer() {
    let requests = vec![write(0), at(1, Op::Trim, 0, 1), at(2, Op::Read, 0, 1)];
    let result = run(&buffered(4), requests);
    assert_eq!((result.host.buffer_read_hits, result.flash.page_programs.host), (0, 0));
}

#[test]
fn an_address_at_the_end_of_the_world_is_no_reason_to_panic() {
    let far = Request { offset_bytes: u64::MAX - 511, ..write(0) };
    let mut config = tiny_timed();
    for (beyond, works) in [(Beyond::Wrap, true), (Beyond::Compact, true), (Beyond::Error, false)] {
        config.workload.beyond = beyond;
        assert_eq!(outcome(&config, vec![far]).is_ok(), works, "{beyond}");
    }
}

#[test]
fn units_that_get_a_place_are_counted() {
    let mut config = tiny_timed();
    let requests = || vec![write(7), write(1 << 40), write(7), write(1 << 41)];
    assert_eq!(run(&config, requests()).workload.placed_units, None);
    config.workload.beyond = Beyond::Compact;
    assert_eq!(run(&config, requests()).workload.placed_units, Some(3));
}

#[test]
fn what_does_not_fit_units_is_counted() {
    let request = |offset_bytes, size_bytes| Request { offset_bytes, size_bytes, ..write(0) };
    let page = PAGE as u32;
    let requests = vec![
        request(0, page),
        request(512, 512),
        request(PAGE - 512, 1024),
        request(512, page),
        request(0, 2 * page),
    ];
    let result = run(&tiny(), requests);
    assert_eq!((result.workload.unaligned, result.workload.sub_unit), (3, 2));
}

#[test]
fn intervals_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut wordline_sim::config::Config)| {
        let mut config = tiny();
        change(&mut config);
        outcome(&config, vec![write(0)]).expect_err("refused").to_string()
    };
    let text = refused(|config| config.ftl.hotness.intervals_min = vec![60.0, 30.0]);
    assert!(text.contains("intervals_min is [60.0, 30.0]"), "{text}");
    let text = refused(|config| config.host.flush_interval_s = 1e-4);
    assert!(text.contains("less than a millisecond"), "{text}");
}

#[test]
fn streams_with_slots_of_their_own_wait_for_no_other() {
    // Two dies; the workload names all writes of the first stream ahead of those of the second.
    let duration_us = |streams: Streams, order: ServiceOrder| {
        let mut config = tiny_timed();
        config.drive.channels = 2;
        config.drive.scheduling.order = order;
        config.host.mode = HostMode::Closed;
        config.host.queue_depth = 1;
        config.host.streams = streams;
        let of_stream = |stream: u32| {
            let write = move |n: u64| at(0, Op::Write, 2 * n + u64::from(stream), 1);
            (0..10).map(move |n| Request { stream, ..write(n) })
        };
        let result = run(&config, of_stream(0).chain(of_stream(1)).collect());
        assert_eq!(result.host.write.count, 20);
        assert_eq!(result.host.write.max_us, 610.0, "no write waits for another");
        result.workload.duration_s * 1e6
    };
    for &order in ServiceOrder::ALL {
        assert!((duration_us(Streams::Together, order) - 20.0 * 610.0).abs() < 1e-6);
        assert!((duration_us(Streams::Each, order) - 10.0 * 610.0).abs() < 1e-6);
    }
}

#[test]
fn a_drive_that_cannot_keep_up_with_an_open_loop_is_told() {
    let told = |interval_ns: u64, mode: HostMode| {
        let at = |number: u64| Request { arrival_ns: number * interval_ns, ..write(number % 64) };
        let mut config = tiny_timed();
        config.host.mode = mode;
        let result = run(&config, (0..1000).map(at).collect());
        assert!(result.workload.arrival_span_s <= result.workload.duration_s);
        result.warnings.iter().any(|text| text.contains("could not keep up"))
    };
    assert!(told(0, HostMode::Open));
    assert!(!told(10_000_000, HostMode::Open));
    assert!(!told(0, HostMode::Closed));
}

#[test]
fn reads_of_what_was_never_written_are_free_or_take_their_time() {
    let mut config = tiny_timed();
    let reads = || vec![at(0, Op::Read, 3, 1), at(1000, Op::Read, 40, 1)];
    for (unmapped, pages, us) in [(Unmapped::Free, 0, 0.0), (Unmapped::AsMapped, 2, 60.0)] {
        config.host.unmapped = unmapped;
        let result = run(&config, reads());
        assert_eq!((result.flash.page_reads.host, result.host.unmapped_reads), (pages, 2));
        assert_eq!(result.host.read.max_us, us);
        assert_eq!(result.warnings.iter().any(|it| it.contains("never been written")), pages == 0);
        assert_eq!(result.capacity.free_pages, run(&config, Vec::new()).capacity.free_pages);
    }
}

/// A write looks its entry up too. Of two entries in one page of the map the first has it read, and the other as well:
/// entries are cached one by one.
#[test]
fn a_map_that_was_never_written_is_read_as_if_it_had_been() {
    let mut config = tiny_timed();
    config.drive.chip.blocks_per_plane = 300;
    config.ftl.map_cache.policy = MapCacheChoice::Dftl;
    for (unmapped, pages, read_us, write_us) in
        [(Unmapped::Free, 0, 0.0, 610.0), (Unmapped::AsMapped, 3, 120.0, 670.0)]
    {
        config.host.unmapped = unmapped;
        let requests = vec![
            at(0, Op::Read, 3, 1),
            at(1000, Op::Read, 4, 1),
            at(2000, Op::Write, 5, 1),
            at(4000, Op::Write, 5, 1),
        ];
        let result = run(&config, requests);
        assert_eq!(result.flash.page_reads.mapping, pages);
        assert_eq!((result.host.read.max_us, result.host.write.max_us), (read_us, write_us));
    }
}

#[test]
fn data_that_was_never_written_is_read_after_its_page_of_the_map() {
    let mut config = tiny_timed();
    config.drive.chip.blocks_per_plane = 300;
    config.drive.channels = 4;
    config.ftl.map_cache.policy = MapCacheChoice::Dftl;
    config.host.unmapped = Unmapped::AsMapped;
    let result = run(&config, (0..16).map(|page| at(1000 * page, Op::Read, page, 1)).collect());
    assert_eq!(result.flash.page_reads.mapping, 16);
    // Whether or not both are in one die.
    assert_eq!((result.host.read.mean_us, result.host.read.max_us), (120.0, 120.0));
}

/// Units stand page after page in block after block, so that the time of each is that of its page type.
#[test]
fn what_was_never_written_takes_the_time_of_the_page_where_it_would_stand() {
    let mut config = tiny_timed();
    config.host.unmapped = Unmapped::AsMapped;
    let chip = &mut config.drive.chip;
    (chip.cell, chip.pages_per_block) = (Cell::Tlc, 12);
    chip.read_us = PerPage::Many(vec![50.0, 100.0, 150.0]);
    for (page, us) in
        [(0, 60.0), (1, 110.0), (2, 160.0), (3, 60.0), (11, 160.0), (12, 60.0), (16, 110.0)]
    {
        let result = run(&config, vec![at(0, Op::Read, page, 1)]);
        assert_eq!(result.host.read.max_us, us, "page {page}");
    }
}

/// Without collection nothing is steady or not.
#[test]
fn a_drive_that_never_collects_is_told_and_no_other_one() {
    let told = |writes| {
        let requests = (0..writes).map(|n| write(n % 70)).collect();
        let warnings = run(&tiny_timed(), requests).warnings;
        ["never ran", "no steady state"].map(|of| warnings.iter().any(|text| text.contains(of)))
    };
    assert_eq!(told(70), [true, false]);
    assert_eq!(told(140), [false, true]);
    assert_eq!(told(400), [false, false]);
}
