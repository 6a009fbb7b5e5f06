//! What a result warns of, and what it does not.

use crate::common::{Script, at, run, tiny, tiny_timed, write};
use wordline_sim::config::{
    Acknowledge, Cell, Config, GcMode, HostMode, Pattern, ProgramStart, ProgramUnit, RunMode,
    ServiceOrder,
};
use wordline_sim::metrics::RunResult;
use wordline_sim::simulate;
use wordline_trace::{Op, Request};

fn warns(result: &RunResult, part: &str) -> bool {
    result.warnings.iter().any(|text| text.contains(part))
}

/// 40 programs of three pages, `short` of which lack one: two writes, and the third once they have
/// waited too long.
fn padded(short: u64, acknowledge: Acknowledge) -> RunResult {
    let mut config = tiny_timed();
    config.drive.chip.cell = Cell::Tlc;
    config.drive.chip.pages_per_block = 12;
    config.drive.chip.program = ProgramUnit::OneShot;
    config.drive.chip.blocks_per_plane = 64;
    config.ftl.acknowledge = acknowledge;
    let program = |n: u64| at(n * 10_000, Op::Write, 3 * n, if n < short { 2 } else { 3 });
    run(&config, (0..40).map(program).collect())
}

/// Of `120` pages that are programmed 6 are 5 %, and 7 are more.
#[test]
fn padding_is_told_with_the_key_that_mends_it() {
    assert_eq!(padded(6, Acknowledge::Program).flash.padding, 6);
    assert!(!warns(&padded(6, Acknowledge::Program), "padding"));
    let told = padded(7, Acknowledge::Program);
    assert!(warns(&told, "padding is 6 % of what was programmed: writes wait until programmed"));
    assert!(warns(&told, "set ftl.acknowledge = \"buffer\""), "{:?}", told.warnings);
    let merged = padded(40, Acknowledge::Buffer);
    assert!(merged.flash.padding <= 2 && !warns(&merged, "padding"), "{:?}", merged.warnings);
}

/// The last program of a run may be short, and says nothing of the drive.
#[test]
fn padding_at_the_end_of_a_run_is_not_told() {
    let mut config = tiny_timed();
    config.drive.chip.cell = Cell::Tlc;
    config.drive.chip.pages_per_block = 12;
    config.drive.chip.program = ProgramUnit::OneShot;
    let result = run(&config, vec![write(0)]);
    assert_eq!(result.flash.padding, 2);
    assert!(!warns(&result, "padding"), "{:?}", result.warnings);
}

#[test]
fn a_run_that_took_no_time_says_why() {
    let mut config = tiny_timed();
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.ftl.buffer_kib = 16.0;
    let fits = run(&config, (0..4).map(write).collect());
    assert_eq!((fits.host.iops, fits.host.bandwidth_mb_s), (None, None));
    assert!(warns(&fits, "the run took no time"));
    assert!(warns(&fits, "buffer of 16 KiB took every write at once"), "{:?}", fits.warnings);
    let full = run(&config, (0..5).map(write).collect());
    assert!(!warns(&full, "no time"));
    // Five pages in the time of one program.
    assert!((full.host.iops.expect("a rate") - 5.0 / 610e-6).abs() < 1e-6);
    let unwritten = run(&tiny_timed(), vec![at(0, Op::Read, 0, 1)]);
    assert!(warns(&unwritten, "no request needed the flash"), "{:?}", unwritten.warnings);
    assert!(!warns(&run(&tiny(), vec![write(0)]), "no time"), "count has none by its nature");
}

/// The buffer takes four pages; one of the reads gives the run its time.
#[test]
fn writes_that_take_no_time_are_told() {
    let told = |change: &dyn Fn(&mut Config)| {
        let mut config = tiny_timed();
        config.ftl.acknowledge = Acknowledge::Buffer;
        config.ftl.buffer_kib = 16.0;
        change(&mut config);
        let read = at(1_000_000, Op::Read, 0, 1);
        warns(&run(&config, (0..4).map(write).chain([read]).collect()), "answered in 0 µs")
    };
    assert!(told(&|_| {}));
    assert!(!told(&|it| it.host.overhead_us = 1.0) && !told(&|it| it.host.bus_mb_s = 1000.0));
    assert!(!told(&|it| it.ftl.buffer_kib = 12.0), "one of them waits for room");
    assert!(!told(&|it| it.ftl.acknowledge = Acknowledge::Program));
}

