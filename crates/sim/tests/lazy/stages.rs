//! When second stages come, and what they cost: each rule one step before its limit and at it.

use crate::common::PAGE;
use crate::rig::{DAY_NS, LINE_NS, at_ns, ends, everywhere, figure, m1, run, tlc, until};
use wordline_sim::config::Acknowledge;
use wordline_sim::logical_bytes;
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::lazy_ftl::{LazyFtlConfig, SecondStage, Secures, Written};
use wordline_trace::{Op, Request};

/// When the window of what was written at 0 opens.
const WINDOW_NS: u64 = DAY_NS / 10 * 9;

#[test]
fn an_idle_die_secures_a_word_line_once_its_window_is_open() {
    for (until_ns, idle) in [(WINDOW_NS, 0), (WINDOW_NS + 1, 1)] {
        let requests = [at_ns(0, Op::Write, 0, 3), until(until_ns)];
        for result in everywhere(&tlc(16), &m1(), &requests) {
            assert_eq!(ends(&result), (idle, 0, 0));
            assert_eq!((figure(&result, "waiting"), figure(&result, "late")), (1 - idle, 0));
            assert_eq!(
                (result.flash.reprograms, result.flash.program_operations),
                (idle, 1 + idle)
            );
            assert_eq!(result.flash.page_reads.technique, 3 * idle);
        }
    }
}

#[test]
fn data_that_dies_before_the_window_has_no_second_stage() {
    for (trim_ns, idle) in [(DAY_NS / 2, 0), (WINDOW_NS, 0), (WINDOW_NS + 1, 1)] {
        let requests = [at_ns(0, Op::Write, 0, 3), at_ns(trim_ns, Op::Trim, 0, 3), until(DAY_NS)];
        for result in everywhere(&tlc(16), &m1(), &requests) {
            assert_eq!(ends(&result), (idle, 0, 1 - idle), "trimmed at {trim_ns}");
            assert_eq!(result.flash.reprograms, idle);
        }
    }
}

#[test]
fn a_word_line_with_one_valid_page_is_read_and_secured_whole() {
    let requests = [
        at_ns(0, Op::Write, 0, 9),
        at_ns(DAY_NS / 2, Op::Trim, 0, 1),
        at_ns(DAY_NS / 2, Op::Trim, 2, 4),
        until(DAY_NS),
    ];
    for result in everywhere(&tlc(16), &m1(), &requests) {
        // Page 1 is left of the first word line, nothing of the second one, all of the third one.
        assert_eq!(ends(&result), (2, 0, 1));
        assert_eq!(result.flash.page_reads.technique, 6);
        assert_eq!(result.flash.program_operations, 3 + 2);
    }
}

#[test]
fn word_lines_of_a_die_are_secured_one_after_the_other() {
    for (until_ns, idle) in [(WINDOW_NS + LINE_NS, 1), (WINDOW_NS + LINE_NS + 1, 2)] {
        let requests = [at_ns(0, Op::Write, 0, 9), until(until_ns)];
        for result in everywhere(&tlc(16), &m1(), &requests) {
            assert_eq!(ends(&result), (idle, 0, 0));
        }
    }
}

#[test]
fn a_block_waits_for_its_own_window_when_the_one_before_it_is_secured() {
    // The window of the second block opens half a day after that of the first one.
    let second_ns = WINDOW_NS + DAY_NS / 2;
    for (until_ns, idle) in [(WINDOW_NS + 4 * LINE_NS, 3), (second_ns, 3), (second_ns + 1, 4)] {
        let write = |at: u64, page| at_ns(at, Op::Write, page, 9);
        let requests = [write(0, 0), write(DAY_NS / 2, 9), until(until_ns)];
        for result in everywhere(&tlc(16), &m1(), &requests) {
            assert_eq!(ends(&result), (idle, 0, 0), "until {until_ns}");
        }
    }
}

