//! How long a restart takes that scans the whole drive.

use crate::drive::DriveState;
use crate::ids::ById;
use crate::nand::BlockState;
use serde::Serialize;

/// A restart's scan: every page of a block that is not known to be erased, and the first page of the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Restart {
    /// Pages read.
    pub page_reads: u64,
    /// Time that it takes: dies work side by side, channels carry one page at a time.
    pub scan_ms: f64,
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
        Self { page_reads, scan_ms: busiest as f64 / 1e6 }
    }
}
