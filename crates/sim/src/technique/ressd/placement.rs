//! Where data goes: hot updates to the reprogrammable block of their plane and temperature, all else to normal
//! blocks, along with what is moved away from candidates.

use super::entry::{Along, ThirdPage};
use super::hooks::Refill;
use super::super_layer::BlockStatus;
use super::word_line::PAGES;
use super::{ReSsd, plane_of};
use crate::drive::DriveState;
use crate::ids::{BlockId, DomainId, PlaneId, StreamId, Unit};
use crate::nand::BlockState;
use crate::nand::command::Cause;
use crate::technique::{Joined, Open, Place, Placement, Write};

impl Placement for ReSsd {
    fn place(&mut self, state: &DriveState, write: &Write) -> Place {
        self.spent.advance(write.now_ns);
        let Some(stream) = self.stream_of(state, write) else {
            return self.to_normal(state, write.stream);
        };
        let level = self.planes.level(plane_of(state, write.scope), self.streams.place_of(stream));
        if state.points[state.point_of(write.scope, stream)].room() > 0 {
            return Place::Stream(stream);
        }
        if let Some(unit) = self.stuck_place(level, write.old) {
            return self.reprogram(unit);
        }
        let suspended = self.figures.suspended;
        match self.stand(level) {
            Some(BlockStatus::Writable(unit)) => self.reprogram(unit),
            None if self.planes.must_reclaim(level) => {
                self.figures.turned_away += 1;
                if self.figures.suspended == suspended {
                    self.planes.ask(level);
                }
                self.to_normal(state, write.stream)
            }
            _ => Place::Stream(stream),
        }
    }

    fn open(&mut self, _: &DriveState, stream: StreamId, plane: PlaneId) -> Open {
        if !self.streams.contains(stream) {
            return Open::Erased(None);
        }
        let level = self.planes.level(plane, self.streams.place_of(stream));
        let active = self.planes.active(level);
        match active.map(|active| self.layers.stand(&self.lines, &active)) {
            Some(BlockStatus::Advance(next)) => {
                let before = self.planes.advance(level, next).map_or(0, |before| before.end_layer);
                self.figures.advanced(next.layer < before);
                return Open::Again(vec![next.block], self.shape(before..next.end_layer));
            }
            Some(_) => {
                // Another write of the level found it writable since the one for which this opens was placed.
                self.planes.suspend(level, false);
                self.figures.suspended += 1;
            }
            None => {}
        }
        Open::Erased(Some(self.shape(0..self.layers.per_super_layer)))
    }

    fn keeps(&mut self, state: &DriveState, block: BlockId) -> bool {
        if let Some(found) = self.planes.find(block) {
            if !self.layers.is_spent(&self.lines, &found) {
                return true;
            }
            self.retire(&found);
        }
        self.spent.keeps(self.planes.plane_of(block), block, state)
    }

    fn surrender(&mut self, state: &DriveState, domain: DomainId) -> Option<BlockId> {
        let is_kept = |block: &BlockId| state.blocks[*block].state == BlockState::Kept;
        let of_plane = |plane| {
            let unfinished = self.planes.of_plane(plane).map(|kept| kept.block);
            unfinished.chain(self.spent.of_plane(plane))
        };
        let kept = state.layout.planes_of_domain(domain).iter().flat_map(of_plane).filter(is_kept);
        let block = state.least_valid(kept)?;
        self.planes.forget(block);
        self.spent.forget(self.planes.plane_of(block), block);
        self.figures.surrendered += 1;
        Some(block)
    }

    fn unwritten(&self, state: &DriveState, domain: DomainId) -> u64 {
        let of_plane = |plane| {
            let pages_left = self.planes.of_plane(plane).map(|kept| self.layers.pages_left(kept));
            let two_a_line = u64::from(pages_left.sum::<u32>());
            match self.config.third_page {
                ThirdPage::Free => {
                    two_a_line / u64::from(PAGES) * u64::from(self.layers.bits)
                        + self.planes.two_bit_lines(plane)
                }
                ThirdPage::Lost => two_a_line,
            }
        };
        state.layout.planes_of_domain(domain).iter().map(of_plane).sum()
    }
}

impl Refill for ReSsd {
    /// All that is in the way of a hot write for which no block is open.
    fn cleared(&mut self, state: &DriveState, write: &Write) -> Vec<Unit> {
        let Some(stream) = self.stream_of(state, write) else { return Vec::new() };
        let level = self.planes.level(plane_of(state, write.scope), self.streams.place_of(stream));
        if state.points[state.point_of(write.scope, stream)].room() > 0
            || self.stuck_place(level, write.old).is_some()
            || self.stand(level).is_some()
            || !self.planes.must_reclaim(level)
        {
            return Vec::new();
        }
        let units = self.planes.clear(level, &self.layers, &self.lines);
        self.figures.turned_away += 1;
        self.figures.reclaimed += 1;
        self.figures.moved_along += units.len() as u64;
        units.iter().for_each(|&unit| self.correct(state, unit));
        units
    }

    fn companion(&mut self, state: &DriveState, joined: &Joined) -> Option<Unit> {
        if joined.cause != Cause::Host || joined.stream >= self.streams.first() {
            return None;
        }
        let unit = self.next_move(state, plane_of(state, joined.scope))?;
        if self.config.along == Along::WordLine && self.waits_for_host(unit, joined.missing) {
            return None;
        }
        self.figures.moved_along += 1;
        self.correct(state, unit);
        Some(unit)
    }
}