#[test]
fn idle_gc_where_nothing_takes_time_is_told() {
    let told = |mode: RunMode, gc: GcMode| {
        let mut config = tiny();
        config.run.mode = mode;
        config.ftl.gc.mode = gc;
        warns(&run(&config, vec![write(0)]), "run.mode = count")
    };
    assert!(told(RunMode::Count, GcMode::Background) && told(RunMode::Count, GcMode::Preemptible));
    assert!(!told(RunMode::Count, GcMode::Foreground) && !told(RunMode::Timed, GcMode::Background));
}

#[test]
fn a_workload_without_reads_is_no_reason_to_warn() {
    assert!(!warns(&run(&tiny_timed(), vec![write(0)]), "read"));
}

/// A workload without times is replayed in closed loop, unless it is told otherwise.
#[test]
fn the_host_waits_where_nothing_says_when_requests_arrive() {
    let last_us = |mode: HostMode, gap_us: u64| {
        let config = Config {
            host: wordline_sim::config::HostConfig { mode, queue_depth: 2, ..Default::default() },
            ..tiny_timed()
        };
        let write = |n: u64| Request { arrival_ns: n * gap_us * 1000, ..write(n) };
        let result = run(&config, (0..20).map(write).collect());
        (result.config["host"]["mode"].as_str().unwrap().to_owned(), result.host.write.max_us)
    };
    assert_eq!(last_us(HostMode::Auto, 0), ("closed".into(), 1220.0));
    assert_eq!(last_us(HostMode::Open, 0), ("open".into(), 12_200.0));
    assert_eq!(last_us(HostMode::Closed, 0), ("closed".into(), 1220.0));
    assert_eq!(last_us(HostMode::Auto, 700), ("open".into(), 610.0));
    assert_eq!(last_us(HostMode::Closed, 700), ("closed".into(), 1220.0));
}

/// 201 requests of 4 KiB, one every 10 us: 411.648 MB/s.
#[test]
fn a_workload_that_no_link_of_the_drive_carries_is_told() {
    let told = |change: &dyn Fn(&mut Config)| {
        let mut config = tiny_timed();
        config.drive.chip.transfer_mb_s = 0.0;
        change(&mut config);
        let requests = (0..201).map(|n| at(n * 10, Op::Read, n % 64, 1)).collect();
        let outcome = simulate(&config, Script::recorded(requests), &mut ());
        let result = outcome.expect("the drive works").result;
        result.warnings.into_iter().find(|text| text.contains("unit of its sizes or times"))
    };
    assert_eq!(told(&|_| {}), None, "nothing bounds it but the fastest link of a host");
    assert_eq!(told(&|it| it.host.bus_mb_s = 411.649), None);
    let bus = told(&|it| it.host.bus_mb_s = 411.647).expect("a doubt");
    assert!(bus.contains("0.412 GB per second") && bus.contains("(host.bus_mb_s)"), "{bus}");
    assert_eq!(told(&|it| it.drive.chip.transfer_mb_s = 411.649), None);
    let channels = told(&|it| it.drive.chip.transfer_mb_s = 411.647).expect("a doubt");
    assert!(channels.contains("drive.channels, drive.chip.transfer_mb_s"), "{channels}");
    let four = |it: &mut Config| {
        (it.drive.channels, it.drive.chip.transfer_mb_s) = (4, 102.913);
    };
    assert_eq!(told(&four), None, "four channels carry together what one does not");
    assert_eq!(told(&|it| (it.host.mode, it.host.bus_mb_s) = (HostMode::Closed, 1.0)), None);
}

/// 200 writes into a buffer of one page, `pairs` of which come two at a time, so that the second one waits.
fn waiting(pairs: u64) -> RunResult {
    let mut config = tiny_timed();
    config.drive.chip.blocks_per_plane = 64;
    config.ftl.acknowledge = Acknowledge::Buffer;
    config.ftl.buffer_kib = 4.0;
    let arrival_us = |n: u64| 10_000 * if n < 2 * pairs { n / 2 * 2 } else { n };
    run(&config, (0..200).map(|n| at(arrival_us(n), Op::Write, n, 1)).collect())
}

#[test]
fn writes_that_wait_for_the_buffer_are_told_beyond_one_in_a_hundred() {
    assert_eq!(waiting(2).host.buffer_waits, 2);
    assert!(!warns(&waiting(2), "waited for room"), "{:?}", waiting(2).warnings);
    let told = waiting(3);
    assert!(warns(&told, "2 % of the units written waited for room"), "{:?}", told.warnings);
    assert!(warns(&told, "buffer of 4 KiB; raise ftl.buffer_kib"), "{:?}", told.warnings);
}