#[test]
fn the_second_stage_takes_its_reads_transfers_and_a_program() {
    for (second_stage, program_us) in [(SecondStage::Whole, 900.0), (SecondStage::Rest, 630.0)] {
        let own = LazyFtlConfig { second_stage, ..m1() };
        let requests = [at_ns(0, Op::Write, 0, 3), until(DAY_NS)];
        let results = everywhere(&tlc(16), &own, &requests);
        // The host's write: three pages on the channel and a first stage. Then the second one.
        let busy_us = 30.0 + 270.0 + 3.0 * 60.0 + 30.0 + program_us;
        for result in &results[1..] {
            assert_eq!(result.host.write.max_us, 300.0);
            let busy_share = busy_us * 1000.0 / DAY_NS as f64;
            let found = result.flash.die_utilisation[0];
            assert!((found - busy_share).abs() < 1e-9, "{found} {busy_share}");
        }
    }
}

#[test]
fn an_open_block_is_secured_up_to_where_it_is_filled_and_waits_again() {
    // The first word line is secured when the window opens; what follows waits from the next look on.
    let again_ns = WINDOW_NS + LINE_NS;
    let window_ns = again_ns + WINDOW_NS;
    for (until_ns, idle) in [(window_ns, 1), (window_ns + 1, 2)] {
        let requests =
            [at_ns(0, Op::Write, 0, 3), at_ns(again_ns + 1, Op::Write, 3, 3), until(until_ns)];
        for result in everywhere(&tlc(16), &m1(), &requests) {
            assert_eq!(ends(&result), (idle, 0, 0), "until {until_ns}");
            assert_eq!(figure(&result, "late"), 0);
        }
    }
}

#[test]
fn data_in_the_merge_buffer_is_not_secured_before_it_is_programmed() {
    let mut config = tlc(16);
    config.ftl.acknowledge = Acknowledge::Buffer;
    let requests = [at_ns(0, Op::Write, 0, 4), until(DAY_NS)];
    for result in everywhere(&config, &m1(), &requests) {
        // The fourth page is programmed when the run ends.
        assert_eq!(ends(&result), (1, 0, 0));
        assert_eq!((figure(&result, "first_stages"), figure(&result, "waiting")), (2, 1));
    }
}

#[test]
fn planes_that_work_together_are_secured_together() {
    let mut config = tlc(16);
    (config.drive.chip.planes, config.drive.chip.multi_plane) = (2, true);
    // Six pages fill a word line of both planes; pages 0, 2 and 4 are in the first one.
    let dead = [0, 2, 4].map(|page| at_ns(DAY_NS / 2, Op::Trim, page, 1));
    for (dead, (idle, dropped)) in [(&dead[..0], (2, 0)), (&dead[..], (1, 1))] {
        let write = [at_ns(0, Op::Write, 0, 6)];
        let own = LazyFtlConfig { due_share: 1.0, ..m1() };
        let requests = [&write[..], dead, &[until(DAY_NS)]].concat();
        for result in everywhere(&config, &own, &requests) {
            assert_eq!(ends(&result), (idle, 0, dropped));
            assert_eq!(figure(&result, "first_stages"), 2);
            assert_eq!((result.flash.reprograms, result.flash.page_reads.technique), (1, 3 * idle));
        }
    }
}

#[test]
fn each_mode_has_its_share_of_a_program_and_its_days() {
    let cases = [(Written::M1, 270.0, 1), (Written::M7, 360.0, 7), (Written::M30, 450.0, 30)];
    for (mode, first_us, days) in cases {
        let own = LazyFtlConfig { mode, ..m1() };
        for (until_ns, idle) in [(WINDOW_NS * days, 0), (WINDOW_NS * days + 1, 1)] {
            let requests = [at_ns(0, Op::Write, 0, 3), until(until_ns)];
            let results = everywhere(&tlc(16), &own, &requests);
            assert_eq!(ends(&results[1]), (idle, 0, 0), "{mode}");
            assert_eq!(results[1].host.write.max_us, 30.0 + first_us);
            assert_eq!(figure(&results[1], &format!("blocks_opened.{mode}")), 1);
        }
    }
}

