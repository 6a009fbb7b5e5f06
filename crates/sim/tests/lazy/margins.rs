//! Margins that erases spend: what is left for the modes to promise.

use crate::rig::{at_ns, ends, m1, run, schedulers, tlc, until};
use wordline_sim::config::{Config, SchemeChoice};
use wordline_sim::technique::lazy_ftl::{LazyFtlConfig, WriteMode};
use wordline_trace::Op;

const ERRORS: &str = include_str!("../../../../presets/cells/tables/lazyrs-tlc/rber.csv");
const BITS_PER_KIB: f64 = 8192.0;

/// Errors per KiB of the worst page of a mode's first stage, after 1,000 P/E cycles at 30 °C.
fn errors(mode: WriteMode, age_h: u32) -> f64 {
    let start = format!("{},1000,{age_h},30,", mode.name());
    let rows = ERRORS.lines().filter_map(|line| line.strip_prefix(&start));
    let rates = rows.map(|row| row.rsplit(',').next().and_then(|rate| rate.parse::<f64>().ok()));
    BITS_PER_KIB * rates.map(|rate| rate.expect("a rate")).fold(0.0, f64::max)
}

#[test]
fn what_an_erase_leaves_never_lets_a_mode_promise_more_than_the_cells_hold() {
    let own = LazyFtlConfig::default();
    let mut compared = 0;
    for (mode, until_h) in [(WriteMode::M1, 24), (WriteMode::M7, 168), (WriteMode::M30, 730)] {
        let limit = errors(mode, until_h);
        for age_h in [24, 168, 730].into_iter().filter(|&age_h| age_h < until_h) {
            // So many errors more, and the mode is at its limit by then.
            let spent = limit - errors(mode, age_h);
            let whole = own.retention_ns(mode, 0.0) as f64;
            let share = own.retention_ns(mode, spent) as f64 / whole;
            let held = f64::from(age_h) / f64::from(until_h);
            assert!(share > 0.0 && share <= held, "{}: {share} of {held}", mode.name());
            compared += 1;
        }
    }
    assert_eq!(compared, 3);
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
    let keys = "chip = \"lazyrs-tlc\"\nretries = false";
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
