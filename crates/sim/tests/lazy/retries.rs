//! Errors of first stages: what the laboratory's table of the chip makes of them, in retries.

use crate::rig::{at_ns, m1, tlc, try_run, until};
use wordline_sim::config::{Config, SchemeChoice};
use wordline_sim::technique::lazy_ftl::{LazyFtlConfig, Written};
use wordline_trace::Op;

const DAY_NS: u64 = 86_400_000_000_000;

/// A drive after 1,000 P/E cycles whose erases and errors are those of LazyRS's chip.
fn drive() -> Config {
    let mut config = tlc(16);
    config.drive.chip.initial_pec = 1000;
    config.erase.scheme = SchemeChoice::Ispe;
    let keys = "chip = \"lazyrs-tlc\"\nword_line_sigma = 0\nrequirement = 1000";
    let own = keys.parse::<toml::Table>().expect("a table");
    config.erase.schemes.insert("ispe".into(), own.into());
    config
}

/// Retries of a read of each page of a word line, which was written at 0, at a time.
fn retries(mode: Written, read_ns: u64) -> f64 {
    let own = LazyFtlConfig { mode, day_s: 86_400.0, window: 0.01, ..m1() };
    let requests = [at_ns(0, Op::Write, 0, 3), at_ns(read_ns, Op::Read, 0, 3), until(read_ns + 1)];
    let result = try_run(&drive(), &own, &requests).unwrap_or_else(|error| panic!("{error}"));
    result.erase["retries_per_read"].as_f64().unwrap_or_else(|| panic!("{:?}", result.erase))
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

#[test]
fn what_is_secured_is_read_as_conventional_data() {
    // Past its second stage, a day and a month after the first one.
    let secured = retries(Written::M1, 2 * DAY_NS);
    let first = retries(Written::M1, 23 * DAY_NS / 24);
    assert!(secured < first, "{secured} {first}");
}
