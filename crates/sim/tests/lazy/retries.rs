//! Errors of first stages: what the laboratory's table of the chip makes of them, in retries.

use crate::rig::{at_ns, m1, tlc, try_run, until};
use wordline_sim::config::{Config, ErrorsBy, ReadErrors, References, SchemeChoice};
use wordline_sim::technique::lazy_ftl::{LazyFtlConfig, Written};
use wordline_trace::Op;

const DAY_NS: u64 = 86_400_000_000_000;

/// A drive after 1,000 P/E cycles whose erases and errors are those of LazyRS's chip.
fn drive() -> Config {
    let mut config = tlc(16);
    config.drive.chip.initial_pec = 1000;
    config.erase.scheme = SchemeChoice::Ispe;
    let keys = "chip = \"lazyrs-tlc\"\nrequirement = 1000";
    let own = keys.parse::<toml::Table>().expect("a table");
    config.erase.schemes.insert("ispe".into(), own.into());
    config.drive.reads.model = ReadErrors::Cell;
    config.drive.reads.word_line_sigma = 0.0;
    config
}

/// Retries of a read of each page of a word line, which was written at 0, at a time.
fn retries(mode: Written, read_ns: u64) -> f64 {
    retries_on(&drive(), mode, read_ns)
}

/// Retries for each read on a drive.
fn retries_on(config: &Config, mode: Written, read_ns: u64) -> f64 {
    let own = LazyFtlConfig { mode, day_s: 86_400.0, window: 0.01, ..m1() };
    let requests = [at_ns(0, Op::Write, 0, 3), at_ns(read_ns, Op::Read, 0, 3), until(read_ns + 1)];
    let result = try_run(config, &own, &requests).unwrap_or_else(|error| panic!("{error}"));
    result.reads.as_ref().expect("pages have errors").retries_per_page
}

#[test]
fn first_stages_need_more_retries_the_older_they_are() {
    let hours = [1, 6, 12, 23].map(|h| retries(Written::M1, h * DAY_NS / 24));
    assert!(hours.is_sorted() && hours[0] < hours[3], "{hours:?}");
    // A slower mode has fewer at the same age, and reaches them at its own.
    let m30 = retries(Written::M30, 23 * DAY_NS / 24);
    assert!(m30 < hours[3], "{m30} {hours:?}");
    assert!(retries(Written::M30, 29 * DAY_NS) > m30);
}

const RATES: &str = include_str!("../../../../presets/cells/tables/lazyrs-tlc/rber.csv");

/// Errors per KiB of the worst page of a mode by default references, at the 40 °C of its drive after 1,000 P/E cycles, by the laboratory.
fn errors(mode: &str, age_h: u64) -> f64 {
    let start = format!("{mode},1000,{age_h},40,");
    let rows = RATES.lines().filter_map(|line| line.strip_prefix(&start));
    let rates = rows.map(|row| row.rsplit(',').nth(1).and_then(|rate| rate.parse::<f64>().ok()));
    8192.0 * rates.map(|rate| rate.expect("a rate")).fold(0.0, f64::max)
}

/// A code that corrects a little more than the errors of that age, and one that corrects a little less.
fn check(mode: Written, cells: &str, age_h: u64, read_ns: u64) {
    let needs_retries = |share: f64| {
        let mut config = drive();
        config.drive.reads.ecc_bits = share * errors(cells, age_h);
        config.drive.reads.errors_by = ErrorsBy::Cycles;
        retries_on(&config, mode, read_ns) > 0.0
    };
    assert_eq!([0.98, 1.02].map(needs_retries), [true, false], "{cells} after {age_h} h");
}

#[test]
fn first_stages_have_the_errors_of_the_table_at_their_age() {
    for (mode, age_h) in [(Written::M7, 24), (Written::M30, 24), (Written::M30, 168)] {
        check(mode, &mode.to_string(), age_h, age_h * DAY_NS / 24);
    }
}

/// Their age is that of the second stage, and the longer it waited the fewer they are.
#[test]
fn second_stages_have_the_errors_of_what_was_secured_after_their_mode() {
    for (mode, days, age_h) in
        [(Written::M1, 1, 730), (Written::M7, 7, 730), (Written::M30, 30, 8760)]
    {
        // The window is the last hundredth of what the mode holds.
        let secured_ns = days * DAY_NS / 100 * 99;
        check(mode, &format!("secured_{mode}"), age_h, secured_ns + age_h * DAY_NS / 24);
    }
    let [m1, m7, m30] = ["m1", "m7", "m30"].map(|mode| errors(&format!("secured_{mode}"), 8760));
    assert!(m30 < m7 && m7 < m1 && m1 < errors("tlc", 8760));
}

/// Errors per KiB of a read of the worst page of a word line, a year after its last program: at 30 °C after 1,000
/// P/E cycles, in a drive that reads by these references.
fn errors_read(own: &LazyFtlConfig, last_ns: u64, references: References) -> f64 {
    let mut config = drive();
    config.drive.reads.temperature_c = 30.0;
    config.drive.reads.errors_by = ErrorsBy::Cycles;
    config.drive.reads.references = references;
    let read_ns = last_ns + 365 * DAY_NS;
    // What the second stage itself reads does not count.
    config.run.measure_from_s = (read_ns / 1_000_000_000 - 1) as f64;
    let read = |page| {
        let requests =
            [at_ns(0, Op::Write, 0, 3), at_ns(read_ns, Op::Read, page, 1), until(read_ns + 1)];
        let result = try_run(&config, own, &requests).unwrap_or_else(|error| panic!("{error}"));
        result.reads.as_ref().expect("pages have errors").errors_per_kib
    };
    (0..3).map(read).fold(0.0, f64::max)
}

/// Kim and Kim, Electronics 12(4):843, 2023, Section 3.2: up to 31.2 % fewer errors after an idle month. The shorter
/// intervals are the laboratory's.
#[test]
fn second_stages_save_the_published_errors_by_the_best_references() {
    let own = LazyFtlConfig { day_s: 86_400.0, window: 0.01, ..m1() };
    let worn = LazyFtlConfig { pec_max: 999, ..own.clone() };
    let saved = |mode, days: u64, references| {
        let (own, secured_ns) = (LazyFtlConfig { mode, ..own.clone() }, days * DAY_NS / 100 * 99);
        let conventional = errors_read(&worn, 0, references);
        100.0 * (1.0 - errors_read(&own, secured_ns, references) / conventional)
    };
    let modes = [(Written::M1, 1, 15.7), (Written::M7, 7, 24.8), (Written::M30, 30, 31.2)];
    for (mode, days, expected) in modes {
        let ours = saved(mode, days, References::Best);
        assert!((ours / expected - 1.0).abs() < 0.05, "{mode}: {ours} % instead of {expected} %");
        let by_default = saved(mode, days, References::Default);
        assert!(by_default > ours + 5.0, "{mode}: {by_default} %");
    }
}
