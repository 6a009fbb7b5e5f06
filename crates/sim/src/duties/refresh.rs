//! Refresh: data is written anew before it is too old, block by block (Cai et al., Flash Correct-and-Refresh, ICCD 2012: the
//! variant that moves).

use super::{Moved, free_from_ns, has_data, is_movable};
use crate::Error;
use crate::declare::PerPage;
use crate::drive::DriveState;
use crate::error::infeasible;
use crate::ids::{BlockId, ById};
use crate::metrics::Counters;
use crate::nand::command::Cause;
use crate::nand::{Load, Located};
use crate::schema::{ChipConfig, DriveConfig};
use crate::technique::{Cells, Hook, Idle, Observer, Phase, Placement, Profile, Technique};
use serde_json::{Map, Value};
use std::collections::VecDeque;

/// No time: a block without data.
const NEVER: u64 = u64::MAX;

/// Hours in which a plane reads and programs all its pages.
fn plane_h(chip: &ChipConfig) -> f64 {
    let bits = chip.cell.bits() as usize;
    let sum_us = |each: &PerPage| each.expand(bits).map_or(0.0, |each| each.iter().sum::<f64>());
    let pages_of_program = if chip.program.is_word_line() { bits } else { 1 };
    let word_line_us = sum_us(&chip.read_us) + sum_us(&chip.program_us) / pages_of_program as f64;
    let word_lines = (chip.blocks_per_plane * chip.pages_per_block) as f64 / bits as f64;
    word_lines * word_line_us / 3.6e9
}

/// Moves the data of blocks whose oldest data has an age.
pub(super) struct Refresh {
    after_ns: u64,
    /// Between two blocks: all of a drive that was written at once are moved within half of the age.
    pace_ns: u64,
    /// Before this time it does nothing.
    next_ns: u64,
    /// When the oldest data of each block was written.
    since_ns: ById<BlockId, u64>,
    /// Blocks with data in the order of that time, and some that were erased since.
    in_order: VecDeque<(u64, BlockId)>,
    moved: Moved,
}

impl Refresh {
    /// Of data that is older than the drive says.
    ///
    /// # Errors
    /// It is younger than a plane that writes all its pages makes it.
    pub fn new(drive: &DriveConfig) -> Result<Self, Error> {
        let after_h = drive.reads.refresh_after_h;
        let least_h = drive.kinds().iter().map(|kind| plane_h(kind.chip)).fold(0.0, f64::max);
        if after_h < least_h {
            return Err(infeasible(
                format!(
                    "drive.reads.refresh_after_h = {after_h:?}: a plane takes {least_h:.2e} hours to write its pages"
                ),
                format!(
                    "set drive.reads.refresh_after_h to {:.2e} or more, or lower drive.chip.blocks_per_plane",
                    1.01 * least_h
                ),
            ));
        }
        Ok(Self {
            after_ns: (after_h * 3.6e12).max(1.0) as u64,
            pace_ns: 1,
            next_ns: 0,
            since_ns: ById::filled(NEVER, 0),
            in_order: VecDeque::new(),
            moved: Moved::default(),
        })
    }

    /// Forgets those at the head that were erased, or that hold nothing any more.
    fn forget(&mut self, is_empty: impl Fn(BlockId) -> bool) {
        while let Some(&(since_ns, block)) = self.in_order.front() {
            if self.since_ns[block] == since_ns {
                if !is_empty(block) {
                    break;
                }
                self.since_ns[block] = NEVER;
            }
            self.in_order.pop_front();
        }
    }
}

impl Technique for Refresh {
    fn profile(&self) -> Profile {
        Profile::of(&[Hook::Idle, Hook::Due])
    }

    fn idle(&mut self, state: &DriveState, load: &dyn Load, now_ns: u64) -> Idle {
        self.forget(|block| is_movable(state, block) && !has_data(state, block));
        // A drive without data is asked again once there may be old data.
        let oldest_ns = self.in_order.front().map_or(now_ns, |&(since_ns, _)| since_ns);
        let due_ns = (oldest_ns + self.after_ns).max(self.next_ns);
        if due_ns > now_ns {
            return Idle::Until(due_ns);
        }
        self.next_ns = now_ns + self.pace_ns;
        let is_old = |&&(since_ns, _): &&(u64, BlockId)| since_ns + self.after_ns <= now_ns;
        let is_next = |&&(since_ns, block): &&(u64, BlockId)| {
            let holds_it = self.since_ns[block] == since_ns && has_data(state, block);
            holds_it && is_movable(state, block)
        };
        let Some(&(_, block)) = self.in_order.iter().take_while(is_old).find(is_next) else {
            return Idle::Until(self.next_ns);
        };
        let free_ns = free_from_ns(state, load, block, now_ns);
        if free_ns > now_ns {
            self.next_ns = self.next_ns.max(free_ns);
            return Idle::Until(self.next_ns);
        }
        self.moved.begin(state, block);
        Idle::Renew(vec![block], Cause::Refresh)
    }

    fn metrics(&self, _: &DriveState, _: &Counters) -> Map<String, Value> {
        self.moved.report()
    }
}

impl Observer for Refresh {
    fn begin(&mut self, state: &DriveState, phase: Phase) {
        self.moved.count_anew();
        if let Phase::Drive(_) = phase {
            let blocks = state.geometry.blocks().count();
            self.since_ns = ById::filled(NEVER, blocks);
            self.pace_ns = (self.after_ns / (2 * u64::from(blocks))).max(1);
        }
    }

    fn written(&mut self, _: &DriveState, at: &Located, _: Cause, now_ns: u64) {
        let since_ns = &mut self.since_ns[at.block];
        if *since_ns == NEVER {
            *since_ns = now_ns;
            self.in_order.push_back((now_ns, at.block));
        }
    }

    fn erased(&mut self, _: &DriveState, block: BlockId) {
        self.moved.erased(block);
        self.since_ns[block] = NEVER;
        self.forget(|_| false);
    }
}

impl Placement for Refresh {}
impl Cells for Refresh {}
