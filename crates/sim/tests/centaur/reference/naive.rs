//! The naive drive.

use super::flash::{Flash, GC, HOST, INNER, Point, Stage};
use crate::rig::*;
use std::collections::BTreeMap;
use wordline_sim::config::Config;
use wordline_sim::technique::centaur::{CentaurConfig, Partial};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub dispatched: [u64; 2],
    pub sent_on: u64,
    pub migrated: u64,
    pub merged: u64,
    pub programs_3d: u64,
    pub padding: u64,
    pub collections: u64,
    pub moved: u64,
    pub criterion: u64,
    pub erases: [u64; 2],
    pub most_erases: [u64; 2],
    pub valid: [u64; 2],
}

/// A part of a request, in units.
#[derive(Debug, Clone, Copy)]
struct Part {
    last: u64,
    kind: usize,
    has_begun: bool,
    is_sent_on: bool,
}

pub struct Drive {
    flash: [Flash; 2],
    /// Where each logical unit lies: kind, block, place.
    map: BTreeMap<u64, (usize, usize, usize)>,
    own: CentaurConfig,
    since: u64,
    clock: u64,
    fruitless: usize,
    part: Option<Part>,
    pub is_stuck: bool,
    counts: Counts,
}

impl Drive {
    pub fn new(config: &Config, own: &CentaurConfig) -> Self {
        let flash = [Flash::new(config, "a-slc", 1), Flash::new(config, "b-tlc", RANGE as usize)];
        let counts = Counts { criterion: own.initial_bytes, ..Counts::default() };
        Self {
            flash,
            map: BTreeMap::new(),
            own: own.clone(),
            since: 0,
            clock: 0,
            fruitless: 0,
            part: None,
            is_stuck: false,
            counts,
        }
    }

    fn merges(&self) -> bool {
        self.own.partial == Partial::Merge
    }

    /// Whether valid data takes a larger share of the 2D flash.
    fn hands_on(&self) -> bool {
        let [two, three] = &self.flash;
        self.own.migrate && two.all_valid() * three.units() > three.all_valid() * two.units()
    }

    fn cost(&self, kind: usize, block: usize) -> usize {
        let (flash, valid) = (&self.flash[kind], self.flash[kind].blocks[block].valid);
        match kind {
            THREE_D if self.merges() => flash.live(block) * flash.program_units,
            TWO_D if self.hands_on() => valid.min(flash.block_units - 1),
            _ => valid,
        }
    }

    /// A full block costs what it costs from now on.
    fn list(&mut self, kind: usize, block: usize) {
        self.clock += 1;
        let cost = self.cost(kind, block);
        let entry = &mut self.flash[kind].blocks[block];
        (entry.stage, entry.cost, entry.changed_at) = (Stage::Full, cost, self.clock);
    }

    pub fn forget(&mut self, lpn: u64) {
        let Some((kind, block, place)) = self.map.remove(&lpn) else { return };
        self.flash[kind].blocks[block].units[place] = None;
        self.flash[kind].blocks[block].valid -= 1;
        if self.flash[kind].blocks[block].stage == Stage::Full {
            self.list(kind, block);
        }
    }

    pub fn request(&mut self, first: u64, end: u64) {
        for range in first / RANGE..=(end - 1) / RANGE {
            let (first, end) = (first.max(range * RANGE), end.min((range + 1) * RANGE));
            let kind = self.dispatch((end - first) * UNIT);
            let part = Part { last: end - 1, kind, has_begun: false, is_sent_on: false };
            self.part = Some(part);
            for lpn in first..end {
                if !self.write(lpn) {
                    self.is_stuck = true;
                    return;
                }
            }
        }
    }

    /// Algorithm 1.
    fn dispatch(&mut self, bytes: u64) -> usize {
        self.since += 1;
        if self.since >= self.own.period_parts {
            self.since = 0;
            let [two, three] = &self.flash;
            let spares_2d = two.cycles() * three.life() < three.cycles() * two.life();
            let criterion = &mut self.counts.criterion;
            if spares_2d && *criterion < self.own.max_bytes {
                *criterion += self.own.step_bytes;
            } else if !spares_2d && *criterion > self.own.min_bytes {
                *criterion -= self.own.step_bytes;
            }
        }
        let kind = usize::from(self.counts.criterion <= bytes);
        self.counts.dispatched[kind] += 1;
        kind
    }

