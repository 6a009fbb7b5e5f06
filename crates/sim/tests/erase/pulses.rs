//! What pulses an erase takes.

use crate::common::at;
use crate::drive::{drive, figure, run, worn, writes};
use std::collections::BTreeMap;
use wordline_sim::config::{RunMode, SchemeChoice, ServiceOrder};
use wordline_sim::simulate_dynamic;
use wordline_trace::Op;

const TABLE: &str = include_str!("../../../../presets/cells/tables/reo-tlc/erase.csv");

/// Mean time under pulses in ms, by the cell laboratory's table.
fn mean_of_table(scheme: &str, pec: u64) -> f64 {
    let rows = TABLE.lines().filter_map(|line| line.strip_prefix(&format!("{scheme},{pec},")));
    let product = |row: &str| {
        let (ms, share) = row.split_once(',').expect("two numbers");
        ms.parse::<f64>().expect("ms") * share.parse::<f64>().expect("a share")
    };
    rows.map(product).sum()
}

#[test]
fn unworn_blocks_take_one_full_pulse_of_ispe() {
    let result = worn(&drive(32, 0, SchemeChoice::Ispe, ""), 20);
    let erases = result.flash.erases as f64;
    assert!(erases > 100.0);
    assert!((result.flash.erase_time_ms - 3.6 * erases).abs() < 1e-6, "{:?}", result.flash);
    // Energy goes with the pulses: what the chip says of one of erase_ms.
    assert!((result.energy_mj.erase - 0.0035 * erases).abs() < 1e-9);
    assert_eq!(figure(&result, "mean_verifies"), 1.0);
}

/// The laboratory takes evenly spread blocks through their cycles, the drive draws each of its own.
#[test]
fn erase_times_are_those_of_the_cell_laboratory() {
    let schemes = [
        (SchemeChoice::Ispe, "", "ispe", 0.03),
        (SchemeChoice::IIspe, "", "i_ispe", 0.03),
        (SchemeChoice::Aero, "", "conservative", 0.04),
        (SchemeChoice::Aero, "mode = \"aggressive\"", "aggressive", 0.08),
    ];
    for (scheme, parameters, name, within) in schemes {
        for pec in [500, 2500, 4500] {
            let requirement = "\nrequirement = 1000";
            let margins = if name == "aggressive" { "" } else { requirement };
            let config = drive(2000, pec, scheme, &format!("{parameters}{margins}"));
            let ours = figure(&worn(&config, 4), "mean_pulse_ms");
            let theirs = mean_of_table(name, pec);
            assert!((ours / theirs - 1.0).abs() < within, "{name} {pec}: {ours} for {theirs}");
        }
    }
}

#[test]
fn results_are_the_same_each_time_and_through_a_stack() {
    for scheme in [
        SchemeChoice::Ispe,
        SchemeChoice::IIspe,
        SchemeChoice::Dpes,
        SchemeChoice::Aero,
        SchemeChoice::Reo,
    ] {
        let config = drive(64, 2000, scheme, "");
        let requests = writes(&config, 10);
        let source = || crate::common::Script::source(requests.clone());
        let first = run(&config, requests.clone());
        let again = run(&config, requests.clone());
        let stacked = simulate_dynamic(&config, source(), &mut ()).expect("the drive works").result;
        for other in [again, stacked] {
            assert_eq!(first.erase, other.erase);
            assert_eq!(first.flash.erase_time_ms, other.flash.erase_time_ms);
        }
        let mut timed = config.clone();
        timed.run.mode = RunMode::Timed;
        timed.drive.scheduling.order = ServiceOrder::ReadsFirst;
        assert_eq!(first.erase["by_pulse_ms"], run(&timed, requests).erase["by_pulse_ms"]);
    }
}

#[test]
fn each_scheme_takes_less_time_than_the_one_before() {
    let time = |scheme, parameters| {
        let config = drive(500, 2500, scheme, parameters);
        figure(&worn(&config, 5), "mean_pulse_ms")
    };
    let [ispe, conservative, strict, reo] = [
        (SchemeChoice::Ispe, ""),
        (SchemeChoice::Aero, ""),
        (SchemeChoice::Reo, "requirement = 40"),
        (SchemeChoice::Reo, ""),
    ]
    .map(|(scheme, parameters)| time(scheme, parameters));
    assert!(ispe > conservative && conservative > strict && strict > reo);
}

#[test]
fn mispredictions_take_a_pulse_more() {
    let of = |share: f64| {
        worn(&drive(200, 0, SchemeChoice::Aero, &format!("misprediction_share = {share}")), 30)
    };
    let [never, some, always] = [0.0, 0.2, 1.0].map(of);
    assert_eq!(figure(&never, "mispredicted"), 0.0);
    let share = figure(&some, "mispredicted") / some.flash.erases as f64;
    assert!((share - 0.2).abs() < 0.02, "{share}");
    // Where no prediction was made, none is wrong.
    let share = figure(&always, "mispredicted") / always.flash.erases as f64;
    assert!((0.99..1.0).contains(&share), "{share}");
    let more_ms = figure(&always, "mean_pulse_ms") - figure(&never, "mean_pulse_ms");
    // Half a millisecond; what it wears lets blocks need a little more.
    assert!((0.49..0.52).contains(&more_ms), "{more_ms}");
}

