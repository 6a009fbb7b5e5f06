//! Victim selection.

/// Names of the victim policies.
pub const NAMES: &[&str] =
    &["greedy", "fifo", "random", "d_choices", "cost_benefit", "windowed_greedy"];