/// A drive of these blocks whose data is moved rather than secured, and how many word lines were secured all the same.
fn secured_where_data_is_moved(over_provisioning: f64) -> u64 {
    let mut config = tlc(18);
    config.drive.over_provisioning = over_provisioning;
    let own = LazyFtlConfig { secures: Secures::Moved, ..m1() };
    let units = logical_bytes(&config).expect("the drive works") / PAGE;
    let (mut now_ns, mut requests) = (0, Vec::new());
    for round in 0..3 {
        for n in 0..units {
            now_ns += 1_000_000 + (n * 7919 + round) % 5 * 3_000_000;
            requests.push(at_ns(now_ns, Op::Write, (n * 5 + round * 3) % units, 1));
        }
        now_ns += 150_000_000;
    }
    requests.push(until(now_ns + 300_000_000));
    let (idle, due, _) = ends(&run(&config, &own, &requests));
    idle + due
}

#[test]
fn data_that_finds_no_room_is_secured_in_place() {
    assert_eq!(secured_where_data_is_moved(0.8), 0);
    assert!(secured_where_data_is_moved(0.3) > 0);
}

/// The rest of a program is what the first stage of its own mode left of it.
#[test]
fn the_rest_of_each_mode_is_what_its_first_stage_left() {
    for (mode, first_us, days) in
        [(Written::M1, 270.0, 1), (Written::M7, 360.0, 7), (Written::M30, 450.0, 30)]
    {
        let own = LazyFtlConfig { mode, second_stage: SecondStage::Rest, ..m1() };
        let requests = [at_ns(0, Op::Write, 0, 3), until(days * DAY_NS)];
        // Three pages on the channel, the first stage, three reads and their transfers back, the rest.
        let busy_us = 30.0 + first_us + 3.0 * 60.0 + 30.0 + (900.0 - first_us);
        for result in &everywhere(&tlc(16), &own, &requests)[1..] {
            assert_eq!(ends(result), (1, 0, 0));
            let found_us = result.flash.die_utilisation[0] * (days * DAY_NS) as f64 / 1000.0;
            assert!((found_us - busy_us).abs() < 1e-3, "{mode}: {found_us} {busy_us}");
        }
    }
}

/// Units and word lines moved.
fn moves(result: &RunResult) -> (u64, u64) {
    (figure(result, "moved.units"), figure(result, "moved.word_lines"))
}

#[test]
fn word_lines_whose_data_is_moved_are_counted_as_such_alone() {
    let own = LazyFtlConfig { secures: Secures::Moved, ..m1() };
    let write = at_ns(0, Op::Write, 0, 9);
    let trim = |page, pages| at_ns(DAY_NS / 2, Op::Trim, page, pages);
    for (trims, moved, dropped) in [
        (vec![], (9, 3), 0),
        // The second word line is empty, and the one before it was moved.
        (vec![trim(3, 3)], (6, 2), 1),
        // The last one is.
        (vec![trim(6, 3)], (6, 2), 1),
        // One page is left of the first.
        (vec![trim(1, 8)], (1, 1), 2),
    ] {
        let requests = [vec![write], trims, vec![until(DAY_NS)]].concat();
        for result in everywhere(&tlc(16), &own, &requests) {
            assert_eq!((moves(&result), ends(&result)), (moved, (0, 0, dropped)));
            assert_eq!(figure(&result, "waiting"), 0);
        }
    }
}

/// A move of a page takes a die 150 + 900 us for three of them, and a ninth of an erase of 3 ms: 683 us. A second stage
/// takes 1,050 us.
#[test]
fn an_open_block_that_waits_again_is_decided_on_anew() {
    let own = LazyFtlConfig { secures: Secures::Cheaper, ..m1() };
    let again_ns = WINDOW_NS + LINE_NS;
    let write = |at, page| at_ns(at, Op::Write, page, 3);
    let trim = |at, page| at_ns(at, Op::Trim, page, 2);
    let end = until(again_ns + DAY_NS);
    let (first, second) = (write(0, 0), write(again_ns + 1, 3));
    let (early_ns, late_ns) = (DAY_NS / 2, again_ns + DAY_NS / 2);
    for (requests, moved, secured) in [
        (vec![first, second, end], (0, 0), 2),
        (vec![first, second, trim(late_ns, 3), end], (1, 1), 1),
        (vec![first, trim(early_ns, 0), second, end], (1, 1), 1),
    ] {
        for result in everywhere(&tlc(16), &own, &requests) {
            assert_eq!((moves(&result), ends(&result)), (moved, (secured, 0, 0)));
        }
    }
}

