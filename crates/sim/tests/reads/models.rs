//! How many errors pages have, and with what they grow.

use crate::common::logical_pages;
use crate::rig::{APART_US, WRITTEN_US, alone, drive, reads, table, written_and_read};
use wordline_sim::config::{Cell, Config};
use wordline_sim::metrics::RunResult;
use wordline_trace::{Op, Request};

const KIB_BITS: f64 = 8192.0;

fn run(config: &Config, requests: &[Request]) -> RunResult {
    alone(config, requests)
}

/// ε + α c^k + β c^m t^n + γ c^p r^q, the n-th read of a block of eight pages coming after n others.
#[test]
fn the_law_says_the_errors_of_each_read() {
    let mut config = drive("model = \"law\"\ndata_age_h = 720.0");
    config.drive.chip.initial_pec = 1000;
    let result = run(&config, &written_and_read(4, std::iter::repeat_n(0, 50)));
    let (cycles, days) = (1000f64, |n: f64| 30.0 + (n * APART_US as f64 + 1e6) / 86_400e6);
    let rate = |n: f64| {
        1.48e-3
            + 3.90e-10 * cycles.powf(2.05)
            + 6.28e-5 * cycles.powf(0.14) * days(n).powf(0.54)
            + 3.73e-9 * cycles.powf(0.33) * (n / 8.0).powf(1.71)
    };
    let expected = (0..50).map(|n| rate(f64::from(n))).sum::<f64>() / 50.0 * KIB_BITS;
    let found = reads(&result).errors_per_kib;
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    assert_eq!(reads(&result).beyond_model, 0);
}

/// The law holds for a thousand reads of each page; beyond it the result says of how many reads it may be wrong.
#[test]
fn reads_beyond_the_model_are_told() {
    let told = |result: &RunResult| result.warnings.iter().any(|it| it.contains("drive.reads"));
    let mut config = drive("model = \"law\"\nlaw = { reads_max = 2 }");
    let requests = written_and_read(4, std::iter::repeat_n(0, 50));
    let result = run(&config, &requests);
    // After sixteen reads of its eight pages.
    assert_eq!(reads(&result).beyond_model, 50 - 17);
    assert!(told(&result), "{:?}", result.warnings);
    config.drive.reads.law.reads_max = 1e3;
    assert!(!told(&run(&config, &requests)));
    let own = drive(&table("pec,reads,rber", &[&[0.0, 0.0, 1e-4], &[0.0, 9.0, 2e-4]]));
    assert_eq!(reads(&run(&own, &requests)).beyond_model, 40);
    let aged = table("age_h,rber", &[&[0.0, 1e-4], &[1.0, 2e-4]]);
    let old = drive(&format!("{aged}data_age_h = 2.0"));
    assert_eq!(reads(&run(&old, &requests)).beyond_model, 50);
}

/// From 1e-3 to 1e-1 within a hundred reads: 72 errors of a KiB are passed after 47.
#[test]
fn reads_of_a_block_add_errors_and_its_erase_takes_them_away() {
    let rows: &[&[f64]] =
        &[&[0.0, 0.0, 1e-3], &[100.0, 0.0, 1e-1], &[0.0, 1.0, 0.0], &[100.0, 1.0, 0.0]];
    let config = drive(&table("reads,retry,rber", rows));
    let result = run(&config, &written_and_read(4, std::iter::repeat_n(0, 100)));
    assert_eq!(reads(&result).by_retries, [48, 52]);
    // Of any page of the block, but of no other block.
    let pages = [1, 2, 3, 9].iter().copied().cycle().take(100);
    let result = run(&config, &written_and_read(16, pages));
    assert_eq!(reads(&result).by_retries, [48 + 25, 75 - 48]);
}

#[test]
fn an_erased_block_has_no_reads_behind_it() {
    let rows: &[&[f64]] =
        &[&[0.0, 0.0, 1e-3], &[100.0, 0.0, 1e-1], &[0.0, 1.0, 0.0], &[100.0, 1.0, 0.0]];
    let config = drive(&table("reads,retry,rber", rows));
    let mut requests = written_and_read(4, std::iter::repeat_n(0, 60));
    let mut at_us = WRITTEN_US + 60 * APART_US;
    // Every block is erased once, and the last data read a few times.
    let pages = logical_pages(&config);
    for n in 0..4 * pages {
        requests.push(crate::common::at(at_us, Op::Write, n % pages, 1));
        at_us += APART_US;
    }
    let before = run(&config, &requests);
    for page in 0..pages {
        requests.push(crate::common::at(at_us, Op::Read, page, 1));
        at_us += APART_US;
    }
    let (before, after) = (reads(&before).clone(), run(&config, &requests));
    assert_eq!(reads(&after).by_retries[1], before.by_retries[1]);
}

#[test]
fn rates_go_by_page_type_layer_age_and_mode() {
    let mut config = drive(
        "model = \"table\"\ntable = \"\"\"
mode,page,layer,age_h,temperature_c,rber
slc,0,0,0,40,0.5
tlc,0,0,0,40,1e-3
tlc,1,0,0,40,2e-3
tlc,2,0,0,40,3e-3
tlc,0,1,0,40,4e-3
tlc,1,1,0,40,5e-3
tlc,2,1,0,40,6e-3
\"\"\"",
    );
    let chip = &mut config.drive.chip;
    (chip.cell, chip.pages_per_block, chip.layers_per_block) = (Cell::Tlc, 12, 2);
    let errors = |page: u64| {
        let result = run(&config, &written_and_read(12, std::iter::once(page)));
        reads(&result).errors_per_kib / KIB_BITS
    };
    // Two layers of two word lines of three pages.
    for page in 0..12u32 {
        let expected = f64::from(1 + page % 3 + 3 * (page / 6)) * 1e-3;
        assert!((errors(page.into()) / expected - 1.0).abs() < 1e-9, "page {page}");
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_key() {
    let refused = |reads: &str, wanted: &str| {
        let error =
            crate::common::outcome(&drive(reads), Vec::new()).expect_err(wanted).to_string();
        assert!(error.contains(wanted), "{error}");
    };
    refused("model = \"table\"\ntable = \"rates.csv\"", "drive.reads.table = \"rates.csv\"");
    refused("model = \"table\"", "drive.reads.table");
    let text = "model = \"table\"\ntable = \"# file own.csv\\npec,rber\\n0,x\\n\"";
    refused(text, "own.csv, line 2");
    refused("model = \"law\"\ntemperature_c = 55.0", "drive.reads.temperature_c");
    refused("model = \"cell\"\nretry = \"best\"", "drive.reads.retry");
    refused("model = \"law\"\nsoft_decoding = \"two_bits\"", "drive.reads.soft_decoding");
    refused(&table("layer,rber", &[&[0.0, 1e-3]]), "drive.chip.layers_per_block");
}
