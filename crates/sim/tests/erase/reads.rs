//! Read retries.

use crate::common::at;
use crate::drive::{drive, retries, run, with_errors, writes};
use wordline_sim::config::{RunMode, SchemeChoice};
use wordline_sim::metrics::RunResult;
use wordline_trace::Op;

/// A drive is written, and read by these keys of `[drive.reads]`.
fn read_back(pec: u64, scheme: SchemeChoice, parameters: &str, reads: &str) -> RunResult {
    let mut config = with_errors(drive(64, pec, scheme, parameters), reads);
    config.run.mode = RunMode::Timed;
    let mut requests = writes(&config, 1);
    let from_us = requests.len() as u64 * 1000 + 100_000;
    let pages = requests.len() as u64;
    requests.extend((0..pages).map(|n| at(from_us + n * 1000, Op::Read, n, 1)));
    run(&config, requests)
}

#[test]
fn a_retry_is_one_more_sensing() {
    let result = read_back(4000, SchemeChoice::Ispe, "", "data_age_h = 8760");
    let retries = retries(&result);
    assert!(retries > 0.1, "{retries}");
    // 10 us on the channel, 50 us for each sensing; nothing else is under way.
    assert!((result.host.read.mean_us - (60.0 + 50.0 * retries)).abs() < 1e-3);
}

/// Those of the part of a run that is measured, whatever was read before it.
#[test]
fn retries_are_those_of_the_measured_part() {
    for first in [0, 1, 2] {
        let mut config = with_errors(drive(64, 4000, SchemeChoice::Ispe, ""), "data_age_h = 8760");
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
        let expected = (result.host.read.mean_us - 60.0) / 50.0;
        assert!((retries(&result) - expected).abs() < 1e-4, "{expected}");
    }
}

#[test]
fn retries_grow_with_wear_and_age_and_end_with_a_stronger_code() {
    let retries = |pec, reads| retries(&read_back(pec, SchemeChoice::Ispe, "", reads));
    let year = "data_age_h = 8760";
    assert!(retries(4500, year) > retries(2500, year));
    assert!(retries(4500, year) > retries(4500, "data_age_h = 24"));
    assert!(retries(4500, "data_age_h = 8760\necc_bits = 1000\nword_line_sigma = 0.1") == 0.0);
}

/// A second drive stands for nearly half a year before it is read.
#[test]
fn data_ages_since_it_was_programmed() {
    let retries = |stands_h: u64, reads| {
        let mut config = with_errors(drive(64, 4500, SchemeChoice::Ispe, ""), reads);
        config.run.mode = RunMode::Timed;
        let mut requests = writes(&config, 1);
        let pages = requests.len() as u64;
        let from_us = pages * 1000 + stands_h * 3_600_000_000;
        requests.extend((0..pages).map(|n| at(from_us + n * 1000, Op::Read, n, 1)));
        retries(&run(&config, requests))
    };
    let (young, stood) = (retries(0, "data_age_h = 24"), retries(4000, "data_age_h = 24"));
    let told = retries(0, "data_age_h = 4024");
    assert!(young < stood && (stood - told).abs() < 1e-9, "{young} {stood} {told}");
}

#[test]
fn word_lines_that_erase_alike_spare_retries() {
    let of = |voltages| {
        let parameters = format!("gate_voltages = \"{voltages}\"");
        let reads = "data_age_h = 730\nword_line_sigma = 2.0";
        retries(&read_back(2500, SchemeChoice::Reo, &parameters, reads))
    };
    assert!(of("common") > 0.1 && of("word_line") == 0.0);
}

/// Cells that an erase left too high are told from programmed ones by the lowest reference, which reads
/// one page type of three.
#[test]
fn a_short_erase_costs_retries_of_low_pages_alone() {
    let of = |scheme| retries(&read_back(500, scheme, "", "ecc_bits = 12\nword_line_sigma = 0.01"));
    let (whole, short) = (of(SchemeChoice::Aero), of(SchemeChoice::Reo));
    assert_eq!(whole, 0.0);
    // At most 25 errors: two retries, each of which halves them.
    assert!(short > 0.1 && short <= 2.0 / 3.0, "{short}");
}

#[test]
fn errors_follow_damage_or_cycles() {
    let of = |scheme, by| {
        let reads = format!("errors_by = \"{by}\"\ndata_age_h = 8760");
        retries(&read_back(4500, scheme, "requirement = 1000", &reads))
    };
    assert_eq!(of(SchemeChoice::Ispe, "cycles"), of(SchemeChoice::Aero, "cycles"));
    assert!(of(SchemeChoice::Ispe, "damage") > of(SchemeChoice::Aero, "damage"));
}

#[test]
fn a_code_loses_pages_by_the_chances_of_its_table() {
    let of = |code: &str| {
        let reads = format!("data_age_h = 8760\nword_line_sigma = 0.1\n{code}");
        retries(&read_back(4500, SchemeChoice::Ispe, "", &reads))
    };
    let ldpc = of("code = \"ldpc-14\"");
    assert!(of("ecc_bits = 30") > ldpc && ldpc > of("ecc_bits = 100"), "{ldpc}");
    assert_eq!(ldpc, of("code = \"ldpc-14\"\necc_bits = 1"));
    assert_ne!(ldpc, of("code = \"bch-72\""));
}

/// Blocks that are erased in a fixed time have errors too, by their cycles and the tables of the chip that stands for
/// their cells.
#[test]
fn pages_have_errors_whatever_erases_their_blocks() {
    let of = |scheme, pec| {
        retries(&read_back(pec, scheme, "", "errors_by = \"cycles\"\ndata_age_h = 8760"))
    };
    let fixed = of(SchemeChoice::Fixed, 4000);
    assert!(fixed > 0.1 && fixed > of(SchemeChoice::Fixed, 2500), "{fixed}");
    assert_eq!(fixed, of(SchemeChoice::Ispe, 4000));
    let plain = drive(64, 4000, SchemeChoice::Fixed, "");
    assert!(run(&plain, writes(&plain, 1)).reads.is_none());
}

/// Pages that were written half a year after others are young, though their blocks were erased as long ago: of each
/// plane that one program covers.
#[test]
fn a_page_is_as_old_as_its_own_program() {
    let config = with_errors(drive(64, 4500, SchemeChoice::Fixed, ""), "word_line_sigma = 0");
    for planes in [1, 2] {
        let retries = |page: u64| {
            let mut config = config.clone();
            config.run.mode = RunMode::Timed;
            (config.drive.chip.planes, config.drive.chip.multi_plane) = (planes, planes > 1);
            let stands_us = 4000 * 3_600_000_000;
            let writes = [at(0, Op::Write, 0, 6), at(stands_us, Op::Write, 6, 6)];
            let read = at(stands_us + 1_000_000, Op::Read, page, 1);
            retries(&run(&config, writes.into_iter().chain([read]).collect()))
        };
        let worst = |pages: std::ops::Range<u64>| pages.map(&retries).fold(0.0, f64::max);
        assert!(worst(0..6) > 0.0 && worst(6..12) == 0.0, "{planes} planes");
    }
}
