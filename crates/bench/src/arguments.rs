//! What the program is asked for.

use clap::Parser;

/// Measures the simulator: what it does in a second and the memory it takes, beside the goal of each.
#[derive(Debug, Parser)]
#[command(name = "wordline-bench", after_help = AFTER_HELP)]
pub struct Arguments {
    /// Only benchmarks whose names hold one of these texts; all where none is given
    #[arg(value_name = "NAME")]
    wanted: Vec<String>,
    /// Runs each benchmark on a small drive, so that none can rot; no goal is judged
    #[arg(long)]
    pub tiny: bool,
    /// Counts instructions with valgrind, which no other load on the machine changes
    #[arg(long, conflicts_with_all = ["tiny", "list"])]
    pub instructions: bool,
    /// With `--instructions`: counts those of runs that are recorded for the player
    #[arg(long)]
    pub recorded: bool,
    /// Says which benchmarks there are
    #[arg(long)]
    pub list: bool,
    /// Replays so many requests and prints the work done; for `--instructions`
    #[arg(long, value_name = "REQUESTS", hide = true)]
    pub first: Option<u64>,
    /// Measures the memory of a served drive with this code and nothing else
    #[arg(long, value_name = "CODE", hide = true)]
    pub memory: Option<String>,
}

const AFTER_HELP: &str =
    "Example: wordline-bench --instructions timed/priorities count/uniform/16g";

impl Arguments {
    /// True for a benchmark of this name.
    pub fn want(&self, name: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|wanted| name.contains(wanted.as_str()))
    }
}
