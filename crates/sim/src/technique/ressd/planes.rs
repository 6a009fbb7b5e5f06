//! The reprogrammable blocks of each plane: of every level one that is active, and those that wait as
//! candidates (Sections 4.2 and 4.3).

use super::super_layer::{BlockStatus, Layers, Reprogrammable};
use super::word_line::WordLines;
use crate::ids::{BlockId, ById, Id, Ids, PlaneId, Unit};
use crate::nand::Group;
use std::collections::BTreeSet;

/// A level of hotness of a plane, counted over the planes of the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LevelId(u32);

impl Id for LevelId {
    type Number = u32;

    fn new(number: u32) -> Self {
        Self(number)
    }

    fn number(self) -> u32 {
        self.0
    }
}

/// The blocks of one level of a plane.
#[derive(Debug, Clone, Default)]
struct Level {
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
    levels: ById<LevelId, Level>,
    levels_per_plane: u32,
    /// The planes, and their blocks.
    planes: Ids<PlaneId>,
    blocks: Ids<BlockId>,
    blocks_per_plane: u32,
    /// By place of the block: its level while it is active or a candidate. Where free blocks are counted over several
    /// planes, that may be another plane's.
    level_of: Vec<Option<LevelId>>,
    /// Candidates of a level that may wait for updates before one of them is reclaimed.
    may_wait: usize,
    /// Planes that may have a candidate to be reclaimed.
    waiting_in: BTreeSet<PlaneId>,
    /// Word lines programmed with two bits in a cell so far, by place of the plane.
    two_bit_lines: Vec<u64>,
}

impl Planes {
    /// No blocks yet of a group of dies.
    pub fn new(group: &Group, levels_per_plane: u32, may_wait: usize) -> Self {
        let (planes, blocks) = (group.planes, group.blocks);
        Self {
            levels: ById::filled(Level::default(), planes.count() * levels_per_plane),
            levels_per_plane,
            planes,
            blocks,
            blocks_per_plane: group.blocks_per_plane,
            level_of: vec![None; blocks.count() as usize],
            may_wait,
            waiting_in: BTreeSet::new(),
            two_bit_lines: vec![0; planes.count() as usize],
        }
    }

    /// Levels of hotness.
    pub fn levels(&self) -> u32 {
        self.levels_per_plane
    }

    /// The levels of a plane, coldest last.
    fn levels_of(&self, plane: PlaneId) -> Ids<LevelId> {
        let first = self.planes.place_of(plane) * self.levels_per_plane;
        Ids::new(LevelId(first), self.levels_per_plane)
    }

    /// One of them.
    pub fn level(&self, plane: PlaneId, place: u32) -> LevelId {
        self.levels_of(plane).at(place)
    }

    /// The plane of a block.
    pub fn plane_of(&self, block: BlockId) -> PlaneId {
        self.planes.at(self.blocks.place_of(block) / self.blocks_per_plane)
    }

    fn place_of(&self, block: BlockId) -> usize {
        self.blocks.place_of(block) as usize
    }

    fn plane_of_level(&self, level: LevelId) -> PlaneId {
        self.planes.at(level.number() / self.levels_per_plane)
    }

    /// The level of a block that is active or a candidate.
    pub fn level_of(&self, block: BlockId) -> Option<LevelId> {
        self.level_of[self.place_of(block)]
    }

    /// The active block of a level.
    pub fn active(&self, level: LevelId) -> Option<Reprogrammable> {
        self.levels[level].active
    }

    /// An erased block was opened for a level.
    pub fn open(&mut self, level: LevelId, block: Reprogrammable) {
        let place = self.place_of(block.block);
        self.level_of[place] = Some(level);
        self.levels[level].active = Some(block);
    }

