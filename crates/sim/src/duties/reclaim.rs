//! Read reclaim: reads disturb the cells of their block, whose data moves after so many.

use super::{Moved, free_from_ns, has_data, is_movable};
use crate::drive::DriveState;
use crate::ids::{BlockId, ById};
use crate::metrics::Counters;
use crate::nand::command::Cause;
use crate::nand::{Load, Located};
use crate::technique::{Cells, Hook, Idle, Observer, Phase, Placement, Profile, Technique};
use serde_json::{Map, Value};
use std::collections::VecDeque;

/// A drive that is never idle looks so often whether a block is due.
const LOOK_NS: u64 = 1_000_000_000;

/// Moves the data of blocks that were read often.
pub(super) struct Reclaim {
    reads_max: u64,
    /// The host's reads of each block of the flash since its erase.
    reads: ById<BlockId, u32>,
    /// Blocks that were read too often.
    due: VecDeque<BlockId>,
    is_due: ById<BlockId, bool>,
    moved: Moved,
}

impl Reclaim {
    /// After so many reads of a block.
    pub fn new(reads_max: u64) -> Self {
        Self {
            reads_max,
            reads: ById::filled(0, 0),
            due: VecDeque::new(),
            is_due: ById::filled(false, 0),
            moved: Moved::default(),
        }
    }
}

impl Technique for Reclaim {
    fn profile(&self) -> Profile {
        Profile::of(&[Hook::Idle, Hook::Due])
    }

    /// A block that cannot be moved now is due again when it is read again.
    fn idle(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle {
        while let Some(&block) = self.due.front() {
            if is_movable(state, block) {
                let free_ns = free_from_ns(state, load, block, now_ns);
                if free_ns > now_ns {
                    return Idle::Until(free_ns);
                }
            }
            self.due.pop_front();
            let is_due = std::mem::take(&mut self.is_due[block]);
            if is_due && has_data(state, block) && is_movable(state, block) {
                self.moved.begin(state, block);
                return Idle::Renew(vec![block], Cause::Reclaim);
            }
        }
        Idle::Until(now_ns + LOOK_NS)
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        self.moved.report()
    }
}

impl Observer for Reclaim {
    fn begin(&mut self, state: &DriveState, phase: Phase) {
        self.moved.count_anew();
        if let Phase::Drive(_) = phase {
            self.reads = ById::filled(0, state.flash().blocks().count());
            self.is_due = ById::filled(false, state.geometry.blocks().count());
        }
    }

    fn read(&mut self, state: &DriveState, at: &Located, _now_ns: u64) {
        let reads = &mut self.reads[state.page_in_flash(at).block];
        *reads = reads.saturating_add(1);
        if u64::from(*reads) >= self.reads_max && !self.is_due[at.block] {
            self.is_due[at.block] = true;
            self.due.push_back(at.block);
        }
    }

    fn erased(&mut self, state: &DriveState, block: BlockId) {
        self.moved.erased(block);
        self.is_due[block] = false;
        state.blocks_in_flash(block).for_each(|of_flash| self.reads[of_flash] = 0);
    }
}

impl Placement for Reclaim {}
impl Cells for Reclaim {}
