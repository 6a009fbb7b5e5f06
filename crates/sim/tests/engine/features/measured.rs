//! The part of a run that its result counts.

use crate::common::{Dice, PAGE, Script, at, logical_pages, outcome, run, tiny, tiny_timed, write};
use wordline_sim::config::{Config, HostMode, ServiceOrder, Streams, load};
use wordline_sim::metrics::RunResult;
use wordline_sim::{Error, logical_bytes, simulate};
use wordline_trace::{GeneratorContext, Op, Request, from_spec};

/// Writes and reads of single pages at random, `gap_us` apart.
fn random(config: &Config, number: u64, gap_us: u64) -> Vec<Request> {
    let (pages, mut dice) = (logical_pages(config), Dice::new(11));
    let mut draw = |n: u64| {
        let op = if n > pages && dice.one_in(4) { Op::Read } else { Op::Write };
        at(n * gap_us, op, dice.below(pages), 1)
    };
    (0..number).map(&mut draw).collect()
}

fn from_request(config: &Config, request: u64) -> Config {
    let mut config = config.clone();
    config.run.measure_from_request = request;
    config
}

/// What adds up over parts of a run.
fn counts(result: &RunResult) -> Vec<u64> {
    let (flash, gc, work) = (&result.flash, &result.gc, &result.workload);
    let mut counts = vec![flash.erases, flash.program_operations, flash.padding];
    counts.extend([flash.page_programs.host, flash.page_programs.gc]);
    counts.extend([flash.page_reads.host, flash.page_reads.gc]);
    counts.extend([gc.count, gc.with_migration, gc.direct, gc.pages_moved]);
    counts.extend([work.requests, work.reads, work.writes, work.bytes_read, work.bytes_written]);
    counts.extend([result.host.read.count, result.host.write.count]);
    counts
}

/// Each operation is one of a page here, so that nothing of the first part is left for the second.
#[test]
fn the_parts_of_a_run_add_up_to_it() {
    for config in [tiny(), tiny_timed()] {
        let requests = random(&config, 3_000, 2_000);
        let whole = counts(&run(&config, requests.clone()));
        for cut in [1, 700, 1_500, 2_999] {
            let first = counts(&run(&config, requests[..cut].to_vec()));
            let rest = run(&from_request(&config, cut as u64), requests.clone());
            let sums: Vec<u64> = first.iter().zip(counts(&rest)).map(|(a, b)| a + b).collect();
            assert_eq!(sums, whole, "{cut}");
            let measured = rest.measured.expect("a part");
            assert_eq!(measured.from_request, cut as u64);
            assert_eq!((measured.erases_before, measured.host_units_before), (first[0], first[3]));
        }
    }
}

#[test]
fn a_part_begins_with_the_request_that_arrives_then() {
    let config = tiny_timed();
    let requests: Vec<Request> = (0..4).map(|n| at(n * 1_000, Op::Write, n, 1)).collect();
    for (from_us, left) in [(0.001, 3), (999.999, 3), (1_000.0, 3), (1_000.001, 2), (3_000.0, 1)] {
        let mut config = config.clone();
        config.run.measure_from_s = from_us / 1e6;
        let result = run(&config, requests.clone());
        assert_eq!((result.workload.requests, result.host.write.count), (left, left), "{from_us}");
        let first_us = (4 - left) * 1_000;
        assert_eq!(result.measured.expect("a part").from_s, first_us as f64 / 1e6);
        assert_eq!(result.workload.arrival_span_s, (left - 1) as f64 / 1e3);
    }
    assert!(run(&config, requests).measured.is_none());
}

/// The first write of a pair waits for the second; a slow read before them is forgotten.
#[test]
fn latencies_are_those_of_requests_of_the_part() {
    let config = tiny_timed();
    // 64 programs of 610 us in a row, of one plane; then reads that find it idle.
    let mut requests = vec![at(0, Op::Write, 0, 32), at(1, Op::Read, 0, 1)];
    requests.extend([at(100_000, Op::Read, 1, 1), at(200_000, Op::Read, 2, 1)]);
    let whole = run(&config, requests.clone());
    assert!(whole.host.read.max_us > 1_000.0);
    let part = run(&from_request(&config, 2), requests);
    assert_eq!((part.host.read.count, part.host.write.count), (2, 0));
    assert_eq!((part.host.read.max_us, part.host.mean_us), (60.0, 60.0));
    // Two reads of 60 us in the 100,060 us from the first to the end of the last.
    let busy = part.flash.die_utilisation[0];
    assert!((busy - 120.0 / 100_060.0).abs() < 1e-9, "{busy}");
}

