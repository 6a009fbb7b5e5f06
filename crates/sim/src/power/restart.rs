//! What a restart takes: a scan of the whole drive, then moving what stands in blocks in whose midst power failed.

use crate::drive::DriveState;
use crate::error::Error;
use crate::flash::{Image, Recording};
use crate::ids::ById;
use crate::nand::BlockState;
use serde::Serialize;

/// A drive that has restarted.
#[derive(Debug)]
pub struct Restarted {
    /// What it did after the scan.
    pub recording: Recording,
    /// As it then is.
    pub state: DriveState,
    /// Valid units that it moved.
    pub units_moved: u64,
    /// Blocks that it erased.
    pub erases: u64,
    /// Time from the end of the scan on.
    pub moving_ns: u64,
}

/// Restarts a drive.
pub trait Restarts {
    /// A restart that found `image` does what it has to before the host's first request.
    ///
    /// # Errors
    /// A drive that cannot go on.
    fn restart(&mut self, image: &Image) -> Result<Restarted, Error>;
}

/// A restart: first the scan, of every page of a block that is not known to be erased and of the first page of the
/// others; then what is in blocks in whose midst power failed, or which were not full, moves elsewhere, and
/// they are erased. Of the latter the mean over the restarts that were made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Restart {
    /// Pages read.
    pub page_reads: u64,
    /// Time that it takes: dies work side by side, channels carry one page at a time.
    pub scan_ms: f64,
    /// Valid units moved.
    pub units_moved: f64,
    /// Blocks erased.
    pub erases: f64,
    /// Time that this takes.
    pub moving_ms: f64,
}

impl Restart {
    /// That of a drive as it stands.
    pub fn of(state: &DriveState) -> Self {
        let dies = state.geometry.dies().count();
        let (mut sensing_ns, mut page_reads) = (ById::filled(0_u64, dies), 0);
        let mut transfers_ns = vec![0_u64; state.geometry.channels as usize];
        for (block, entry) in state.blocks.iter_with_ids() {
            let (group, of_group) = (state.geometry.of(block), state.geometry.group_of(block));
            let pages = match entry.state {
                BlockState::Bad => 0,
                BlockState::Free => 1,
                _ => group.pages_of(entry.next.max(1)),
            };
            let row = state.ops.of_group(of_group).read;
            let read = state.ops.row(row);
            let die = state.geometry.die_of(state.geometry.plane_of(block));
            let array_ns = |page| read.array_ns[group.page_type(page) as usize];
            sensing_ns[die] += (0..pages).map(array_ns).sum::<u64>();
            let transfer_ns = state.ops.transfer_ns(row, u64::from(group.page_bytes));
            let channel = state.geometry.channel_of(die) as usize;
            transfers_ns[channel] += u64::from(pages) * (transfer_ns + state.ops.command_ns(row));
            page_reads += u64::from(pages);
        }
        let busiest = sensing_ns.iter().chain(&transfers_ns).max().copied().unwrap_or(0);
        let scan_ms = busiest as f64 / 1e6;
        Self { page_reads, scan_ms, units_moved: 0.0, erases: 0.0, moving_ms: 0.0 }
    }

    /// Adds a restart that was made.
    pub(super) fn add(&mut self, restarted: &Restarted) {
        self.units_moved += restarted.units_moved as f64;
        self.erases += restarted.erases as f64;
        self.moving_ms += restarted.moving_ns as f64 / 1e6;
    }

    /// That of the mean restart, after so many.
    pub(super) fn settle(&mut self, restarts: u64) {
        let restarts = restarts.max(1) as f64;
        for sum in [&mut self.units_moved, &mut self.erases, &mut self.moving_ms] {
            *sum /= restarts;
        }
    }
}
