//! Benchmarks of the simulator: what it does in a second, and the memory it takes, beside the goal
//! of each. `--tiny` runs every one of them on a small drive, so that none can rot; `--instructions`
//! counts instructions instead, with valgrind. Other arguments choose those whose names hold them.

mod case;
mod cases;
mod cells;
mod codes;
mod ecc;
mod instructions;
mod prepared;
mod replays;
mod serving;
mod traces;

use case::{Case, Goal, Measured};
use cases::CASES;
use replays::{Extent, REPLAYS, Replay};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let first = arguments.iter().find_map(|argument| argument.strip_prefix("--first="));
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let is_wanted = |name: &str| {
        wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted.as_str()))
    };
    let replays = REPLAYS.iter().filter(|replay| is_wanted(replay.name));
    if let Some(code) = arguments.iter().find_map(|it| it.strip_prefix(serving::ALONE)) {
        return memory_alone(code, has("--tiny"));
    }
    let failures = match first.map(str::parse) {
        Some(Ok(requests)) => report(replays, |replay| instructions::replay(replay, requests)),
        Some(Err(_)) => report(replays, |_| Err("--first takes a number of requests".into())),
        None if has("--instructions") => report(replays, instructions::print),
        None => measure_all(has("--tiny"), is_wanted),
    };
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints what a served drive takes, for the process that waits for it.
fn memory_alone(code: &str, tiny: bool) -> ExitCode {
    match serving::measure_memory(code, tiny) {
        Ok(measured) => {
            say(&measured);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Does something with each replay; returns how many failed.
fn report<'a>(
    replays: impl Iterator<Item = &'a Replay>,
    each: impl Fn(&Replay) -> Result<(), String>,
) -> usize {
    let failed = |replay: &&Replay| {
        each(replay).inspect_err(|error| eprintln!("error: {}: {error}", replay.name)).is_err()
    };
    replays.filter(failed).count()
}

/// Prints a line. Whoever closes the pipe has had enough: the program ends well.
fn say(line: &str) {
    match writeln!(std::io::stdout(), "{line}") {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("error: standard output cannot be written: {error}");
            std::process::exit(1);
        }
    }
}

/// Times what is wanted; returns how many failed.
fn measure_all(tiny: bool, is_wanted: impl Fn(&str) -> bool) -> usize {
    say(&format!(
        "{:<28} {:>12} {:>12}  {:<18} {:>9}",
        "benchmark", "measured", "goal", "unit", "RSS MiB"
    ));
    let extent = if tiny { Extent::Tiny } else { Extent::Full };
    let replays = REPLAYS.iter().map(|replay| (replay.goal(), Run::Replay(replay, extent)));
    let of_case = |case: &Case| (case.goal, Run::Case(case.run, tiny));
    let last = ecc::CASES.iter().chain(cells::CASES).map(of_case);
    let first = serving::CASES.iter().chain(CASES).map(of_case);
    let all = first.chain(replays).chain(last);
    let mut failures = 0;
    for (goal, run) in all.filter(|(goal, _)| is_wanted(goal.name)) {
        match run.measure() {
            Ok(measured) => print(&goal, &measured, tiny),
            Err(error) => {
                eprintln!("error: {}: {error}", goal.name);
                failures += 1;
            }
        }
    }
    failures
}

/// How a benchmark is measured.
enum Run<'a> {
    Case(fn(bool) -> Result<Measured, String>, bool),
    Replay(&'a Replay, Extent),
}

impl Run<'_> {
    fn measure(&self) -> Result<Measured, String> {
        match self {
            Self::Case(run, tiny) => run(*tiny),
            Self::Replay(replay, extent) => replay.measure(*extent),
        }
    }
}

fn print(goal: &Goal, measured: &Measured, tiny: bool) {
    let verdict = match (tiny, goal.at_least) {
        (true, _) => "",
        (false, true) if measured.value >= goal.value => "met",
        (false, false) if measured.value <= goal.value => "met",
        _ => "missed",
    };
    say(&format!(
        "{:<28} {:>12.2} {:>12.2}  {:<18} {:>9.0} {verdict}",
        goal.name, measured.value, goal.value, goal.unit, measured.peak_rss_mib
    ));
}