/// A page leaves while the next one is sensed, programmed or erased, and what came before a part is still under way as
/// it begins.
#[test]
fn dies_are_busy_no_longer_than_there_is_time() {
    let kinds: [&[&str]; 2] = [
        &["drive.chip.program=one_shot", "drive.chip.cache_read=true"],
        &["drive.scheduling.order=reads_first", "workload.repeat=2", "run.measure_from_repeat=2"],
    ];
    for (seed, kind) in (0..30).flat_map(|seed| kinds.map(|kind| (seed, kind))) {
        let seed = format!("run.seed={seed}");
        let small = ["drive.chip.pages_per_block=24", "drive.over_provisioning=1.5", &seed];
        let keys = small.iter().chain(kind).map(|&key| key.to_owned()).collect::<Vec<_>>();
        let config = load("preset = \"tiny\"", "tiny", &keys).expect("it is right");
        let bytes = logical_bytes(&config).expect("it works");
        let context = GeneratorContext::on_drive(bytes, config.run.seed);
        let workload = from_spec("uniform:requests=2000,read=0", &context).expect("it is right");
        let flash = simulate(&config, workload, &mut ()).expect("it works").result.flash;
        let busy = [&flash.die_utilisation[..], &flash.channel_utilisation].concat();
        let is_possible = busy.iter().all(|share| (0.0..=1.0).contains(share));
        assert!(is_possible && busy[0] > 0.9, "{keys:?}: {busy:?}");
    }
}

/// A request that is under way when the part begins is none of it, though it ends later.
#[test]
fn requests_under_way_do_not_count() {
    for order in [ServiceOrder::InOrder, ServiceOrder::ReadsFirst] {
        let mut config = tiny_timed();
        config.drive.scheduling.order = order;
        let requests = vec![at(0, Op::Write, 0, 2), at(10, Op::Write, 2, 1)];
        let part = run(&from_request(&config, 1), requests);
        assert_eq!((part.host.write.count, part.flash.page_programs.host), (1, 1));
        // It waits for the two programs before it: it arrived 10 us after these began.
        assert!(part.host.write.max_us > 1_800.0, "{}", part.host.write.max_us);
    }
}

#[test]
fn the_course_and_the_wear_are_those_of_the_part() {
    let mut config = tiny_timed();
    config.run.series_points = 20;
    config.drive.chip.initial_pec = 7;
    config.drive.chip.endurance_pec = 1_000;
    let requests = random(&config, 4_000, 2_000);
    let whole = run(&config, requests.clone());
    let outcome = outcome(&from_request(&config, 2_000), requests).expect("it works");
    let part = outcome.result;
    let erased: u64 = part.wear.histogram.iter().map(|[cycles, blocks]| cycles * blocks).sum();
    assert_eq!(erased, part.flash.erases);
    assert_eq!(part.wear.spent_lifetime, whole.wear.spent_lifetime);
    let requests = crate::features::column(&outcome.series, "requests");
    assert_eq!((requests[0], *requests.last().expect("there is one")), (64, 2_000));
    let erases = crate::features::column(&outcome.series, "erases");
    assert_eq!(*erases.last().expect("there is one"), part.flash.erases);
    assert!(part.steady_state.rounds.iter().all(|amplification| *amplification >= 1.0));
}

#[test]
fn a_part_may_begin_with_a_repetition() {
    for mode in [HostMode::Open, HostMode::Closed] {
        let mut config = tiny();
        config.host.mode = mode;
        config.workload.repeat = 3;
        config.run.measure_from_repeat = 3;
        let requests: Vec<Request> = (0..50).map(write).collect();
        let result = run(&config, requests.clone());
        assert_eq!(result.workload.requests, 50);
        assert_eq!(result.measured.expect("a part").from_request, 100);
        // The latest of several decides.
        config.run.measure_from_request = 120;
        assert_eq!(run(&config, requests.clone()).workload.requests, 30);
        config.run.measure_from_request = 20;
        assert_eq!(run(&config, requests).workload.requests, 50);
    }
}

#[test]
fn streams_that_wait_for_themselves_are_counted_as_they_go() {
    let mut config = tiny_timed();
    config.host.mode = HostMode::Closed;
    config.host.streams = Streams::Each;
    config.host.queue_depth = 1;
    config.run.measure_from_request = 30;
    let requests: Vec<Request> =
        (0..40).map(|n| Request { stream: (n % 3) as u32, ..write(n) }).collect();
    let result = run(&config, requests.clone());
    assert_eq!((result.workload.requests, result.host.write.count), (10, 10));
    // Those that still wait when the repetition begins do not count.
    (config.run.measure_from_request, config.run.measure_from_repeat) = (0, 2);
    config.workload.repeat = 2;
    let result = run(&config, requests);
    assert_eq!((result.workload.requests, result.host.write.count), (40, 40));
}

