//! Which cuts are made, and what they took.

use super::damage::Shares;
use super::hold_up::HoldUp;
use super::hold_up_report::HoldUpReport;
use super::promises::Oracle;
use super::redundancy::ArrayReport;
use super::restart::Restart;
use serde::Serialize;

/// Which cuts are made.
#[derive(Debug, Clone)]
pub struct Plan {
    /// One of so many.
    pub every: u64,
    /// Only those in the midst of the command of this number.
    pub at: Option<usize>,
    /// After so many cuts the whole flash is scanned, and the drive restarts; between them only what the cut
    /// concerns is looked at.
    pub restart_every: u64,
    /// What a cut leaves.
    pub shares: Shares,
    /// Seed of what is torn.
    pub seed: u64,
    /// The energy that is left, where it is a number.
    pub hold_up: Option<HoldUp>,
}

impl Plan {
    /// Whether a cut is made at a moment, in the midst of the commands of these numbers.
    pub(super) fn means(&self, moment: u64, under_way: impl FnOnce() -> Vec<usize>) -> bool {
        match self.at {
            Some(command) => under_way().contains(&command),
            None => moment.is_multiple_of(self.every.max(1)),
        }
    }
}

/// Promised data that a restart does not find.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Loss {
    /// The number of the moment.
    pub cut: u64,
    /// The command in whose midst power failed, by its number among programs and erases.
    pub command: usize,
    /// What had just begun or ended: `program`, `erase` or `flush`; `restart`: power failed again while the drive
    /// restarted after this cut.
    pub moment: &'static str,
    /// When: nanoseconds; steps, where nothing takes time.
    pub at: u64,
    /// Requests that the drive had been given by then: no more are needed for the cut to happen again.
    pub requests: usize,
    /// The logical unit.
    pub lpn: u64,
    /// The version that was promised, counted from 1 for what the drive held at the start.
    pub promised: u32,
    /// The version that was found; 0: nothing.
    pub found: u32,
}

/// What the cuts of a run took.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CutReport {
    /// Cuts made.
    pub cuts: u64,
    /// Programs and erases recorded.
    pub commands: usize,
    /// Flushes that were over.
    pub flushes: usize,
    /// Writes with FUA that were over: durable before they were acknowledged.
    pub fua_writes: usize,
    /// Units that these promised.
    pub promises: u64,
    /// Pages that a cut found in mid-program or mid-erase, and commands, in the mean.
    pub commands_cut_mean: f64,
    /// Cuts after which something was missing that had been promised.
    pub losing_cuts: u64,
    /// Cuts after which the whole flash was scanned, and the drive restarted.
    pub restarts: u64,
    /// Cuts in the midst of these restarts, at every moment of each.
    pub double_cuts: u64,
    /// Of those, the ones after which something was missing that had been promised.
    pub losing_double_cuts: u64,
    /// The first losses.
    pub losses: Vec<Loss>,
    /// What a restart takes.
    pub restart: Restart,
    /// What the hold-up energy bore; `null`: `power.protection` is no energy.
    pub hold_up: Option<HoldUpReport>,
    /// What became of the redundancy of an array; `null`: a drive alone.
    pub array: Option<ArrayReport>,
    /// What was mended, left out or guessed to read the workload.
    pub warnings: Vec<String>,
}

impl CutReport {
    /// Of a run of so many commands in which so much was promised; no cut was made yet.
    pub(super) fn of(oracle: &Oracle, commands: usize) -> Self {
        Self {
            cuts: 0,
            commands,
            flushes: oracle.flushes,
            fua_writes: oracle.moments.len() - oracle.flushes,
            promises: oracle.moments.iter().map(|(_, promises)| promises.len() as u64).sum(),
            commands_cut_mean: 0.0,
            losing_cuts: 0,
            restarts: 0,
            double_cuts: 0,
            losing_double_cuts: 0,
            losses: Vec::new(),
            restart: Restart::default(),
            hold_up: None,
            array: None,
            warnings: Vec::new(),
        }
    }

    /// A cut is made while so many commands are under way.
    pub(super) fn begin_cut(&mut self, under_way: usize) {
        self.cuts += 1;
        self.commands_cut_mean += under_way as f64;
    }

    /// The means.
    pub(super) fn settle(&mut self) {
        self.commands_cut_mean /= self.cuts.max(1) as f64;
        self.restart.settle(self.restarts);
        if let Some(bearing) = &mut self.hold_up {
            bearing.settle(self.cuts);
        }
    }
}

/// Losses that are told.
pub(super) const TOLD: usize = 10;
