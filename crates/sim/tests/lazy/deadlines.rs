//! No data outlives the mode in which it was written, whatever else the drive has to do.

use crate::common::Dice;
use crate::rig::{DAY_NS, at_ns, ends, figure, m1, run, schedulers, tlc, try_run, until};
use wordline_sim::config::{Config, GcMode, Pattern, RunMode, ServiceOrder};
use wordline_sim::technique::lazy_ftl::{LazyFtlConfig, Moves, WriteMode, Written};
use wordline_trace::{Op, Request};

/// Reads of a page, more than a die can serve, once its program is over and until `until_ns`.
fn endless_reads(page: u64, until_ns: u64) -> Vec<Request> {
    let from_ns = 5_000_000;
    let times = (from_ns..until_ns).step_by(40_000);
    times
        .map(|at| at_ns(at, Op::Read, page, 1))
        .chain([at_ns(until_ns, Op::Read, page, 1)])
        .collect()
}

#[test]
fn endless_reads_of_the_host_do_not_hold_a_second_stage_back() {
    // A full block, and a word line of the next one; reads of the first page of all, or of the last.
    let write = vec![at_ns(0, Op::Write, 0, 12)];
    for (config, page) in schedulers(&tlc(16)).iter().flat_map(|config| [(config, 0), (config, 9)])
    {
        let requests = [write.clone(), endless_reads(page, DAY_NS + 1)].concat();
        // Of reads that wait, only the time in the array is known.
        let own = LazyFtlConfig { margin_s: 0.01, ..m1() };
        let scheduler = (config.run.mode, config.drive.scheduling.order);
        let result = try_run(config, &own, &requests);
        let result = result.unwrap_or_else(|error| panic!("{scheduler:?}, page {page}: {error}"));
        let (idle, due, dropped) = ends(&result);
        let why = format!("{scheduler:?}, page {page}: {:?}", result.technique);
        assert_eq!((idle + due, dropped, figure(&result, "late")), (4, 0, 0), "{why}");
        if config.run.mode == RunMode::Timed {
            assert!(due > 0, "the die was never idle");
        }
    }
}

/// Reads that are there before the first stages are, and never let the die go.
#[test]
fn endless_reads_of_the_host_do_not_hold_a_first_stage_back_for_longer_than_it_retains() {
    let mut config = tlc(16);
    config.drive.scheduling.order = ServiceOrder::ReadsFirst;
    let fill = vec![at_ns(0, Op::Write, 0, 9)];
    let write = vec![at_ns(5_010_000, Op::Write, 9, 3)];
    let mut requests = [fill, endless_reads(0, 4 * DAY_NS), write].concat();
    requests.sort_by_key(|request| request.arrival_ns);
    let result = try_run(&config, &LazyFtlConfig { margin_s: 0.01, ..m1() }, &requests);
    let result = result.unwrap_or_else(|error| panic!("{error}"));
    let (idle, due, dropped) = ends(&result);
    assert_eq!((idle + due, dropped, figure(&result, "late")), (4, 0, 0), "{:?}", result.technique);
}

/// Writes of whole word lines, sooner after one another than second stages could follow, to a space that
/// lives longer than a day.
fn overload(config: &Config, word_lines: u64) -> Vec<Request> {
    let space = crate::common::logical_pages(config) / 3;
    (0..word_lines).map(|n| at_ns(n * 700_000, Op::Write, n % space * 3, 3)).collect()
}

#[test]
fn under_overload_blocks_open_in_the_secured_mode_and_nothing_is_late() {
    let mut config = tlc(200);
    let requests = overload(&config, 1200);
    for order in [ServiceOrder::InOrder, ServiceOrder::ReadsFirst] {
        config.drive.scheduling.order = order;
        let own = LazyFtlConfig { margin_s: 0.02, ..m1() };
        let safe = run(&config, &own, &requests);
        assert_eq!(figure(&safe, "late"), 0, "{:?}", safe.technique);
        assert!(figure(&safe, "blocks_opened.secured") > 0, "{:?}", safe.technique);
        assert!(figure(&safe, "blocks_opened.m1") > 0, "{:?}", safe.technique);
        assert!(!safe.warnings.iter().any(|text| text.contains("lazy_ftl")));

        // Without the valve a die promises more than it can keep, and the run ends.
        let own = LazyFtlConfig { valve: false, ..own };
        let error = try_run(&config, &own, &requests).expect_err("it promises too much");
        let told = error.to_string();
        for part in ["word line", "of block", "written in mode m1", "valve"] {
            assert!(told.contains(part), "{told}");
        }
    }
}

#[test]
fn every_word_line_is_secured_dropped_or_waiting() {
    let config = tlc(40);
    let units = crate::common::logical_pages(&config);
    for seed in 0..4 {
        let mut dice = Dice::new(seed);
        let mut now_ns = 0;
        let requests: Vec<Request> = (0..3000)
            .map(|_| {
                // Bursts, and pauses in which a window opens.
                now_ns += if dice.one_in(60) { DAY_NS / 3 } else { 1_500_000 };
                let op = if dice.one_in(4) { Op::Read } else { Op::Write };
                at_ns(now_ns, op, dice.below(units / 3), dice.between(1, 3) as u32)
            })
            .collect();
        let modes = [Written::M1, Written::Selected, Written::M7];
        for (config, mode) in schedulers(&config).iter().zip(modes) {
            let own = LazyFtlConfig { mode, margin_s: 0.01, window: 0.5, ..m1() };
            let result = run(config, &own, &requests);
            let (idle, due, dropped) = ends(&result);
            let of = |path| figure(&result, path);
            assert_eq!(of("first_stages"), idle + due + dropped + of("waiting"));
            assert_eq!(result.flash.reprograms, idle + due);
            assert_eq!(of("late"), 0);
            assert!(idle > 0 && dropped > 0, "{:?}", result.technique);
        }
    }
}

