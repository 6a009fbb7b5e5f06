//! Benchmarks of the simulator: what it does in a second, and the memory it takes, beside the goal
//! of each. `--tiny` runs every one of them on a small drive, so that none can rot.

mod cases;
mod cells;
mod codes;
mod prepared;
mod traces;

use cases::{CASES, Case, Measured};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tiny = arguments.iter().any(|argument| argument == "--tiny");
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    println!(
        "{:<28} {:>12} {:>12}  {:<18} {:>9}",
        "benchmark", "measured", "goal", "unit", "RSS MiB"
    );
    let mut failed = false;
    for case in CASES.iter().chain(cells::CASES).filter(|case| is_wanted(case, &wanted)) {
        match (case.run)(tiny) {
            Ok(measured) => print(case, &measured, tiny),
            Err(error) => {
                eprintln!("error: {}: {error}", case.name);
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn is_wanted(case: &Case, wanted: &[&String]) -> bool {
    wanted.is_empty() || wanted.iter().any(|name| case.name.contains(name.as_str()))
}

fn print(case: &Case, measured: &Measured, tiny: bool) {
    let verdict = match (tiny, case.at_least) {
        (true, _) => "",
        (false, true) if measured.value >= case.goal => "met",
        (false, false) if measured.value <= case.goal => "met",
        _ => "missed",
    };
    println!(
        "{:<28} {:>12.2} {:>12.2}  {:<18} {:>9.0} {verdict}",
        case.name, measured.value, case.goal, case.unit, measured.peak_rss_mib
    );
}
