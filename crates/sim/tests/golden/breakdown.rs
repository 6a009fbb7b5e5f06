//! Saying of what latencies consist changes nothing of a run, and says it of all of its time.

use crate::cases;
use serde_json::Value;
use wordline_sim::config::{Config, RunMode};
use wordline_sim::metrics::{LatencyBreakdown, LatencySummary, RunResult};

/// A result as text, less what was asked and how fast the machine was.
fn text(result: &RunResult) -> String {
    let mut result = result.clone();
    (result.config, result.breakdown) = (Value::Null, None);
    result.simulator = Default::default();
    serde_json::to_string(&result).expect("a result is data")
}

fn can_be_itemised(config: &Config) -> bool {
    config.run.mode == RunMode::Timed
}

fn check(name: &str, seen: &LatencySummary, told: &LatencyBreakdown) {
    let in_flash = told.flash.iter().map(|part| part.wait_us + part.array_us + part.transfer_us);
    let before_us = told.queue_us + told.controller_us + told.buffer_us + told.fill_us;
    let of_array = told
        .array
        .as_ref()
        .map_or(0.0, |it| it.stripe_us + it.parity_reads_us + it.log_us + it.other_us);
    let sum_us = before_us + in_flash.sum::<f64>() + of_array;
    for part in &told.flash {
        let on_die = [part.wait_gc_us, part.wait_reads_us, part.wait_programs_us];
        let waits_us = on_die.iter().sum::<f64>() + part.wait_others_us + part.wait_bus_us;
        assert!((waits_us - part.wait_us).abs() <= 1e-9 * part.wait_us, "{name}: {part:?}");
    }
    assert_eq!(told.requests, seen.count, "{name}");
    assert!((told.mean_us - seen.mean_us).abs() <= 1e-9 * seen.mean_us, "{name}: {told:?}");
    assert!((sum_us - told.mean_us).abs() <= 1e-9 * told.mean_us, "{name}: {sum_us}, {told:?}");
}

/// Over every technique, erase scheme, scheduler and policy.
#[test]
fn a_drive_does_not_know_that_its_latencies_are_itemised() {
    for case in cases::all() {
        let config = case.config();
        if !can_be_itemised(&config) {
            continue;
        }
        let run = |breakdown| {
            let mut config = config.clone();
            config.host.breakdown = breakdown;
            let outcome = case.run_with(&config);
            outcome.unwrap_or_else(|error| panic!("{}: {error}", case.name)).result
        };
        let (plain, itemised) = (run(false), run(true));
        assert_eq!(text(&plain), text(&itemised), "{}", case.name);
        assert!(plain.breakdown.is_none());
        let told = itemised.breakdown.expect("it was asked for");
        check(&case.name, &itemised.host.read, &told.read);
        check(&case.name, &itemised.host.write, &told.write);
    }
}