    /// The active block of a level was written.
    pub fn written(&mut self, level: LevelId, now_ns: u64) {
        if let Some(active) = &mut self.levels[level].active {
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
    pub fn advance(&mut self, level: LevelId, next: Reprogrammable) -> Option<Reprogrammable> {
        self.levels[level].active.replace(next)
    }

    /// The active block becomes a candidate.
    pub fn suspend(&mut self, level: LevelId, is_due: bool) {
        let Some(active) = self.levels[level].active.take() else { return };
        let suspended = Reprogrammable { was_reclaimed: false, is_due, ..active };
        self.levels[level].waiting.push(suspended);
        self.waiting_in.insert(self.plane_of_level(level));
    }

    /// A write found no block of a level that it could be written to: its candidates may be reclaimed.
    pub fn ask(&mut self, level: LevelId) {
        self.levels[level].waiting.iter_mut().for_each(|candidate| candidate.is_due = true);
        self.waiting_in.insert(self.plane_of_level(level));
    }

    /// Makes the first candidate of a level that can be written again its active block.
    pub fn switch_back(
        &mut self,
        level: LevelId,
        layers: &Layers,
        lines: &WordLines,
    ) -> Option<Switch> {
        let level = &mut self.levels[level];
        let is_ready = |block: &Reprogrammable| {
            !block.is_reclaimed && layers.stand(lines, block) != BlockStatus::Stuck
        };
        let at = level.waiting.iter().position(is_ready)?;
        let block = level.waiting.remove(at);
        level.active = Some(block);
        Some(if block.was_reclaimed { Switch::Passive } else { Switch::Proactive })
    }

    /// True when a candidate of a level must be reclaimed before another block is opened.
    pub fn must_reclaim(&self, level: LevelId) -> bool {
        self.levels[level].waiting.len() > self.may_wait
    }

    /// A plane in which there may be a candidate to reclaim.
    pub fn any_to_reclaim(&self) -> Option<PlaneId> {
        self.waiting_in.first().copied()
    }

    /// The level of a plane whose candidate is being reclaimed; otherwise, of those with more than may
    /// wait, that of the candidate with the fewest pages to move, which is from now on.
    pub fn level_to_reclaim(
        &mut self,
        plane: PlaneId,
        layers: &Layers,
        lines: &WordLines,
    ) -> Option<LevelId> {
        if !self.waiting_in.contains(&plane) {
            return None;
        }
        let levels = self.levels_of(plane);
        let reclaimed = |block: &Reprogrammable| block.is_reclaimed;
        let is_under_way = |level: &LevelId| self.levels[*level].waiting.iter().any(reclaimed);
        if let Some(level) = levels.iter().find(is_under_way) {
            return Some(level);
        }
        let mut best = None;
        for level in levels {
            let waiting = self.levels[level].waiting.iter().enumerate();
            let stuck =
                waiting.filter(|(_, block)| layers.stand(lines, block) == BlockStatus::Stuck);
            let stuck: Vec<(u32, usize, bool)> =
                stuck.map(|(at, block)| (layers.movable(lines, block), at, block.is_due)).collect();
            if stuck.len() > self.may_wait {
                let due = stuck.into_iter().filter(|(.., is_due)| *is_due);
                let cheapest = due.min().map(|(pages, at, _)| (pages, level, at));
                best = best.min(cheapest).or(cheapest);
            }
        }
        let Some((_, level, at)) = best else {
            self.waiting_in.remove(&plane);
            return None;
        };
        self.levels[level].waiting[at].is_reclaimed = true;
        Some(level)
    }

    /// The next page to move of the candidate of a level that is being reclaimed; without one it is
    /// ready to be switched back.
    pub fn next_page(
        &mut self,
        level: LevelId,
        layers: &Layers,
        lines: &WordLines,
    ) -> Option<Unit> {
        let mut waiting = self.levels[level].waiting.iter_mut();
        let block = waiting.find(|block| block.is_reclaimed)?;
        let page = layers.page_in_the_way(lines, block);
        if page.is_none() {
            // One that is stuck though nothing is in the way would be reclaimed for ever.
            (block.is_reclaimed, block.was_reclaimed, block.is_due) = (false, true, false);
        }
        page
    }

    /// All that is in the way in a candidate of a level, of one that is being reclaimed or else of that with the
    /// fewest pages to move: once these are gone it is ready to be switched back.
    pub fn clear(&mut self, level: LevelId, layers: &Layers, lines: &WordLines) -> Vec<Unit> {
        let waiting = self.levels[level].waiting.iter_mut();
        let cost =
            |block: &&mut Reprogrammable| (!block.is_reclaimed, layers.movable(lines, block));
        let Some(block) = waiting.min_by_key(cost) else { return Vec::new() };
        (block.is_reclaimed, block.was_reclaimed) = (false, true);
        layers.pages_in_the_way(lines, block).collect()
    }

    /// The block, if it is active or a candidate.
    pub fn find(&self, block: BlockId) -> Option<Reprogrammable> {
        let level = &self.levels[self.level_of(block)?];
        level.active.iter().chain(&level.waiting).find(|kept| kept.block == block).copied()
    }

    /// The block is an ordinary one from now on.
    pub fn forget(&mut self, block: BlockId) {
        let Some(level) = self.level_of(block) else { return };
        let place = self.place_of(block);
        self.level_of[place] = None;
        let level = &mut self.levels[level];
        level.active.take_if(|active| active.block == block);
        level.waiting.retain(|waiting| waiting.block != block);
    }

    /// Active blocks and candidates of a plane.
    pub fn of_plane(&self, plane: PlaneId) -> impl Iterator<Item = &Reprogrammable> {
        let levels = self.levels_of(plane);
        self.levels.of(levels).iter().flat_map(|level| level.active.iter().chain(&level.waiting))
    }

    /// Active blocks and candidates of the drive.
    pub fn all(&self) -> impl Iterator<Item = &Reprogrammable> {
        self.levels.iter().flat_map(|level| level.active.iter().chain(&level.waiting))
    }

    /// Candidates of the drive.
    pub fn candidates(&self) -> usize {
        self.levels.iter().map(|level| level.waiting.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::word_line::{PAGES, Status};
    use super::*;
    use crate::nand::Geometry;
    use crate::schema::Config;

    /// What was moved away once says nothing of how a block comes back the next time.
    #[test]
    fn a_block_comes_back_by_itself_after_it_was_reclaimed_once() {
        let geometry = Geometry::new(&Config::default()).expect("the drive works");
        let group = &geometry.groups[0];
        let layers =
            Layers { per_super_layer: 1, per_block: 1, pages: 3, bits: 3, virtual_layers: false };
        let mut lines = WordLines::new(Unit(0), 3, 3);
        let mut planes = Planes::new(group, 1, 0);
        let level = planes.level(group.planes.first(), 0);
        planes.open(level, layers.first_of(group.blocks.first(), Unit(0)));
        let mut both_valid = Status::programmed();
        (0..PAGES).for_each(|page| both_valid.validate(page));
        *lines.get_mut(0) = both_valid;
        planes.suspend(level, true);
        assert_eq!(planes.switch_back(level, &layers, &lines), None);
        assert_eq!(planes.clear(level, &layers, &lines), [0, 1].map(Unit));
        *lines.get_mut(0) = Status::programmed();
        assert_eq!(planes.switch_back(level, &layers, &lines), Some(Switch::Passive));
        planes.suspend(level, true);
        assert_eq!(planes.switch_back(level, &layers, &lines), Some(Switch::Proactive));
    }

    /// Candidates of two word lines, all of one valid, and half of the other: the second is chosen, and cleared to the
    /// end, although the first one's pages have died meanwhile.
    #[test]
    fn a_candidate_that_is_being_reclaimed_is_cleared_ahead_of_others() {
        let geometry = Geometry::new(&Config::default()).expect("the drive works");
        let group = &geometry.groups[0];
        let layers =
            Layers { per_super_layer: 1, per_block: 1, pages: 6, bits: 3, virtual_layers: false };
        let mut lines = WordLines::new(Unit(0), 12, 3);
        let mut planes = Planes::new(group, 1, 0);
        let plane = group.planes.first();
        let level = planes.level(plane, 0);
        let mut both_valid = Status::programmed();
        (0..PAGES).for_each(|page| both_valid.validate(page));
        (0..3).for_each(|line| *lines.get_mut(line) = both_valid);
        *lines.get_mut(3) = Status::of_writes([1, 1]);
        for at in 0..2 {
            let block = group.blocks.at(at);
            planes.open(level, layers.first_of(block, Unit(6 * u64::from(at))));
            planes.suspend(level, true);
        }
        assert_eq!(planes.level_to_reclaim(plane, &layers, &lines), Some(level));
        (0..2).for_each(|line| *lines.get_mut(line) = Status::programmed());
        assert_eq!(planes.clear(level, &layers, &lines), [6, 7].map(Unit));
    }
}