    /// A unit of the part at hand.
    fn write(&mut self, lpn: u64) -> bool {
        let part = self.part.expect("a part is written");
        if !self.reach(part.kind, HOST, lpn, None) {
            self.counts.sent_on += u64::from(!part.is_sent_on);
            let kind = 1 - part.kind;
            self.part = self.part.map(|part| Part { kind, is_sent_on: true, ..part });
            if !self.reach(kind, HOST, lpn, None) {
                return false;
            }
        }
        let part = self.part.expect("a part is written");
        self.put(part.kind, HOST, lpn);
        let is_last = lpn == part.last;
        if part.kind == THREE_D && is_last {
            if self.merges() {
                self.take_along(HOST, lpn, false);
            }
            self.end_program(HOST);
        }
        true
    }

    /// Makes a write point ready for a unit; false where it has no room. What GC moves comes from a place.
    fn reach(&mut self, kind: usize, point: usize, lpn: u64, from: Option<(usize, usize)>) -> bool {
        if kind == THREE_D {
            let holds_data = self.flash[THREE_D].filled(point) > 0;
            let ends = match from {
                None => {
                    let part = self.part.as_mut().expect("a part is written");
                    let is_first = !part.has_begun;
                    part.has_begun = true;
                    is_first
                }
                Some((TWO_D, _)) => true,
                Some(_) => self.merges() && self.range_at(point) != lpn / RANGE,
            };
            if holds_data && ends {
                self.end_program(point);
            }
        }
        self.flash[kind].room(point) > 0 || self.open(kind, point, from.is_some())
    }

    /// The range of the program that the write point of the 3D flash has begun.
    fn range_at(&self, point: usize) -> u64 {
        let flash = &self.flash[THREE_D];
        let Point { block, next } = flash.points[point];
        block.map_or(0, |block| {
            let program =
                (next / flash.program_units).min(flash.block_units / flash.program_units - 1);
            flash.blocks[block].ranges[program]
        })
    }

    fn open(&mut self, kind: usize, point: usize, moves: bool) -> bool {
        if !moves {
            let flash = &self.flash[kind];
            let mut rounds = 4 * (flash.block_units + flash.blocks.len());
            let mut more = true;
            while more && rounds > 0 && !self.has_room(kind, point) {
                (more, rounds) = (false, rounds - 1);
                if self.is_low(kind) {
                    more = self.reclaim(kind);
                }
            }
            if self.flash[kind].room(point) > 0 {
                return true;
            }
            if self.flash[kind].free.len() <= INNER {
                return false;
            }
        }
        let flash = &mut self.flash[kind];
        if flash.free.is_empty() {
            return false;
        }
        let block = flash.free.remove(0);
        flash.blocks[block].stage = Stage::Open;
        flash.points[point] = Point { block: Some(block), next: 0 };
        true
    }

    fn has_room(&self, kind: usize, point: usize) -> bool {
        self.flash[kind].room(point) > 0 && self.flash[kind].free.len() >= INNER
    }

    fn is_low(&self, kind: usize) -> bool {
        self.flash[kind].free.len() <= self.flash[kind].reserve
    }

    fn put(&mut self, kind: usize, point: usize, lpn: u64) {
        self.forget(lpn);
        let flash = &mut self.flash[kind];
        let Point { block, next } = flash.points[point];
        let block = block.expect("it is open");
        flash.blocks[block].units[next] = Some(lpn);
        flash.blocks[block].valid += 1;
        if next.is_multiple_of(flash.program_units) {
            flash.blocks[block].ranges[next / flash.program_units] = lpn / RANGE;
            self.counts.programs_3d += u64::from(kind == THREE_D);
        }
        self.flash[kind].points[point].next += 1;
        self.map.insert(lpn, (kind, block, next));
        self.close(kind, point);
    }

    /// A program of the 3D flash starts with what it has.
    fn end_program(&mut self, point: usize) {
        let flash = &mut self.flash[THREE_D];
        let filled = flash.filled(point);
        if filled > 0 {
            flash.points[point].next += flash.program_units - filled;
            self.counts.padding += (flash.program_units - filled) as u64;
            self.close(THREE_D, point);
        }
    }

    fn close(&mut self, kind: usize, point: usize) {
        if let Some(block) = self.flash[kind].points[point].block
            && self.flash[kind].room(point) == 0
        {
            self.flash[kind].points[point].block = None;
            self.flash[kind].points[point].next = 0;
            self.list(kind, block);
        }
    }

