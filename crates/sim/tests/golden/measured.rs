//! Counting a part of a run changes nothing of the run.

use crate::cases::{self, Case};
use wordline_sim::config::{ArrayLevel, SchemeChoice};
use wordline_sim::metrics::RunResult;

fn result(case: &Case, measure_from_request: u64) -> RunResult {
    let mut config = case.config();
    config.run.measure_from_request = measure_from_request;
    let outcome = case.run_with(&config);
    outcome.unwrap_or_else(|error| panic!("{}: {error}", case.name)).result
}

/// Where the drive stands in the end.
fn end(result: &RunResult) -> String {
    let (wear, capacity) = (&result.wear, &result.capacity);
    format!(
        "{:?} {:?} {} {}",
        wear.spent_lifetime, wear.worn_out_blocks, capacity.free_pages, capacity.log_pages
    )
}

/// True for a case of its own kind, and for one in five of the others.
fn is_looked_at(number: usize, case: &Case) -> bool {
    let config = case.config();
    let is_in_parts = config.run.window_drive_writes > 0.0 || config.run.measure_from_request > 0;
    let has_more = !config.technique.is_empty()
        || config.array.level != ArrayLevel::None
        || config.erase.scheme != SchemeChoice::Fixed;
    !is_in_parts && (has_more || number.is_multiple_of(5))
}

/// Over every technique, scheme and array.
#[test]
fn a_drive_does_not_know_that_it_is_measured() {
    for (number, case) in cases::all().into_iter().enumerate() {
        if !is_looked_at(number, &case) {
            continue;
        }
        let whole = result(&case, 0);
        let half = whole.workload.requests / 2;
        if half == 0 {
            continue;
        }
        let part = result(&case, half);
        let before = part.measured.unwrap_or_else(|| panic!("{}: not measured", case.name));
        assert_eq!(before.from_request, half, "{}", case.name);
        assert_eq!(before.erases_before + part.flash.erases, whole.flash.erases, "{}", case.name);
        assert_eq!(end(&part), end(&whole), "{}", case.name);
        assert_eq!(part.workload.requests, whole.workload.requests - half, "{}", case.name);
    }
}

/// Of a single request at the end of a run a technique has next to nothing to tell.
#[test]
fn techniques_and_erase_schemes_count_anew() {
    for (name, counts) in [
        ("llh_ftl", &["/reprograms", "/rounds/first"][..]),
        ("ressd", &["/word_lines", "/reprograms/first"][..]),
        ("centaur", &["/written_bytes", "/programs_3d"][..]),
    ] {
        let cases = cases::all();
        let case = cases.iter().find(|case| case.name == name).expect(name);
        let whole = result(case, 0);
        let last = result(case, whole.workload.requests - 1);
        for count in counts {
            let of = |result: &RunResult| {
                let report = serde_json::to_value(&result.technique).expect("it is data");
                report[name].pointer(count).and_then(serde_json::Value::as_u64).expect(count)
            };
            assert!(of(&whole) > 100, "{name} {count}: {}", of(&whole));
            assert!(of(&last) * 100 < of(&whole), "{name} {count}: {}", of(&last));
        }
    }
    let cases = cases::all();
    let case = cases.iter().find(|case| case.name == "erase_reo").expect("it is there");
    let whole = result(case, 0);
    let last = result(case, whole.workload.requests - 1);
    assert!(whole.erase["erases"].as_u64() > Some(100) && last.erase["erases"].as_u64() < Some(3));
}
