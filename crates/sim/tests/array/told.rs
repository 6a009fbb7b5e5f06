//! Requests whose ends are known as they are submitted: nothing of a run depends on when the array hears of an end.

use crate::common::Script;
use crate::fake::mix;
use crate::runs::{PAGE, config};
use serde_json::Value;
use wordline_sim::config::Config;
use wordline_sim::metrics::{LatencySummary, RunResult, Values};
use wordline_sim::{Outcome, logical_bytes, simulate};
use wordline_trace::{Op, Request};

/// Requests of a page, of which one in `spans` is of two, `gap_us` apart; one in `reads` is a read.
fn requests(config: &Config, gap_us: u64, reads: u64, spans: u64) -> Vec<Request> {
    let pages = logical_bytes(config).expect("it works") / PAGE;
    let draw = |n: u64| {
        Request::new(
            if mix(n ^ 1 << 41).is_multiple_of(reads) { Op::Read } else { Op::Write },
            mix(n) % (pages - 1) * PAGE,
            ((1 + u64::from(mix(n ^ 1 << 40).is_multiple_of(spans))) * PAGE) as u32,
        )
        .at(n * gap_us * 1000)
        .of_stream((n % 3) as u32)
    };
    (0..4_000).map(draw).collect()
}

fn run(config: &Config, requests: &[Request]) -> Outcome {
    let outcome = simulate(config, Script::source(requests.to_vec()), &mut ());
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

/// What a result says of the run itself. Its steady state is judged by the time series, in which a request counts as its
/// end becomes known.
fn figures(result: &RunResult) -> Value {
    let mut value = serde_json::to_value(result).expect("plain data");
    let fields = value.as_object_mut().expect("it is a table");
    let others = ["config", "simulator", "warnings", "steady_state"];
    others.iter().for_each(|name| _ = fields.remove(*name));
    value
}

const PACES: [&str; 5] = [
    "mode = \"closed\"\nqueue_depth = 1",
    "mode = \"closed\"\nqueue_depth = 16",
    "mode = \"closed\"\nqueue_depth = 4\nstreams = \"each\"",
    "mode = \"open\"",
    "mode = \"open\"\nwindow = 4",
];

/// An array that will be scrubbed, if only long after the run, learns of every end as it comes.
#[test]
fn reads_of_raid_5_take_as_long_whether_their_ends_are_told_ahead_or_not() {
    for pace in PACES {
        let array = format!("[host]\n{pace}\n[array]\nlevel = \"raid5\"\ndrives = 4\n");
        let told = config(&array);
        let requests = requests(&told, 100, 2, 5);
        let not_told = config(&format!("{array}scrub = true\nscrub_at_s = 1e6\n"));
        let [told, not_told] =
            [told, not_told].map(|config| figures(&run(&config, &requests).result));
        assert_eq!(told, not_told, "{pace}");
    }
}

/// As long as requests wait, all slots of a closed loop are taken: together they take as long as the run does, once for each.
#[test]
fn a_closed_loop_keeps_its_slots_taken_on_raid_0() {
    for (depth, spans) in [(1, u64::MAX), (1, 3), (16, u64::MAX), (16, 3)] {
        let config = config(&format!(
            "[host]\nmode = \"closed\"\nqueue_depth = {depth}\n[array]\nlevel = \"raid0\"\ndrives = 4\n"
        ));
        let Outcome { result, series, .. } = run(&config, &requests(&config, 0, 2, spans));
        let (reads, writes) = (&result.host.read, &result.host.write);
        let sum_us = |of: &LatencySummary| of.mean_us * of.count as f64;
        let (taken_us, run_us) = (sum_us(reads) + sum_us(writes), result.workload.duration_s * 1e6);
        let longest_us = reads.max_us.max(writes.max_us);
        let (all_us, most_idle_us) = (f64::from(depth) * run_us, f64::from(depth - 1) * longest_us);
        let (idle_us, rounding_us) = (all_us - taken_us, 1e-6 * all_us);
        assert!((-rounding_us..=most_idle_us + rounding_us).contains(&idle_us), "{idle_us}");
        // The last sample is taken as the last request ends.
        let times_s = series.0.iter().find(|column| column.name == "time_s").map(|it| &it.values);
        let Some(Values::F64(times_s)) = times_s else { panic!("{series:?}") };
        let last_s = times_s[times_s.len() - 1];
        assert!((last_s - result.workload.duration_s).abs() < 1e-9, "{last_s}");
    }
}
