//! Figures that no run can have.

use serde_json::Value;
use wordline_sim::metrics::{
    EnergySummary, FlashSummary, HostSummary, LatencySummary, RunResult, WearSummary,
    WriteAmplification,
};

/// How far sums of floating-point numbers may be apart.
const CLOSE: f64 = 1e-9;

/// Figures of a result that cannot be, as text; empty: there are none.
pub fn impossible(result: &RunResult) -> Vec<String> {
    let mut found = Vec::new();
    drive(&mut found, "drive", &result.flash, &result.host, &result.wear);
    sums(
        &mut found,
        "drive",
        result.write_amplification,
        result.write_amplification_by_cause.as_ref(),
        &result.energy_mj,
    );
    if let Some(array) = &result.array {
        for it in &array.drives {
            let name = format!("drive {}", it.drive);
            drive(&mut found, &name, &it.flash, &it.host, &it.wear);
            sums(
                &mut found,
                &name,
                it.write_amplification,
                it.write_amplification_by_cause.as_ref(),
                &it.energy_mj,
            );
        }
    }
    let whole = serde_json::to_value(result).expect("it is plain");
    negative(&mut found, "", &whole);
    found
}

fn drive(
    found: &mut Vec<String>,
    name: &str,
    flash: &FlashSummary,
    host: &HostSummary,
    wear: &WearSummary,
) {
    for (of, shares) in [("die", &flash.die_utilisation), ("channel", &flash.channel_utilisation)] {
        if let Some(share) = shares.iter().find(|share| !(0.0..=1.0 + CLOSE).contains(*share)) {
            found.push(format!("{name}: {of}_utilisation {share}"));
        }
    }
    for (of, latency) in [("read", &host.read), ("write", &host.write)] {
        if !is_in_order(latency) {
            found.push(format!("{name}: {of} latencies {latency:?}"));
        }
    }
    if wear.erases_min as f64 > wear.erases_mean + CLOSE
        || wear.erases_mean > wear.erases_max as f64 + CLOSE
    {
        found.push(format!("{name}: erases {wear:?}"));
    }
}

fn is_in_order(latency: &LatencySummary) -> bool {
    let LatencySummary { p50_us, p95_us, p99_us, p999_us, p9999_us, max_us, mean_us, .. } =
        *latency;
    let all = [p50_us, p95_us, p99_us, p999_us, p9999_us, max_us];
    all.is_sorted() && mean_us <= max_us * (1.0 + CLOSE)
}

fn sums(
    found: &mut Vec<String>,
    name: &str,
    amplification: Option<f64>,
    causes: Option<&WriteAmplification>,
    energy: &EnergySummary,
) {
    if let (Some(all), Some(causes)) = (amplification, causes) {
        #[rustfmt::skip]
        let WriteAmplification {
            host, gc, mapping, wear, technique, metadata, refresh, reclaim, padding, parity,
        } = causes;
        let moved = gc + mapping + wear + technique + metadata + refresh + reclaim;
        let sum = host + moved + padding + parity;
        if (all - sum).abs() > CLOSE * sum {
            found.push(format!("{name}: write amplification {all} of {causes:?}"));
        }
    }
    let EnergySummary { read, program, erase, total } = energy;
    let sum = read + program + erase;
    if (sum - total).abs() > CLOSE * sum.max(1.0) {
        found.push(format!("{name}: energy {energy:?}"));
    }
}

/// No figure is negative or not a number, but degrees and what a closed form leaves out.
fn negative(found: &mut Vec<String>, path: &str, value: &Value) {
    match value {
        Value::Number(number) if number.as_f64().is_some_and(|it| it < 0.0) => {
            found.push(format!("{path} = {number}"));
        }
        Value::Array(all) => all.iter().for_each(|it| negative(found, path, it)),
        Value::Object(all) => {
            for (key, it) in all.iter().filter(|(key, _)| *key != "config") {
                negative(found, &format!("{path}.{key}"), it);
            }
        }
        _ => {}
    }
}
