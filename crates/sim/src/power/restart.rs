//! What a restart takes: a scan, then moving what stands in blocks in whose midst power failed.

use super::scanned_pages::Scan;
use crate::drive::DriveState;
use crate::error::Error;
use crate::flash::{Image, Recorded, Recording};
use crate::metrics::Counters;
use crate::nand::Group;
use serde::Serialize;

/// A drive that has restarted.
#[derive(Debug)]
pub struct Restarted {
    /// What it did after the scan, command by command.
    pub recording: Recording,
    /// As it then is.
    pub state: DriveState,
    /// What that was.
    pub did: Did,
}

/// What a restart did after the scan.
#[derive(Debug, Clone, Copy, Default)]
pub struct Did {
    /// Units that it programmed, without padding.
    pub programs: u64,
    /// Valid units that it moved.
    pub units_moved: u64,
    /// Blocks that it erased.
    pub erases: u64,
    /// Time from the end of the scan on.
    pub moving_ns: u64,
}

impl Did {
    /// What was over at a time: by the counters, and by the commands.
    pub fn of<'a>(
        counters: &Counters,
        quiet_at_ns: u64,
        commands: impl Iterator<Item = &'a Recorded>,
    ) -> Self {
        Self {
            programs: counters.programs.iter().sum(),
            units_moved: counters.gc_moved,
            // Those are among them that a block owed from before.
            erases: commands.map(Recorded::erases).sum(),
            moving_ns: quiet_at_ns,
        }
    }

    /// What drives do that restart at the same time.
    pub fn side_by_side(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |sum, did| Self {
            programs: sum.programs + did.programs,
            units_moved: sum.units_moved + did.units_moved,
            erases: sum.erases + did.erases,
            moving_ns: sum.moving_ns.max(did.moving_ns),
        })
    }
}

/// Restarts a drive.
pub trait Restarts {
    /// A restart that found `image` does what it has to before the host's first request.
    ///
    /// # Errors
    /// A drive that cannot go on.
    fn restart(&mut self, image: &Image) -> Result<Restarted, Error>;
}

/// Restarts, in the mean. First the scan: of the newest checkpoint and of blocks that were programmed since, or of every
/// page of a block that is not known to be erased; then what is in blocks in whose midst power failed, or which
/// were not full, moves elsewhere, and they are erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Restart {
    /// Pages of the drive.
    pub pages: u64,
    /// Pages read.
    pub page_reads: f64,
    /// Of the restart that read most.
    pub page_reads_most: u64,
    /// Restarts that read a checkpoint.
    pub by_checkpoint: u64,
    /// Time that the scan takes: dies work side by side, channels carry one page at a time.
    pub scan_ms: f64,
    /// Units programmed, without padding.
    pub programs: f64,
    /// Valid units moved.
    pub units_moved: f64,
    /// Blocks erased.
    pub erases: f64,
    /// Time from the end of the scan on.
    pub moving_ms: f64,
}

impl Restart {
    /// Of drives that have not restarted yet.
    pub(super) fn of<'a>(states: impl Iterator<Item = &'a DriveState>) -> Self {
        let pages = |group: &Group| u64::from(group.blocks.count() * group.pages_per_block);
        let groups = states.flat_map(|state| &state.geometry.groups);
        Self { pages: groups.map(pages).sum(), ..Self::default() }
    }

    /// Adds a restart that was made.
    pub(super) fn add(&mut self, scan: &Scan, did: &Did) {
        self.page_reads += scan.page_reads as f64;
        self.page_reads_most = self.page_reads_most.max(scan.page_reads);
        self.by_checkpoint += u64::from(scan.by_checkpoint);
        self.scan_ms += scan.ms;
        self.programs += did.programs as f64;
        self.units_moved += did.units_moved as f64;
        self.erases += did.erases as f64;
        self.moving_ms += did.moving_ns as f64 / 1e6;
    }

    /// The mean, after so many.
    pub(super) fn settle(&mut self, restarts: u64) {
        let Self { page_reads, scan_ms, programs, units_moved, erases, moving_ms, .. } = self;
        for sum in [page_reads, scan_ms, programs, units_moved, erases, moving_ms] {
            *sum /= restarts.max(1) as f64;
        }
    }
}
