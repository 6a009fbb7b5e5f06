//! What a benchmark is: its goal, and what it measured.

/// What a benchmark is to reach.
#[derive(Debug, Clone, Copy)]
pub struct Goal {
    /// The benchmark's name.
    pub name: &'static str,
    /// What is measured.
    pub unit: &'static str,
    /// The budget.
    pub value: f64,
    /// True when more is better.
    pub at_least: bool,
}

/// A benchmark.
pub struct Case {
    /// What it is to reach.
    pub goal: Goal,
    /// Runs it.
    pub run: fn(tiny: bool) -> Result<Measured, String>,
}

/// What a benchmark measured.
pub struct Measured {
    /// In the benchmark's unit.
    pub value: f64,
    /// Largest resident size of the process so far.
    pub peak_rss_mib: f64,
}
