//! What a drive holds: the map both ways, the valid bits, the blocks, and where the next data goes.

use super::bitmap::ValidBits;
use super::free_list::FreeList;
use super::layout::Layout;
use super::victims::Victims;
use super::write_point::WritePoint;
use crate::nand::{Block, BlockState, Geometry, OpTable};
use crate::util::NONE;

/// The state of a drive; techniques and policies may read all of it.
#[derive(Debug)]
pub struct DriveState {
    /// The division of the drive.
    pub geometry: Geometry,
    /// What the flash can do.
    pub ops: OpTable,
    /// How writes and garbage collection are laid out.
    pub layout: Layout,
    /// Logical units of the host.
    pub logical_units: u32,
    /// Unit by logical unit; translation pages follow those of the host.
    pub map: Vec<u32>,
    /// Logical unit by unit; stale where the unit is not valid.
    pub reverse: Vec<u32>,
    /// Valid units.
    pub valid: ValidBits,
    /// Blocks.
    pub blocks: Vec<Block>,
    /// Erased blocks by plane.
    pub free: Vec<FreeList>,
    /// Erased blocks by domain.
    pub free_in: Vec<u32>,
    /// Full blocks.
    pub victims: Victims,
    /// Open blocks, by scope and stream.
    pub points: Vec<WritePoint>,
    /// Blocks filled so far.
    pub filled: u32,
}

impl DriveState {
    /// The unit that holds a logical unit; `NONE` when it was never written or was trimmed.
    #[inline]
    pub fn unit_of(&self, lpn: u32) -> u32 {
        self.map[lpn as usize]
    }

    /// The domain of a block.
    #[inline]
    pub fn domain_of_block(&self, block: u32) -> u32 {
        self.layout.domain_of(self.geometry.plane_of(block))
    }

    /// The write point of a scope and stream.
    #[inline]
    pub fn point_of(&self, scope: u32, stream: u32) -> u32 {
        scope * self.layout.streams + stream
    }

    /// Erased blocks of the drive.
    pub fn free_blocks(&self) -> u64 {
        self.free_in.iter().map(|&n| u64::from(n)).sum()
    }

    /// Units that can take data before anything is erased: erased blocks and the rest of open ones.
    pub fn free_units(&self) -> u64 {
        let rest: u64 = self.points.iter().map(|point| u64::from(point.room())).sum();
        self.free_blocks() * u64::from(self.geometry.units_per_block) + rest
    }

    /// The same of a domain alone.
    pub(crate) fn room_in(&self, domain: u32) -> u64 {
        let layout = &self.layout;
        let points = (layout.domain_planes / layout.scope_planes * layout.streams) as usize;
        let first = domain as usize * points;
        let open = self.points[first..first + points].iter().map(|point| u64::from(point.room()));
        let free = u64::from(self.free_in[domain as usize]);
        free * u64::from(self.geometry.units_per_block) + open.sum::<u64>()
    }

    /// Units in which data can stand when GC fires: those of good blocks, less what is held back and
    /// what open blocks of other streams than the one that asks for room do not hold yet (half of
    /// each, on average).
    pub fn log_units(&self) -> u64 {
        let units_per_block = u64::from(self.geometry.units_per_block);
        let is_good = |block: &&Block| block.state != BlockState::Bad;
        let good = self.blocks.iter().filter(is_good).count() as u64;
        let held = u64::from(self.layout.reserve) * self.free_in.len() as u64;
        let others = (self.points.len() as u64
            - self.points.len() as u64 / u64::from(self.layout.streams))
            * u64::from(self.layout.lanes);
        (good.saturating_sub(held) * units_per_block).saturating_sub(others * units_per_block / 2)
    }

    /// Makes `unit` hold `lpn`, valid.
    #[inline]
    pub(crate) fn bind(&mut self, lpn: u32, unit: u32, block: u32, place: u32) {
        self.map[lpn as usize] = unit;
        self.reverse[unit as usize] = lpn;
        self.valid.set(block, place);
        self.blocks[block as usize].valid += 1;
    }

    /// Adds an erased block to its plane's list.
    pub(crate) fn release(&mut self, block: u32) {
        let plane = self.geometry.plane_of(block);
        let entry = &mut self.blocks[block as usize];
        entry.state = BlockState::Free;
        (entry.next, entry.stream) = (0, 0);
        self.free[plane as usize].push(block, entry.erases);
        self.free_in[self.layout.domain_of(plane) as usize] += 1;
    }

    /// Takes an erased block of `plane` or, when it has none, of its domain's richest plane.
    pub(crate) fn take_free(&mut self, plane: u32, for_cold_data: bool) -> Option<u32> {
        let domain = self.layout.domain_of(plane);
        let from = if self.free[plane as usize].is_empty() {
            let first = domain * self.layout.domain_planes;
            let planes = first..first + self.layout.domain_planes;
            planes.rev().max_by_key(|&plane| self.free[plane as usize].len())?
        } else {
            plane
        };
        let block = self.free[from as usize].pop(for_cold_data)?;
        self.free_in[domain as usize] -= 1;
        Some(block)
    }

    /// True for a block that is in the victim index.
    #[inline]
    pub(crate) fn is_candidate(&self, block: u32) -> bool {
        self.blocks[block as usize].state == BlockState::Full
    }

    /// Bytes that the state takes, by what: for the budget of memory.
    pub fn bytes(&self) -> usize {
        self.map.capacity() * 4
            + self.reverse.capacity() * 4
            + self.blocks.capacity() * size_of::<Block>()
            + self.valid.bytes()
    }

    /// True when the logical unit holds data.
    pub fn is_mapped(&self, lpn: u32) -> bool {
        self.unit_of(lpn) != NONE
    }
}