#[test]
fn a_part_that_never_begins_is_refused() {
    let refused = |config: &Config, requests: Vec<Request>| match outcome(config, requests) {
        Err(Error::Infeasible { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let requests: Vec<Request> = (0..10).map(|n| at(n, Op::Write, n, 1)).collect();
    let mut late = tiny_timed();
    late.run.measure_from_s = 1.0;
    let told = refused(&late, requests.clone());
    assert!(told.contains("after 10 requests, the last of which arrived at 0.000009 s"), "{told}");
    assert!(refused(&from_request(&tiny(), 10), requests.clone()).contains("nothing was counted"));
    assert_eq!(run(&from_request(&tiny(), 9), requests.clone()).workload.requests, 1);
    let mut again = tiny();
    again.run.measure_from_repeat = 2;
    assert!(refused(&again, requests.clone()).contains("workload.repeat = 1"));
    let mut timeless = tiny();
    timeless.host.mode = HostMode::Closed;
    timeless.run.measure_from_s = 1.0;
    assert!(refused(&timeless, requests.clone()).contains("no time passes"));
    let mut windows = from_request(&tiny(), 3);
    windows.run.window_drive_writes = 0.5;
    assert!(refused(&windows, requests).contains("window"));
}

/// A drive that turned read-only says so for the whole run.
#[test]
fn the_end_of_a_life_is_told_from_its_beginning() {
    let mut config = tiny();
    config.drive.chip.endurance_pec = 5;
    let pages = logical_pages(&config);
    let requests: Vec<Request> = (0..1000).map(|n| write(n % pages)).collect();
    let whole = run(&config, requests.clone());
    for cut in [300, 900] {
        let part = run(&from_request(&config, cut), requests.clone());
        assert_eq!(part.wear.read_only_after_writes, whole.wear.read_only_after_writes, "{cut}");
        assert_eq!(part.wear.worn_out_blocks, whole.wear.worn_out_blocks);
        assert_eq!(part.wear.bad_blocks, whole.wear.bad_blocks);
        assert_eq!(part.wear.life_gib, whole.wear.life_gib);
    }
}

/// The drive takes fewer than 700 writes, and refuses all that come after: of what counts, the first hundred requests are
/// refused, and the reads behind them have the rates to themselves.
#[test]
fn what_was_refused_before_the_part_that_counts_is_no_part_of_it() {
    let mut config = tiny_timed();
    (config.host.mode, config.host.queue_depth) = (HostMode::Closed, 1);
    config.drive.chip.endurance_pec = 5;
    let pages = logical_pages(&config);
    let writes = (0..1000).map(|n| write(n % pages));
    let reads = (0..500).map(|n| at(0, Op::Read, n % pages, 1));
    let part = run(&from_request(&config, 900), writes.chain(reads).collect());
    assert_eq!((part.workload.requests, part.host.refused_writes), (600, 100));
    let served = part.host.iops.expect("time passes") * part.workload.duration_s;
    assert!((served / 500.0 - 1.0).abs() < 1e-9, "{served}");
}

#[test]
fn the_drives_of_an_array_count_from_there_too() {
    let mut config = tiny_timed();
    config.array.level = wordline_sim::config::ArrayLevel::Raid5;
    config.array.drives = 3;
    config.array.chunk_kib = 16.0;
    let pages = logical_pages(&config);
    let mut dice = Dice::new(3);
    let requests: Vec<Request> =
        (0..2_000).map(|n| at(n * 20_000, Op::Write, dice.below(pages), 1)).collect();
    let run = |config: &Config, requests: &[Request]| {
        simulate(config, Script::source(requests.to_vec()), &mut ()).expect("it works").result
    };
    let (whole, first) = (run(&config, &requests), run(&config, &requests[..1_200]));
    let part = run(&from_request(&config, 1_200), &requests);
    let sums = |of: fn(&RunResult) -> u64| of(&first) + of(&part) == of(&whole);
    assert!(sums(|result| result.flash.erases) && part.flash.erases > 0);
    assert!(sums(|result| result.flash.page_programs.total()));
    assert!(sums(|result| result.array.as_ref().map_or(0, |array| array.writes.parity)));
    assert!(sums(|result| result.workload.bytes_written));
    assert_eq!(part.workload.bytes_written, 800 * PAGE);
    let array = part.array.expect("an array");
    assert_eq!(array.latency.iter().map(|phase| phase.writes).sum::<u64>(), 800);
}