/// Half a page is a unit here: two of them are moved as a page, and three as two.
#[test]
fn units_of_a_page_are_moved_at_the_cost_of_a_page() {
    let mut config = tlc(16);
    config.ftl.mapping_unit_kib = 2.0;
    let own = LazyFtlConfig { secures: Secures::Cheaper, ..m1() };
    for (kept_units, moved, secured) in [(1, (1, 1), 0), (2, (2, 1), 0), (3, (0, 0), 1)] {
        let trim = Request {
            offset_bytes: kept_units * PAGE / 2,
            size_bytes: ((6 - kept_units) * PAGE / 2) as u32,
            ..at_ns(DAY_NS / 2, Op::Trim, 0, 3)
        };
        let requests = [at_ns(0, Op::Write, 0, 3), trim, until(DAY_NS)];
        let result = run(&config, &own, &requests);
        assert_eq!((moves(&result), ends(&result)), (moved, (secured, 0, 0)), "{kept_units}");
    }
}

#[test]
fn counts_are_those_of_the_measured_part_and_modes_go_on() {
    let mut config = tlc(24);
    let own = LazyFtlConfig {
        mode: Written::Selected,
        u_high: 0.3,
        u_low: 0.2,
        ..LazyFtlConfig { day_s: 1.0, ..m1() }
    };
    let lines = 40;
    let mut requests: Vec<_> =
        (0..lines).map(|n| at_ns(n * 2_000_000, Op::Write, n % 20 * 3, 3)).collect();
    requests.push(until(lines * 2_000_000));
    let whole = run(&config, &own, &requests);
    assert!(figure(&whole, "mode_switches") > 0, "{:?}", whole.technique);
    for from in 1..lines {
        config.run.measure_from_request = from;
        let part = run(&config, &own, &requests);
        assert_eq!(figure(&part, "first_stages"), lines - from);
        assert_eq!(part.technique["switches"], whole.technique["switches"], "from {from}");
    }
}

/// Whether a run says that no second stage came due, and the seconds for which the host did not wait.
fn owed(result: &RunResult) -> (bool, f64) {
    let told = result.warnings.iter().any(|text| text.contains("no second stage came due"));
    let of = |iops: Option<f64>| result.workload.requests as f64 / iops.expect("time passed");
    (told, of(result.host.iops_if_secured) - of(result.host.iops))
}

/// Two word lines, one of which dies.
#[test]
fn a_run_before_any_deadline_says_what_its_second_stages_would_cost() {
    let end_ns = DAY_NS / 2;
    let requests = [
        at_ns(0, Op::Write, 0, 6),
        at_ns(1_000_000, Op::Trim, 0, 3),
        at_ns(end_ns, Op::Read, 3, 1),
    ];
    let (told, owed_s) = owed(&run(&tlc(16), &m1(), &requests));
    assert!(told && (owed_s - LINE_NS as f64 / 1e9).abs() < 1e-9, "{owed_s}");

    // All is secured, or nothing is left to be.
    let secured = [at_ns(0, Op::Write, 0, 6), until(DAY_NS)];
    assert_eq!(owed(&run(&tlc(16), &m1(), &secured)), (false, 0.0));
    let dead = [at_ns(0, Op::Write, 0, 3), at_ns(1, Op::Trim, 0, 3), until(DAY_NS / 2)];
    assert_eq!(owed(&run(&tlc(16), &m1(), &dead)), (false, 0.0));

    // Some have come, some wait: they are counted, and nothing has to be said.
    let more = [at_ns(0, Op::Write, 0, 9), at_ns(DAY_NS, Op::Write, 9, 9), until(DAY_NS * 3 / 2)];
    let (told, owed_s) = owed(&run(&tlc(16), &m1(), &more));
    assert!(!told && (owed_s - 3.0 * LINE_NS as f64 / 1e9).abs() < 1e-9, "{owed_s}");
}
