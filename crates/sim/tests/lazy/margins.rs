//! Margins that erases spend: what is left for the modes to promise.

use crate::rig::{at_ns, ends, m1, run, schedulers, tlc, until};
use wordline_sim::config::{Config, SchemeChoice};
use wordline_sim::technique::lazy_ftl::{Deadlines, LazyFtlConfig, WriteMode};
use wordline_trace::Op;

const ERRORS: &str = include_str!("../../../../presets/cells/tables/lazyrs-tlc/rber.csv");
const BITS_PER_KIB: f64 = 8192.0;

/// Errors per KiB of the worst page of a mode's first stage at 30 °C.
fn errors(mode: WriteMode, pec: u32, age_h: u32) -> f64 {
    let start = format!("{},{pec},{age_h},30,", mode.name());
    let rows = ERRORS.lines().filter_map(|line| line.strip_prefix(&start));
    let rates = rows.map(|row| row.rsplit(',').next().and_then(|rate| rate.parse::<f64>().ok()));
    BITS_PER_KIB * rates.map(|rate| rate.expect("a rate")).fold(0.0, f64::max)
}

const RATED: [(WriteMode, u32); 3] =
    [(WriteMode::M1, 24), (WriteMode::M7, 168), (WriteMode::M30, 730)];

#[test]
fn what_an_erase_leaves_never_lets_a_mode_promise_more_than_the_cells_hold() {
    let own = LazyFtlConfig::default();
    let mut compared = 0;
    for (mode, until_h) in RATED {
        let limit = errors(mode, 1000, until_h);
        for age_h in [24, 168, 730].into_iter().filter(|&age_h| age_h < until_h) {
            // So many errors more, and the mode is at its limit by then.
            let spent = limit - errors(mode, 1000, age_h);
            let whole = own.retention_ns(mode, 0.0, 1000) as f64;
            let share = own.retention_ns(mode, spent, 1000) as f64 / whole;
            let held = f64::from(age_h) / f64::from(until_h);
            assert!(share > 0.0 && share <= held, "{}: {share} of {held}", mode.name());
            compared += 1;
        }
    }
    assert_eq!(compared, 3);
}

#[test]
fn no_wear_lets_a_mode_promise_more_than_the_cells_hold() {
    let own = LazyFtlConfig { deadlines: Deadlines::ByWear, ..LazyFtlConfig::default() };
    let mut compared = 0;
    for (mode, until_h) in RATED {
        let limit = errors(mode, 1000, until_h);
        let hours = |spent, pec| own.retention_ns(mode, spent, pec) as f64 / 3.6e12;
        for (pec, age_h) in
            [0, 250, 500, 750].into_iter().flat_map(|pec| [24, 168, 730].map(|age_h| (pec, age_h)))
        {
            // With so many errors of its margin spent, the cells hold until then.
            let spent = limit - errors(mode, pec, age_h);
            if spent < 0.0 {
                // Not until then, though nothing is spent.
                assert!(hours(0.0, pec) <= f64::from(age_h), "{} {pec} {age_h}", mode.name());
            } else {
                assert!(hours(spent, pec) <= f64::from(age_h), "{} {pec} {age_h}", mode.name());
            }
            compared += 1;
        }
        assert_eq!(
            own.retention_ns(mode, 0.0, 1000),
            LazyFtlConfig::default().retention_ns(mode, 0.0, 1000)
        );
        assert!((hours(0.0, 855) / hours(0.0, 1000) - 2.0).abs() < 1e-6);
        assert!((hours(0.0, 1145) / hours(0.0, 1000) - 0.5).abs() < 1e-6);
    }
    assert_eq!(compared, 36);
}

fn erased_by(scheme: SchemeChoice, keys: &str) -> Config {
    let mut config = tlc(16);
    config.erase.scheme = scheme;
    let own = keys.parse::<toml::Table>().expect("a table");
    config.erase.schemes.insert(scheme.name().into(), own.into());
    config
}

#[test]
fn second_stages_come_sooner_where_erases_are_left_short() {
    // 25 errors: 2^(-25 / 6.5) of a day of 200 ms is 13.9 ms. The three word lines of a block, which is still open,
    // take up to 9.99 ms, so that the second stage is due at 3.9 ms.
    let own = LazyFtlConfig { day_s: 0.2, ..m1() };
    let keys = "chip = \"lazyrs-tlc\"";
    let aggressive = format!("{keys}\nmode = \"aggressive\"");
    for (scheme, keys, is_short) in [
        (SchemeChoice::Ispe, keys, false),
        (SchemeChoice::Aero, keys, false),
        (SchemeChoice::Aero, &aggressive, true),
        (SchemeChoice::Reo, keys, true),
    ] {
        for config in schedulers(&erased_by(scheme, keys)) {
            for (end_ns, secured) in [(3_900_000, 0), (13_900_000, u64::from(is_short))] {
                let result = run(&config, &own, &[at_ns(0, Op::Write, 0, 3), until(end_ns)]);
                let (idle, due, dropped) = ends(&result);
                assert_eq!((idle + due, dropped), (secured, 0), "{scheme}, {end_ns} ns");
                let told = result.warnings.iter().any(|text| text.contains("halved_by"));
                assert_eq!(told, is_short, "{scheme}: {:?}", result.warnings);
            }
        }
    }
}

/// A day of 100 ms lasts 200 on a block that has 145 cycles less than it is rated for, and 50 on one that has 145 more.
#[test]
fn second_stages_come_by_the_wear_of_their_block() {
    let own = LazyFtlConfig { deadlines: Deadlines::ByWear, pec_max: 2000, window: 0.0, ..m1() };
    for (pec, retention_ms) in [(855, 200), (1000, 100), (1145, 50)] {
        // An open block of three word lines is due 9.99 ms before it, and looked at four times in a millisecond.
        for (before_us, secured) in [(10_300, 0), (9_600, 1)] {
            for config in schedulers(&tlc(16)) {
                let mut config = config;
                config.drive.chip.initial_pec = pec;
                let end_ns = retention_ms * 1_000_000 - before_us * 1_000;
                let result = run(&config, &own, &[at_ns(0, Op::Write, 0, 3), until(end_ns)]);
                let (idle, due, dropped) = ends(&result);
                assert_eq!((idle, due, dropped), (0, secured, 0), "{pec}, {before_us} us before");
            }
        }
    }
}
