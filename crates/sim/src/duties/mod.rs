//! Duties: what a drive does of its own accord for data that would be hard to read, whatever techniques it has. A technique
//! each, that joins the others of a drive and moves whole blocks when the drive is idle, or by a time.

mod reclaim;
mod refresh;

use crate::Error;
use crate::drive::DriveState;
use crate::ids::{BlockId, DieId};
use crate::nand::{BlockState, Load, Span};
use crate::schema::{DriveConfig, ReadsConfig};
use crate::technique::Technique;
use reclaim::Reclaim;
use refresh::Refresh;

/// Work that may wait for a die when another block of it is moved, nanoseconds.
const BACKLOG_NS: u64 = 20_000_000;

/// Whether a drive has duties.
pub fn has_any(reads: &ReadsConfig) -> bool {
    reads.refresh_after_h > 0.0 || reads.reclaim_reads > 0
}

/// A duty, and its name.
pub type Duty = (String, Box<dyn Technique>);

/// The duties of a drive.
///
/// # Errors
/// Data is to be written anew more often than the flash can.
pub fn of(drive: &DriveConfig) -> Result<Vec<Duty>, Error> {
    let reads = &drive.reads;
    let mut duties: Vec<Duty> = Vec::new();
    if reads.reclaim_reads > 0 {
        duties.push(("read_reclaim".into(), Box::new(Reclaim::new(reads.reclaim_reads))));
    }
    if reads.refresh_after_h > 0.0 {
        duties.push(("refresh".into(), Box::new(Refresh::new(drive)?)));
    }
    Ok(duties)
}

/// True for a block that can be moved: it is not being filled, nor emptied already.
fn is_movable(state: &DriveState, block: BlockId) -> bool {
    matches!(state.blocks[block].state, BlockState::Full | BlockState::Kept)
}

/// True for a block with data to move.
fn has_data(state: &DriveState, block: BlockId) -> bool {
    state.blocks[block].valid > 0
}

/// Until when the die of a block, the first of a superblock's, has too much to do for a duty; `now_ns`: it has not.
fn free_from_ns(state: &DriveState, load: &dyn Load, block: BlockId, now_ns: u64) -> u64 {
    let die: DieId = state.locate_in_flash(Span { block, page: 0, pages: 1 }).0;
    now_ns + load.backlog_ns(die).saturating_sub(BACKLOG_NS)
}

/// Blocks and units that a duty moved, and a block of which it is not known yet.
#[derive(Debug, Clone, Default)]
struct Moved {
    blocks: u64,
    units: u64,
    /// Blocks that are being moved, and their valid units.
    under_way: Vec<(BlockId, u32)>,
}

impl Moved {
    /// A block is about to be moved.
    fn begin(&mut self, state: &DriveState, block: BlockId) {
        self.under_way.retain(|&(other, _)| other != block);
        self.under_way.push((block, state.blocks[block].valid));
    }

    /// A block was erased: it has been moved, if it was one of these.
    fn erased(&mut self, block: BlockId) {
        if let Some(at) = self.under_way.iter().position(|&(other, _)| other == block) {
            self.blocks += 1;
            self.units += u64::from(self.under_way.swap_remove(at).1);
        }
    }

    /// Counts anew from here on.
    fn count_anew(&mut self) {
        (self.blocks, self.units) = (0, 0);
    }

    /// What it reports.
    fn report(&self) -> serde_json::Map<String, serde_json::Value> {
        let figures = [("blocks", self.blocks), ("units", self.units)];
        figures.map(|(name, value)| (name.to_owned(), value.into())).into_iter().collect()
    }
}