#[test]
fn a_run_that_writes_little_says_how_little_and_what_to_do() {
    let mut config = tiny();
    config.drive.channels = 8;
    config.drive.chip.blocks_per_plane = 64;
    config.precondition.pattern = Pattern::Steady;
    let writes = |count| (0..count).map(|n| write(n * 7 % 2000)).collect();
    // Half of what fills a block of each plane.
    let told = run(&config, writes(32));
    assert!(told.gc.count > 0);
    assert!(warns(&told, "write amplification says little yet: the host wrote"));
    assert!(warns(&told, "give the generator 2.0 times the writes"), "{:?}", told.warnings);
    assert!(!warns(&run(&config, writes(4000)), "says little"));
}

/// Replays writes over half of the drive, `each` in a replay.
fn replayed(repeat: u64, each: u64) -> RunResult {
    let mut config = tiny();
    config.precondition.pattern = Pattern::Sequential;
    config.workload.repeat = repeat;
    run(&config, (0..each).map(|n| write(n * 7919 % 997 % 32)).collect())
}

#[test]
fn replays_that_repeat_themselves_are_told_unless_each_is_long() {
    let told = replayed(40, 50);
    assert!(told.gc.count > 0);
    assert!(warns(&told, "each replay writes the same in the same order"), "{:?}", told.warnings);
    assert!(warns(&told, "times what the drive holds"));
    let units = told.capacity.logical_pages;
    assert!(!warns(&replayed(4, 2 * units + 1), "in the same order"));
    assert!(warns(&replayed(4, 2 * units - 1), "in the same order"));
    assert!(!warns(&replayed(1, 2000), "in the same order"));
}

#[test]
fn a_timeout_that_starts_nothing_is_told() {
    let mut config = tiny_timed();
    let told = |config: &Config| {
        warns(&run(config, vec![write(0)]), "ftl.merge_timeout_us changed nothing")
    };
    assert!(!told(&config));
    config.ftl.merge_timeout_us = 500.0;
    assert!(told(&config));
    config.ftl.program_start = ProgramStart::AfterTimeout;
    assert!(!told(&config));
}

/// Writes of 610 us each and what they cause, `interval_us` apart: 500 are too few for the drive's only die, and 2000
/// are enough.
fn paced(change: impl Fn(&mut Config), count: u64, interval_us: u64) -> RunResult {
    let mut config = tiny_timed();
    config.host.mode = HostMode::Open;
    change(&mut config);
    let write =
        |n: u64| Request { arrival_ns: n * interval_us * 1000, ..write(n % (count.min(32))) };
    run(&config, (0..count).map(write).collect())
}

#[test]
fn a_drive_that_falls_behind_in_every_replay_is_told_however_many_there_are() {
    for &order in ServiceOrder::ALL {
        for repeat in [1, 2, 5, 10] {
            let change = |it: &mut Config| {
                it.drive.scheduling.order = order;
                it.workload.repeat = repeat;
            };
            let behind = paced(change, 1000, 500);
            assert!(warns(&behind, "could not keep up"), "{order}, {repeat} replays");
            assert!(!warns(&paced(change, 1000, 2000), "keep up"), "{order}, {repeat} replays");
        }
    }
}

/// Each replay arrives within 1000 intervals of half a millisecond.
#[test]
fn the_time_of_all_replays_is_told() {
    let result = paced(|it| it.workload.repeat = 5, 1001, 500);
    let took_s = result.workload.duration_s;
    assert!(took_s > 5.0 * 0.61, "{took_s}");
    let text = format!("5005 requests arrived within 2.500 s and took {took_s:.3} s");
    assert!(warns(&result, &text), "{:?}", result.warnings);
}

/// Of 5 requests the last one takes a fifth of the time, whatever the drive.
#[test]
fn short_replays_say_nothing_of_the_drive() {
    let result = paced(|it| it.workload.repeat = 300, 5, 700);
    assert_eq!(result.workload.requests, 1500);
    assert!(!warns(&result, "keep up"));
}

/// Six of seven replays count. Beside the first one as well they would be too short to judge, and the last one alone
/// says too little.
#[test]
fn replays_that_do_not_count_say_nothing_of_the_drive() {
    let measured = |it: &mut Config| {
        it.workload.repeat = 7;
        it.run.measure_from_repeat = 2;
    };
    assert!(warns(&paced(measured, 1000, 500), "6000 requests arrived within"));
}