#[test]
fn preemptible_gc_and_second_stages_do_not_meet() {
    let mut config = tlc(24);
    config.ftl.gc.mode = GcMode::Preemptible;
    let units = crate::common::logical_pages(&config);
    let mut dice = Dice::new(7);
    let requests: Vec<Request> =
        (0..4000).map(|n| at_ns(n * 2_000_000, Op::Write, dice.below(units / 3) * 3, 3)).collect();
    for config in schedulers(&config) {
        let own = LazyFtlConfig { margin_s: 0.02, ..m1() };
        let result = run(&config, &own, &requests);
        assert!(result.gc.count > 50, "{:?}", result.gc);
        assert_eq!(figure(&result, "late"), 0, "{:?}", result.technique);
    }
}

#[test]
fn what_stood_there_before_the_run_is_secured() {
    let mut config = tlc(60);
    for pattern in [Pattern::Random, Pattern::Steady] {
        config.precondition.pattern = pattern;
        for config in schedulers(&config) {
            let result = run(&config, &m1(), &[until(0), until(3 * DAY_NS)]);
            assert_eq!((ends(&result), figure(&result, "waiting")), ((0, 0, 0), 0));
            assert_eq!(figure(&result, "longest_list_blocks"), 0);
        }
    }
}

#[test]
fn warm_drives_secure_sooner() {
    // 1.1 eV: 6.3 hours at 40 °C, 58 minutes at 55 °C, 10.6 minutes at 70 °C.
    for (temperature_c, minutes) in [(30.0, 1440.0), (40.0, 375.0), (55.0, 58.3), (70.0, 10.65)] {
        let own = LazyFtlConfig { temperature_c, ..LazyFtlConfig::default() };
        let found = own.retention_ns(WriteMode::M1, 0.0, 1000) as f64 / 60e9;
        assert!((found / minutes - 1.0).abs() < 0.01, "{found} min at {temperature_c} °C");
        let week = own.retention_ns(WriteMode::M7, 0.0, 1000) as f64
            / own.retention_ns(WriteMode::M1, 0.0, 1000) as f64;
        assert!((week - 7.0).abs() < 1e-9);
    }
    // 13 hours at 85 °C are a year at 30 °C.
    let hot = LazyFtlConfig { temperature_c: 85.0, ..LazyFtlConfig::default() };
    let days = 13.0 / 24.0 * 86400e9 / hot.retention_ns(WriteMode::M1, 0.0, 1000) as f64;
    assert!((days / 365.0 - 1.0).abs() < 0.05, "{days}");
}

#[test]
fn blocks_worn_beyond_the_table_are_secured() {
    for (pec, secured) in [(1000, 0), (1001, 1)] {
        let mut config = tlc(16);
        config.drive.chip.initial_pec = pec;
        let result = run(&config, &m1(), &[at_ns(0, Op::Write, 0, 3), until(10)]);
        assert_eq!(figure(&result, "blocks_opened.secured"), secured);
        assert_eq!(figure(&result, "blocks_opened.m1"), 1 - secured);
    }
}

#[test]
fn what_gc_moves_is_secured_unless_asked_otherwise() {
    let config = tlc(16);
    let units = crate::common::logical_pages(&config);
    let mut dice = Dice::new(3);
    let requests: Vec<Request> =
        (0..2000).map(|n| at_ns(n * 3_000_000, Op::Write, dice.below(units), 1)).collect();
    let opened = |moves: Moves| {
        let own = LazyFtlConfig { moves, day_s: 1.0, ..m1() };
        let result = run(&config, &own, &requests);
        assert!(result.gc.pages_moved > 0);
        (figure(&result, "blocks_opened.m1") * 3 - figure(&result, "first_stages"), result)
    };
    let (open_lines, secured) = opened(Moves::Secured);
    assert!(open_lines < 3);
    // Only programs of the host are first stages.
    let programs = secured.flash.program_operations - secured.flash.reprograms;
    assert!(figure(&secured, "first_stages") < programs);
    let (_, lazy) = opened(Moves::Lazy);
    let programs = lazy.flash.program_operations - lazy.flash.reprograms;
    assert_eq!(figure(&lazy, "first_stages"), programs);
}

/// The first erase takes a block beyond the table: from then on all blocks of its domain open in the secured mode.
#[test]
fn a_block_that_wears_beyond_the_table_within_the_run_ends_the_promises() {
    let mut config = tlc(16);
    config.drive.chip.initial_pec = 1000;
    let lines = crate::common::logical_pages(&config) / 3;
    let own = LazyFtlConfig { day_s: 1000.0, ..m1() };
    let opened = |count: u64, pec_max: u64| {
        let requests: Vec<Request> =
            (0..count).map(|n| at_ns(n * 2_000_000, Op::Write, n % lines * 3, 3)).collect();
        let own = LazyFtlConfig { pec_max, ..own.clone() };
        let result = run(&config, &own, &requests);
        let of = |mode| figure(&result, &format!("blocks_opened.{mode}"));
        (result.flash.erases, of("m1"), of("secured"))
    };
    let (first, before) =
        (1..).map(|n| (n, opened(n, 1000))).find(|(_, (erases, ..))| *erases > 0).expect("one");
    // A block that is open goes on as it is.
    let (erases, m1, secured) = opened(first + 60, 1000);
    assert!(erases > 5 && secured > 5, "{erases} {secured}");
    assert_eq!(m1, before.1);
    // Where it may wear by as many cycles more, nothing changes.
    assert_eq!(opened(first + 60, 1100), (erases, m1 + secured, 0));
}
