//! Read retries.

use crate::common::at;
use crate::drive::{drive, figure, run, writes};
use wordline_sim::config::{RunMode, SchemeChoice};
use wordline_sim::metrics::RunResult;
use wordline_trace::Op;

fn read_back(pec: u64, scheme: SchemeChoice, parameters: &str) -> RunResult {
    let mut config = drive(64, pec, scheme, parameters);
    config.run.mode = RunMode::Timed;
    let mut requests = writes(&config, 1);
    let from_us = requests.len() as u64 * 1000 + 100_000;
    let pages = requests.len() as u64;
    requests.extend((0..pages).map(|n| at(from_us + n * 1000, Op::Read, n, 1)));
    run(&config, requests)
}

#[test]
fn a_retry_is_one_more_sensing() {
    let result = read_back(4000, SchemeChoice::Ispe, "data_age_h = 8760");
    let retries = figure(&result, "retries_per_read");
    assert!(retries > 0.1, "{retries}");
    // 10 us on the channel, 50 us for each sensing; nothing else is under way.
    assert!((result.host.read.mean_us - (60.0 + 50.0 * retries)).abs() < 1e-3);
}

/// Those of the part of a run that is measured, whatever was read before it.
#[test]
fn retries_are_those_of_the_measured_part() {
    for first in [0, 1, 2] {
        let mut config = drive(64, 4000, SchemeChoice::Ispe, "data_age_h = 8760");
        config.run.mode = RunMode::Timed;
        let mut requests = writes(&config, 1);
        let (pages, from_us) = (requests.len() as u64, requests.len() as u64 * 1000 + 100_000);
        requests.extend((0..pages).map(|n| at(from_us + n * 1000, Op::Read, n, 1)));
        config.run.measure_from_request = requests.len() as u64;
        // Pages of one type.
        let of_type = (0..pages).skip(first).step_by(3);
        requests.extend(
            (pages..).zip(of_type).map(|(n, page)| at(from_us + n * 1000, Op::Read, page, 1)),
        );
        let result = run(&config, requests);
        let retries = (result.host.read.mean_us - 60.0) / 50.0;
        assert!((figure(&result, "retries_per_read") - retries).abs() < 1e-4, "{retries}");
    }
}

#[test]
fn retries_grow_with_wear_and_age_and_end_with_a_stronger_code() {
    let retries = |pec, parameters| {
        figure(&read_back(pec, SchemeChoice::Ispe, parameters), "retries_per_read")
    };
    let year = "data_age_h = 8760";
    assert!(retries(4500, year) > retries(2500, year));
    assert!(retries(4500, year) > retries(4500, "data_age_h = 24"));
    assert!(retries(4500, "data_age_h = 8760\necc_bits = 1000\nword_line_sigma = 0.1") == 0.0);
}

/// A second drive stands for nearly half a year before it is read.
#[test]
fn data_ages_since_its_block_was_erased() {
    let retries = |stands_h: u64, parameters| {
        let mut config = drive(64, 4500, SchemeChoice::Ispe, parameters);
        config.run.mode = RunMode::Timed;
        let mut requests = writes(&config, 1);
        let pages = requests.len() as u64;
        let from_us = pages * 1000 + stands_h * 3_600_000_000;
        requests.extend((0..pages).map(|n| at(from_us + n * 1000, Op::Read, n, 1)));
        figure(&run(&config, requests), "retries_per_read")
    };
    let (young, stood) = (retries(0, "data_age_h = 24"), retries(4000, "data_age_h = 24"));
    let told = retries(0, "data_age_h = 4024");
    assert!(young < stood && (stood - told).abs() < 1e-9, "{young} {stood} {told}");
}

#[test]
fn word_lines_that_erase_alike_spare_retries() {
    let of = |voltages| {
        let parameters =
            format!("gate_voltages = \"{voltages}\"\ndata_age_h = 730\nword_line_sigma = 2.0");
        figure(&read_back(2500, SchemeChoice::Reo, &parameters), "retries_per_read")
    };
    assert!(of("common") > 0.1 && of("word_line") == 0.0);
}

/// Cells that an erase left too high are told from programmed ones by the lowest reference, which reads
/// one page type of three.
#[test]
fn a_short_erase_costs_retries_of_low_pages_alone() {
    let of = |scheme| {
        let parameters = "ecc_bits = 12\nword_line_sigma = 0.01";
        figure(&read_back(500, scheme, parameters), "retries_per_read")
    };
    let (whole, short) = (of(SchemeChoice::Aero), of(SchemeChoice::Reo));
    assert_eq!(whole, 0.0);
    // At most 25 errors: two retries, each of which halves them.
    assert!(short > 0.1 && short <= 2.0 / 3.0, "{short}");
}

#[test]
fn errors_follow_damage_or_cycles() {
    let of = |scheme, by| {
        let parameters = format!("errors_by = \"{by}\"\ndata_age_h = 8760\nrequirement = 1000");
        figure(&read_back(4500, scheme, &parameters), "retries_per_read")
    };
    assert_eq!(of(SchemeChoice::Ispe, "cycles"), of(SchemeChoice::Aero, "cycles"));
    assert!(of(SchemeChoice::Ispe, "damage") > of(SchemeChoice::Aero, "damage"));
}

#[test]
fn a_code_loses_pages_by_the_chances_of_its_table() {
    let of = |code: &str| {
        let parameters = format!("data_age_h = 8760\nword_line_sigma = 0.1\n{code}");
        figure(&read_back(4500, SchemeChoice::Ispe, &parameters), "retries_per_read")
    };
    let ldpc = of("code = \"ldpc-14\"");
    assert!(of("ecc_bits = 30") > ldpc && ldpc > of("ecc_bits = 100"), "{ldpc}");
    assert_eq!(ldpc, of("code = \"ldpc-14\"\necc_bits = 1"));
    assert_ne!(ldpc, of("code = \"bch-72\""));
}
