//! Benchmarks of the simulator: what it does in a second, and the memory it takes, beside the goal
//! of each.

mod arguments;
mod case;
mod cases;
mod cells;
mod codes;
mod drives;
mod ecc;
mod instructions;
mod prepared;
mod recorded;
mod replays;
mod second;
mod serving;
mod set_up;
mod traces;

use arguments::Arguments;
use case::{Case, Goal, Measured};
use cases::CASES;
use clap::Parser;
use replays::{Extent, REPLAYS, Replay};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(code) = &arguments.memory {
        return memory_alone(code, arguments.tiny);
    }
    let names: Vec<&str> = goals().map(|goal| goal.name).filter(|it| arguments.want(it)).collect();
    if names.is_empty() {
        eprintln!("error: no benchmark has such a name; --list says which there are");
        return ExitCode::from(2);
    }
    if arguments.list {
        names.iter().for_each(|name| say(name));
        return ExitCode::SUCCESS;
    }
    let replays = REPLAYS.iter().filter(|replay| arguments.want(replay.name));
    let failures = match arguments.first {
        Some(requests) => {
            report(replays, |replay| instructions::replay(replay, requests, arguments.recorded))
        }
        None if arguments.instructions => {
            report(replays, |replay| instructions::print(replay, arguments.recorded))
        }
        None => measure_all(&arguments),
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

/// Every benchmark, in the order in which they run.
fn all(tiny: bool) -> impl Iterator<Item = (Goal, Run<'static>)> {
    let extent = if tiny { Extent::Tiny } else { Extent::Full };
    let replays = REPLAYS.iter().map(move |replay| (replay.goal(), Run::Replay(replay, extent)));
    let of_case = move |case: &'static Case| (case.goal, Run::Case(case.run, tiny));
    let first = serving::CASES.iter().chain(second::CASES).chain(CASES).map(of_case);
    let last = ecc::CASES.iter().chain(cells::CASES).chain(recorded::CASES);
    let last = last.chain(set_up::CASES).map(of_case);
    first.chain(replays).chain(last)
}

fn goals() -> impl Iterator<Item = Goal> {
    all(false).map(|(goal, _)| goal)
}

/// Times what is wanted; returns how many failed.
fn measure_all(arguments: &Arguments) -> usize {
    say(&format!(
        "{:<28} {:>12} {:>12}  {:<18} {:>9}",
        "benchmark", "measured", "goal", "unit", "RSS MiB"
    ));
    let mut failures = 0;
    for (goal, run) in all(arguments.tiny).filter(|(goal, _)| arguments.want(goal.name)) {
        match run.measure() {
            Ok(measured) => print(&goal, &measured, arguments.tiny),
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
