//! What the cache reports.

use super::SlcCache;
use super::blocks::Stage;
use crate::drive::DriveState;
use serde_json::{Map, Value, json};

/// Counts since the run began.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Figures {
    /// Units of the host that went to the cache, beside it because it was full, beside it because they
    /// were to, and onto cells of the cache.
    pub cached: u64,
    pub through: u64,
    pub bypassed: u64,
    pub joined: u64,
    /// Units that left the cache: in idle time, while a write waited, with a victim of garbage collection.
    pub folded_idle: u64,
    pub folded_waiting: u64,
    pub folded_by_gc: u64,
    /// Those of them that joined other data on cells of the cache.
    pub folded_in_place: u64,
    /// Valid units that stayed where they were when their block left the cache.
    pub stayed: u64,
    /// Blocks opened for the cache, and the most that it had at a time.
    pub opened: u64,
    pub most_blocks: u64,
    /// Erases of blocks of the cache, and of others.
    pub slc_erases: u64,
    pub normal_erases: u64,
    /// P/E cycles that the former count as.
    pub slc_cycles: u64,
}

impl SlcCache {
    /// What so many of its blocks hold.
    pub(super) fn bytes_of(&self, state: &DriveState, blocks: u64) -> u64 {
        blocks * u64::from(self.units.per_slc_block()) * state.geometry.unit_bytes
    }

    /// Everything, with what the cache holds now.
    pub(super) fn report(&self, state: &DriveState) -> Map<String, Value> {
        let planes = u64::from(state.geometry.planes().count());
        let unit_bytes = state.geometry.unit_bytes;
        let bytes_of = |blocks| self.bytes_of(state, blocks);
        let blocks = state.geometry.blocks();
        let held = blocks.iter().filter(|&block| self.blocks.is_slc(block));
        let valid = held.map(|block| u64::from(state.blocks[block].valid)).sum::<u64>();
        // One kind of flash, and so one kind of blocks.
        let each = u64::from(state.blocks_at_once(blocks.first()));
        let at = |stage| {
            each * blocks.iter().filter(|&block| self.blocks.stage(block) == stage).count() as u64
        };
        let of_plane = u64::from(self.bounds.of_plane(self.normal));
        let it = &self.figures;
        let moved = it.folded_idle + it.folded_waiting + it.folded_by_gc;
        let overwritten = it.cached.saturating_sub(moved + it.stayed + valid);
        let report = json!({
            "capacity_bytes": {
                "now": bytes_of(of_plane * planes),
                "static": bytes_of(u64::from(self.bounds.set_aside) * planes),
                "most_used": bytes_of(it.most_blocks),
                "valid": valid * unit_bytes,
            },
            "host_units": {
                "cached": it.cached,
                "written_through": it.through,
                "bypassed": it.bypassed,
                "onto_cache_cells": it.joined,
            },
            "left_cache": {
                "overwritten": overwritten,
                "folded_in_idle_time": it.folded_idle,
                "folded_while_writes_waited": it.folded_waiting,
                "moved_by_gc": it.folded_by_gc,
                "moved_onto_cache_cells": it.folded_in_place,
                "stayed_in_place": it.stayed,
            },
            "blocks": {
                "opened": each * it.opened,
                "filling": at(Stage::Filling),
                "full": at(Stage::Cached),
            },
            "erases": {
                "slc": each * it.slc_erases,
                "slc_counted_cycles": each * it.slc_cycles,
                "other": each * it.normal_erases,
            },
        });
        match report {
            Value::Object(report) => report,
            _ => unreachable!("an object was built"),
        }
    }
}
