//! Reads of data that was never written: free, or as if it had been there before the run.

use super::{Ftl, Io};
use crate::engine::{Cause, RequestId, Scheduler};
use crate::ftl::read::Sake;
use crate::technique::Hooks;

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Counts the read of a unit that nobody has written, and carries it out where the configuration says so.
    #[cold]
    pub(super) fn read_unmapped(&mut self, io: &mut Io<S>, lpn: u32, waiter: RequestId) {
        io.counters.unmapped_reads += 1;
        if !self.settings.reads_unmapped {
            return;
        }
        if S::TIMED {
            io.requests.add_part(waiter);
        }
        let unit = self.unit_if_mapped(lpn);
        self.read_page_for(io, unit, Sake::of(Cause::Host), &[waiter]);
    }

    /// A unit where the data would stand: its range, as wide as belongs together, in the planes of the
    /// largest kind of flash in turn. Nothing else of the drive knows of it.
    fn unit_if_mapped(&self, lpn: u32) -> u32 {
        let geometry = &self.state.geometry;
        let largest = geometry.groups.iter().max_by_key(|group| group.units());
        let group = largest.expect("a drive has flash");
        let width = self.range_units().max(1);
        let (range, within) = (lpn / width, lpn % width);
        let planes = group.planes.len() as u32;
        let ranges_per_block = group.units_per_block / width;
        let (plane, turn) = (range % planes, range / planes);
        let block = turn / ranges_per_block % group.blocks_per_plane;
        let block = group.blocks.start + plane * group.blocks_per_plane + block;
        geometry.first_unit(block) + turn % ranges_per_block * width + within
    }
}
