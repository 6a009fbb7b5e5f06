//! What came of placement identifiers.

use crate::engine::Scheduler;
use crate::host::Driver;
use crate::ids::StreamId;
use crate::metrics::{FdpSummary, HandleSummary, PlacementEvents, StreamCounts, UnitsSummary};
use crate::nand::BlockState;
use crate::technique::Hooks;

/// What each handle wrote, and what became of it; `None` where the drive takes no identifiers.
pub(super) fn of_run<T: Hooks, S: Scheduler>(driver: &Driver<T, S>) -> Option<FdpSummary> {
    let placements = driver.data.placements.as_ref()?;
    let (state, counters) = (&driver.device.ftl.state, &driver.device.io.counters);
    let handles = state.layout.handles.as_ref()?;
    let unit_bytes = state.geometry.unit_bytes;
    let counts = |at: u32| counters.streams.get(at as usize).copied().unwrap_or_default();
    let owned = |owner: Option<u32>| {
        let streams = (0..state.layout.streams).filter(|&at| handles.owner(StreamId(at)) == owner);
        let mut units = UnitsSummary::default();
        for StreamCounts { moved_out, moved_in, reclaimed, .. } in streams.map(counts) {
            units.moved_out += moved_out;
            units.moved_in += moved_in;
            units.reclaimed += reclaimed;
        }
        let is_its = |block: &&crate::nand::Block| {
            !matches!(block.state, BlockState::Free | BlockState::Bad)
                && handles.owner(block.stream()) == owner
        };
        units.reclaim_units = state.blocks.iter().filter(is_its).count() as u64;
        units
    };
    let of_handle = |handle: u32| HandleSummary {
        handle,
        host_bytes: placements.written_bytes[handle as usize],
        host_units: counts(handle).host_units,
        units: owned(Some(handle)),
    };
    let block_bytes = u64::from(state.flash().groups[0].units_per_block) * unit_bytes;
    Some(FdpSummary {
        reclaim_unit_bytes: u64::from(state.geometry.groups[0].units_per_block) * unit_bytes,
        host_bytes: placements.written_bytes.iter().sum(),
        media_bytes: counters.units_programmed() * unit_bytes,
        erased_bytes: counters.erases * block_bytes,
        handles: (0..handles.count()).map(of_handle).collect(),
        controller: owned(None),
        events: PlacementEvents {
            invalid_identifier: placements.invalid,
            media_reallocated: counters.gc_with_migration,
        },
    })
}