#[test]
fn the_last_loop_waits_where_it_may() {
    let of = |lazy: &str| {
        let mut config = drive(64, 3000, SchemeChoice::Ispe, &format!("lazy = {lazy}"));
        config.run.mode = RunMode::Timed;
        worn(&config, 6)
    };
    let (at_once, lazy) = (of("false"), of("true"));
    assert_eq!(at_once.flash.erases, lazy.flash.erases);
    assert_eq!(at_once.erase["by_pulse_ms"], lazy.erase["by_pulse_ms"]);
    // Blocks that have not been used again lack a pulse of 3.5 ms and its verify-read each.
    let missing = (at_once.flash.erase_time_ms - lazy.flash.erase_time_ms) / 3.6;
    assert!(missing > 0.5 && (missing - missing.round()).abs() < 1e-6, "{missing}");
}

#[test]
fn no_last_loop_is_suspended() {
    let of = |pec| {
        let mut config = drive(64, pec, SchemeChoice::Ispe, "");
        config.run.mode = RunMode::Timed;
        config.drive.scheduling.order = ServiceOrder::ReadsFirst;
        config.drive.scheduling.suspend_erase = true;
        config.drive.scheduling.suspend_min_us = 700.0;
        let mut requests = writes(&config, 6);
        let reads: Vec<_> = (0..requests.len() as u64 * 4)
            .map(|n| at(n * 250 + 120, Op::Read, n % 40, 1))
            .collect();
        requests.extend(reads);
        requests.sort_by_key(|request| request.arrival_ns);
        run(&config, requests).flash.suspensions
    };
    assert_eq!(of(0), 0, "an unworn block takes one loop, its last one");
    assert!(of(3000) > 0);
}

/// A block is programmed as one of the cycles that its last erase brought it to, and not of those before it.
#[test]
fn dpes_goes_by_the_cycles_that_an_erase_completes() {
    for (pec, slower) in [(1498, 1.1), (1499, 1.3), (3499, 1.0)] {
        let mut config = drive(16, pec, SchemeChoice::Dpes, "");
        config.run.mode = RunMode::Timed;
        let units = writes(&config, 1).len() as u64;
        // Written over in order, no unit moves. A third goes to blocks that were never erased, a third to such that were
        // once, and the rest to such that were twice.
        let requests = (0..5 * units).map(|n| at(n * 20_000, Op::Write, n % units, 1)).collect();
        let result = run(&config, requests);
        assert_eq!(result.gc.pages_moved, 0);
        let p50_us = 10.0 + 600.0 * slower;
        assert!(
            (result.host.write.p50_us / p50_us - 1.0).abs() < 0.01,
            "{pec}: {:?}",
            result.host.write
        );
    }
}

#[test]
fn dpes_slows_programs_down_up_to_its_end() {
    let points =
        BTreeMap::from([(0, 1.1), (1499, 1.1), (1500, 1.3), (3499, 1.3), (3500, 1.0), (4500, 1.0)]);
    for (pec, slower) in points {
        let mut config = drive(16, pec, SchemeChoice::Dpes, "");
        config.run.mode = RunMode::Timed;
        // The first write of each block only: nothing is erased.
        let requests = writes(&config, 1).into_iter().step_by(1).take(24).collect();
        let result = run(&config, requests);
        assert!((result.host.write.mean_us - (10.0 + 600.0 * slower)).abs() < 1e-6, "{pec}");
    }
}

/// Beyond its last cycles DPES erases as ISPE does: at the full voltage, with the wear and damage of it.
#[test]
fn dpes_wears_as_ispe_from_its_end_on() {
    let [scaled, full] = [(SchemeChoice::Dpes, "until_pec = 0"), (SchemeChoice::Ispe, "")]
        .map(|(scheme, parameters)| worn(&drive(32, 2000, scheme, parameters), 8));
    assert!(full.flash.erases > 100);
    assert_eq!(scaled.erase, full.erase);
    // Up to there its erases do half of the damage.
    let halved = worn(&drive(32, 2000, SchemeChoice::Dpes, "until_pec = 100000"), 8);
    assert!(figure(&halved, "equivalent_ispe_pec") < 0.8 * figure(&full, "equivalent_ispe_pec"));
}

#[test]
fn what_came_before_the_measured_part_is_not_told() {
    let mut config = drive(64, 3000, SchemeChoice::Aero, "misprediction_share = 0.3");
    let requests = writes(&config, 6);
    config.run.measure_from_request = requests.len() as u64 * 3 / 4;
    let result = run(&config, requests);
    let erases = result.flash.erases;
    assert!(erases > 20 && result.measured.as_ref().expect("a part").erases_before > 20);
    assert_eq!(figure(&result, "erases"), erases as f64);
    for name in ["by_loops", "by_pulse_ms"] {
        let lines = result.erase[name].as_array().expect("lines");
        let counted: u64 = lines.iter().map(|line| line[1].as_u64().expect("a count")).sum();
        assert_eq!(counted, erases, "{name}");
    }
    let pulses_ms =
        erases as f64 * (figure(&result, "mean_pulse_ms") + 0.1 * figure(&result, "mean_verifies"));
    assert!((pulses_ms / result.flash.erase_time_ms - 1.0).abs() < 1e-9);
    assert!(figure(&result, "mispredicted") < erases as f64);
}