    /// Units of the same range join the program that a unit is in, until it is full.
    fn take_along(&mut self, point: usize, lpn: u64, migrates: bool) {
        while self.flash[THREE_D].filled(point) > 0 {
            let range = lpn / RANGE * RANGE..(lpn / RANGE + 1) * RANGE;
            let program = |(kind, block, place): (usize, usize, usize)| {
                (kind, block, place / if kind == THREE_D { RANGE as usize } else { 1 })
            };
            let own = program(self.map[&lpn]);
            let other = range
                .filter_map(|lpn| self.map.get(&lpn).map(|&at| (lpn, at)))
                .find(|&(_, at)| program(at) != own && (self.merges() || at.0 == TWO_D));
            let Some((other, (from, ..))) = other else { return };
            match migrates && from == TWO_D {
                true => self.counts.migrated += 1,
                false => self.counts.merged += 1,
            }
            self.put(THREE_D, point, other);
        }
    }

    fn reclaim(&mut self, kind: usize) -> bool {
        let Some(victim) = self.choose(kind) else { return false };
        if kind == TWO_D && self.hands_on() {
            while self.is_low(THREE_D) && self.reclaim(THREE_D) {}
        }
        let migrates = kind == TWO_D && self.hands_on();
        self.flash[kind].blocks[victim].stage = Stage::Victim;
        let room = self.flash[kind].all_room();
        let done = self.empty(kind, victim, migrates);
        let flash = &self.flash[kind];
        self.fruitless = if flash.all_room() > room { 0 } else { self.fruitless + 1 };
        done && self.fruitless < flash.blocks.len()
    }

    fn choose(&self, kind: usize) -> Option<usize> {
        let flash = &self.flash[kind];
        let full = || (0..flash.blocks.len()).filter(|&at| flash.blocks[at].stage == Stage::Full);
        let victim =
            full().min_by_key(|&at| (flash.blocks[at].cost, flash.blocks[at].changed_at))?;
        if self.cost(kind, victim) == flash.block_units
            && full().all(|block| self.cost(kind, block) == flash.block_units)
        {
            return None;
        }
        let has_room = flash.room(GC) >= flash.blocks[victim].valid || !flash.free.is_empty();
        has_room.then_some(victim)
    }

    fn empty(&mut self, kind: usize, victim: usize, migrates: bool) -> bool {
        for place in 0..self.flash[kind].block_units {
            let Some(lpn) = self.flash[kind].blocks[victim].units[place] else { continue };
            if !self.shift(kind, victim, place, lpn, migrates) {
                self.list(kind, victim);
                return false;
            }
        }
        self.counts.collections += 1;
        let flash = &mut self.flash[kind];
        flash.blocks[victim].stage = Stage::Erased;
        flash.blocks[victim].erases += 1;
        flash.free.push(victim);
        true
    }

    /// Moves a unit of a victim.
    fn shift(
        &mut self,
        kind: usize,
        victim: usize,
        place: usize,
        lpn: u64,
        migrates: bool,
    ) -> bool {
        let from = Some((kind, place));
        let three = &self.flash[THREE_D];
        let finds_room = three.room(GC) > 0 || three.free.len() > INNER;
        let mut to = if migrates && finds_room { THREE_D } else { kind };
        if !self.reach(to, GC, lpn, from) {
            if kind == THREE_D || !finds_room {
                return false;
            }
            to = THREE_D;
            if !self.reach(to, GC, lpn, from) {
                return false;
            }
        }
        // The rest of the range on the same block follows in the same program.
        let range = lpn / RANGE * RANGE..(lpn / RANGE + 1) * RANGE;
        let follows = self.map.range(range).any(|(_, &(other_kind, block, at))| {
            (other_kind, block) == (kind, victim) && at > place
        });
        self.put(to, GC, lpn);
        self.counts.moved += 1;
        if to == THREE_D && kind == TWO_D {
            self.counts.migrated += 1;
            self.take_along(GC, lpn, true);
            self.end_program(GC);
        } else if to == THREE_D && self.merges() && !follows {
            self.end_program(GC);
        }
        true
    }

    pub fn counts(mut self) -> Counts {
        self.end_program(HOST);
        self.end_program(GC);
        let of = |count: fn(&Flash) -> u64| [count(&self.flash[0]), count(&self.flash[1])];
        Counts {
            erases: of(Flash::cycles),
            most_erases: of(|it| it.blocks.iter().map(|block| block.erases).max().unwrap_or(0)),
            valid: of(Flash::all_valid),
            ..self.counts
        }
    }
}
