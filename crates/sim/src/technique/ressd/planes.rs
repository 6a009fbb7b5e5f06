//! The reprogrammable blocks of each plane: of every level one that is active, and those that wait as
//! candidates (Sections 4.2 and 4.3).

use super::super_layer::{Layers, Reprogrammable, Stand};
use super::word_line::WordLines;
use crate::ids::{BlockId, Ids, PlaneId, Unit};
use crate::nand::Group;
use std::collections::BTreeSet;

/// The blocks of one level of a plane.
#[derive(Debug, Clone, Default)]
struct Slot {
    active: Option<Reprogrammable>,
    waiting: Vec<Reprogrammable>,
}

/// How a candidate came to be active again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    /// The host invalidated some of it.
    Proactive,
    /// Its valid pages were moved away.
    Passive,
}

/// Reprogrammable blocks by plane and level.
#[derive(Debug)]
pub(super) struct Planes {
    slots: Vec<Slot>,
    levels: u32,
    /// The planes, and their blocks.
    planes: Ids<PlaneId>,
    blocks: Ids<BlockId>,
    blocks_per_plane: u32,
    /// By place of the block: 0, or its level plus 1 while it is active or a candidate.
    tags: Vec<u8>,
    /// Candidates of a slot that may wait for updates before one of them is reclaimed.
    may_wait: usize,
    /// Planes that may have a candidate to be reclaimed.
    waiting_in: BTreeSet<PlaneId>,
    /// Word lines programmed with two bits in a cell so far, by place of the plane.
    two_bit_lines: Vec<u64>,
}

impl Planes {
    /// No blocks yet of a group of dies.
    pub fn new(group: &Group, levels: u32, may_wait: usize) -> Self {
        let (planes, blocks) = (group.planes, group.blocks);
        Self {
            slots: vec![Slot::default(); (planes.count() * levels) as usize],
            levels,
            planes,
            blocks,
            blocks_per_plane: group.blocks_per_plane,
            tags: vec![0; blocks.count() as usize],
            may_wait,
            waiting_in: BTreeSet::new(),
            two_bit_lines: vec![0; planes.count() as usize],
        }
    }

    /// Levels of hotness.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The slot of a plane and a level.
    pub fn slot(&self, plane: PlaneId, level: u32) -> usize {
        (self.planes.place_of(plane) * self.levels + level) as usize
    }

    /// The plane of a block.
    pub fn plane_of(&self, block: BlockId) -> PlaneId {
        self.planes.at(self.blocks.place_of(block) / self.blocks_per_plane)
    }

    fn place_of(&self, block: BlockId) -> usize {
        self.blocks.place_of(block) as usize
    }

    /// The plane of a slot.
    fn plane_of_slot(&self, slot: usize) -> PlaneId {
        self.planes.at(slot as u32 / self.levels)
    }

    fn slot_of(&self, block: BlockId) -> Option<usize> {
        let level = u32::from(self.tags[self.place_of(block)]).checked_sub(1)?;
        Some(self.slot(self.plane_of(block), level))
    }

    /// The active block of a slot.
    pub fn active(&self, slot: usize) -> Option<Reprogrammable> {
        self.slots[slot].active
    }

    /// An erased block was opened for a slot.
    pub fn open(&mut self, slot: usize, block: Reprogrammable) {
        let place = self.place_of(block.block);
        self.tags[place] = (slot as u32 % self.levels) as u8 + 1;
        self.slots[slot].active = Some(block);
    }

    /// The active block of a slot was written.
    pub fn written(&mut self, slot: usize, now_ns: u64) {
        if let Some(active) = &mut self.slots[slot].active {
            active.written_ns = now_ns;
        }
    }

    /// A word line of a plane was programmed with two bits in a cell.
    pub fn count_two_bit_line(&mut self, plane: PlaneId) {
        self.two_bit_lines[self.planes.place_of(plane) as usize] += 1;
    }

    /// Such programs of a plane so far.
    pub fn two_bit_lines(&self, plane: PlaneId) -> u64 {
        self.two_bit_lines[self.planes.place_of(plane) as usize]
    }

    /// The active block goes on to its next super layer; what it was before.
    pub fn advance(&mut self, slot: usize, next: Reprogrammable) -> Option<Reprogrammable> {
        self.slots[slot].active.replace(next)
    }

    /// The active block becomes a candidate.
    pub fn suspend(&mut self, slot: usize, is_due: bool) {
        let Some(active) = self.slots[slot].active.take() else { return };
        let suspended = Reprogrammable { was_reclaimed: false, is_due, ..active };
        self.slots[slot].waiting.push(suspended);
        self.waiting_in.insert(self.plane_of_slot(slot));
    }

