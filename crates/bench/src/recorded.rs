//! What it costs to record a run for the player, beside the same run without.

use crate::case::{Case, Goal, Measured};
use crate::replays::{Extent, REPLAYS};
use tempfile::tempfile;
use wordline_sim::flash::tape::{Tape, TapeOptions};
use wordline_sim::{Own, peak_rss_mib};

/// Requests of each run.
const REQUESTS: u64 = 1_000_000;
/// Runs of each kind, of which the fastest counts.
const TRIES: usize = 3;

pub const CASES: &[Case] = &[
    Case { goal: goal("recorded/count"), run: |tiny| measure("count/uniform/16g", tiny) },
    Case { goal: goal("recorded/in_order"), run: |tiny| measure("timed/in_order/16g", tiny) },
    Case { goal: goal("recorded/priorities"), run: |tiny| measure("timed/priorities/16g", tiny) },
    Case { goal: goal("recorded/ressd"), run: |tiny| measure("timed/priorities/ressd/tlc", tiny) },
];

const fn goal(name: &'static str) -> Goal {
    Goal { name, unit: "x the time without", value: 1.3, at_least: false }
}

/// How many times as long a replay takes that is recorded, all of it, to a file.
fn measure(name: &str, tiny: bool) -> Result<Measured, String> {
    let replay = REPLAYS.iter().find(|replay| replay.name == name).ok_or("no such replay")?;
    let extent = if tiny { Extent::Tiny } else { Extent::First(REQUESTS) };
    let (mut bare, mut recorded) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..if tiny { 1 } else { TRIES } {
        bare = bare.min(replay.run(extent, Own::default())?.simulator.run_s);
        recorded = recorded.min(replay.run(extent, own()?)?.simulator.run_s);
    }
    Ok(Measured { value: recorded / bare, peak_rss_mib: peak_rss_mib() })
}

/// What records all of a run, to a file.
pub fn own() -> Result<Own, String> {
    let file = tempfile().map_err(|error| error.to_string())?;
    let options = TapeOptions { kept_commands: u64::MAX, ..TapeOptions::default() };
    Ok(Own { tape: Some(Tape::new(Box::new(file), options)), ..Own::default() })
}
