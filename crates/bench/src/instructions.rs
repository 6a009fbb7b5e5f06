//! Instructions per piece of work, which no other load on the machine changes: two runs of different
//! lengths under valgrind, whose difference leaves out start-up and preconditioning.

use crate::replays::{Extent, Replay};
use crate::{recorded, say};
use std::process::Command;
use wordline_sim::Own;

const SHORT: u64 = 100_000;
const LONG: u64 = 200_000;

/// A run under valgrind.
struct Counted {
    instructions: u64,
    work: u64,
}

/// Prints the instructions of a benchmark.
///
/// # Errors
/// No valgrind, or a run that fails.
pub fn print(replay: &Replay, is_recorded: bool) -> Result<(), String> {
    let (short, long) = (count(replay, SHORT, is_recorded)?, count(replay, LONG, is_recorded)?);
    let instructions = (long.instructions - short.instructions) as f64;
    let each = instructions / (long.work - short.work) as f64;
    say(&format!("{:<28} {each:>12.1} instructions per {}", replay.name, replay.piece()));
    Ok(())
}

fn count(replay: &Replay, requests: u64, is_recorded: bool) -> Result<Counted, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(own)
        .args([replay.name, &format!("--first={requests}")])
        .args(is_recorded.then_some("--recorded"))
        .output()
        .map_err(|error| format!("valgrind: {error}; install it to count instructions"))?;
    let (said, log) = (lossy(&output.stdout), lossy(&output.stderr));
    let instructions = log.lines().find_map(|line| line.split_once("refs:")).map(|(_, n)| n);
    let work = said.lines().last();
    let number = |text: &str| text.replace(',', "").trim().parse().ok();
    match (instructions.and_then(number), work.and_then(number)) {
        (Some(instructions), Some(work)) => Ok(Counted { instructions, work }),
        _ => Err(format!("valgrind gave no count: {}", log.trim())),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The other end: replays so many requests and prints the work that was done.
///
/// # Errors
/// A run that fails.
pub fn replay(replay: &Replay, requests: u64, is_recorded: bool) -> Result<(), String> {
    let own = if is_recorded { recorded::own()? } else { Own::default() };
    let result = replay.run(Extent::First(requests), own)?;
    say(&replay.done(&result).to_string());
    Ok(())
}