    /// A write found no block of a slot that it could be written to: its candidates may be reclaimed.
    pub fn ask(&mut self, slot: usize) {
        self.slots[slot].waiting.iter_mut().for_each(|candidate| candidate.is_due = true);
        self.waiting_in.insert(self.plane_of_slot(slot));
    }

    /// Makes the first candidate of a slot that can be written again its active block.
    pub fn switch_back(
        &mut self,
        slot: usize,
        layers: &Layers,
        lines: &WordLines,
    ) -> Option<Switch> {
        let slot = &mut self.slots[slot];
        let is_ready = |block: &Reprogrammable| {
            !block.is_reclaimed && layers.stand(lines, block) != Stand::Stuck
        };
        let at = slot.waiting.iter().position(is_ready)?;
        let block = slot.waiting.remove(at);
        slot.active = Some(block);
        Some(if block.was_reclaimed { Switch::Passive } else { Switch::Proactive })
    }

    /// True when a candidate of a slot must be reclaimed before another block is opened.
    pub fn must_reclaim(&self, slot: usize) -> bool {
        self.slots[slot].waiting.len() > self.may_wait
    }

    /// A plane in which there may be a candidate to reclaim.
    pub fn any_to_reclaim(&self) -> Option<PlaneId> {
        self.waiting_in.first().copied()
    }

    /// The slot of a plane whose candidate is being reclaimed; otherwise, of those with more than may
    /// wait, that of the candidate with the fewest pages to move, which is from now on.
    pub fn slot_to_reclaim(
        &mut self,
        plane: PlaneId,
        layers: &Layers,
        lines: &WordLines,
    ) -> Option<usize> {
        if !self.waiting_in.contains(&plane) {
            return None;
        }
        let slots = self.slot(plane, 0)..self.slot(plane, self.levels);
        let reclaimed = |block: &Reprogrammable| block.is_reclaimed;
        if let Some(slot) =
            slots.clone().find(|&slot| self.slots[slot].waiting.iter().any(reclaimed))
        {
            return Some(slot);
        }
        let mut best = None;
        for slot in slots {
            let waiting = self.slots[slot].waiting.iter().enumerate();
            let stuck = waiting.filter(|(_, block)| layers.stand(lines, block) == Stand::Stuck);
            let stuck: Vec<(u32, usize, bool)> =
                stuck.map(|(at, block)| (layers.movable(lines, block), at, block.is_due)).collect();
            if stuck.len() > self.may_wait {
                let due = stuck.into_iter().filter(|(.., is_due)| *is_due);
                let cheapest = due.min().map(|(pages, at, _)| (pages, slot, at));
                best = best.min(cheapest).or(cheapest);
            }
        }
        let Some((_, slot, at)) = best else {
            self.waiting_in.remove(&plane);
            return None;
        };
        self.slots[slot].waiting[at].is_reclaimed = true;
        Some(slot)
    }

    /// The next page to move of the candidate of a slot that is being reclaimed; without one it is
    /// ready to be switched back.
    pub fn next_page(&mut self, slot: usize, layers: &Layers, lines: &WordLines) -> Option<Unit> {
        let mut waiting = self.slots[slot].waiting.iter_mut();
        let block = waiting.find(|block| block.is_reclaimed)?;
        let page = layers.page_in_the_way(lines, block);
        if page.is_none() {
            (block.is_reclaimed, block.was_reclaimed) = (false, true);
        }
        page
    }

    /// The block, if it is active or a candidate.
    pub fn find(&self, block: BlockId) -> Option<Reprogrammable> {
        let slot = &self.slots[self.slot_of(block)?];
        slot.active.iter().chain(&slot.waiting).find(|kept| kept.block == block).copied()
    }

    /// The block is an ordinary one from now on.
    pub fn forget(&mut self, block: BlockId) {
        let Some(slot) = self.slot_of(block) else { return };
        let place = self.place_of(block);
        self.tags[place] = 0;
        let slot = &mut self.slots[slot];
        slot.active.take_if(|active| active.block == block);
        slot.waiting.retain(|waiting| waiting.block != block);
    }

    /// Active blocks and candidates of a plane.
    pub fn of_plane(&self, plane: PlaneId) -> impl Iterator<Item = &Reprogrammable> {
        let slots = self.slot(plane, 0)..self.slot(plane, self.levels);
        self.slots[slots].iter().flat_map(|slot| slot.active.iter().chain(&slot.waiting))
    }

    /// Active blocks and candidates of the drive.
    pub fn all(&self) -> impl Iterator<Item = &Reprogrammable> {
        self.slots.iter().flat_map(|slot| slot.active.iter().chain(&slot.waiting))
    }

    /// Candidates of the drive.
    pub fn candidates(&self) -> usize {
        self.slots.iter().map(|slot| slot.waiting.len()).sum()
    }
}
