//! Garbage collection and wear levelling of the reference.

use super::{Model, State};

/// Units that were moved, and pages that were read for them.
#[derive(Default)]
struct Moved {
    units: u64,
    reads: u64,
}

impl Model {
    /// Moves a victim's units and erases it; false when nothing is gained. Translation pages that this
    /// makes stale are left.
    pub fn reclaim(&mut self, domain: usize) -> bool {
        let Some(victim) = self.victim(domain) else { return false };
        let Some(moved) = self.move_to(victim, self.refuge(victim)) else {
            return false;
        };
        self.counts.reads_gc += moved.reads;
        self.counts.programs_gc += moved.units;
        self.counts.gc_moved += moved.units;
        self.counts.gc_count += 1;
        self.counts.gc_with_migration += u64::from(moved.units > 0);
        self.level_wear(domain);
        true
    }

    /// Moves the units of a block to a frontier and lets it be erased; `None` where there is no room.
    fn move_to(&mut self, victim: usize, point: usize) -> Option<Moved> {
        self.blocks[victim].state = State::Victim;
        let domain = self.shape.domain_of_plane(self.shape.plane_of_block(victim));
        let list = &mut self.numbered[domain];
        let number = list.iter().position(|&block| block == victim).expect("it was full");
        list.swap_remove(number);
        let (mut page, mut moved) = (None, Moved::default());
        for place in 0..self.shape.units_per_block {
            let Some(lpn) = self.blocks[victim].units[place] else { continue };
            let point = self.refuge_of(lpn, point);
            if self.room(point) == 0 && !self.open(point) {
                self.become_full(victim);
                return None;
            }
            if page != Some(self.shape.page_of(place)) {
                page = Some(self.shape.page_of(place));
                moved.reads += self.shape.pages_per_unit as u64;
            }
            self.put(point, lpn);
            if let Some(cache) = &self.shared.map_cache {
                cache.borrow_mut().note_move(lpn);
            }
            moved.units += 1;
        }
        self.to_erase.push(victim);
        if self.shape.lanes == 1 {
            self.erase();
        }
        Some(moved)
    }

    /// Static wear levelling: where the spread is too large, the data of the full block that was erased
    /// least goes to the block of its plane that was erased most.
    fn level_wear(&mut self, domain: usize) {
        let Some((threshold, stream)) = self.shape.levelling else { return };
        if !self.shared.looks() {
            return;
        }
        let erases = |block: usize| self.blocks[block].erases;
        let most = self.blocks_of(domain).map(erases).max().expect("a domain has blocks");
        let Some(coldest) = self.full_in(domain).into_iter().min_by_key(|&block| erases(block))
        else {
            return;
        };
        let scope = self.shape.plane_of_block(coldest) / self.shape.scope_planes;
        let point = scope * self.shape.streams + stream;
        if most - erases(coldest) <= threshold || !self.has_room(point, coldest, domain) {
            return;
        }
        self.erase();
        if let Some(moved) = self.move_to(coldest, point) {
            self.counts.reads_wear += moved.reads;
            self.counts.programs_wear += moved.units;
        }
    }

    fn blocks_of(&self, domain: usize) -> std::ops::Range<usize> {
        let blocks = self.shape.domain_planes * self.shape.blocks_per_plane;
        domain * blocks..(domain + 1) * blocks
    }

    fn full_in(&self, domain: usize) -> Vec<usize> {
        let is_full = |&block: &usize| self.blocks[block].state == State::Full;
        self.blocks_of(domain).filter(is_full).collect()
    }

    pub fn erase(&mut self) {
        for block in std::mem::take(&mut self.to_erase) {
            self.counts.erases += 1;
            let entry = &mut self.blocks[block];
            entry.state = State::Free;
            entry.programmed = 0;
            entry.erases += 1;
            self.free[self.shape.plane_of_block(block)].push(block);
        }
    }

    /// The block that the policy chooses, where that gains space and its data has somewhere to go.
    fn victim(&mut self, domain: usize) -> Option<usize> {
        let victim = match self.shape.policy.name() {
            "random" | "d_choices" => self.draw(domain),
            _ => self.choose(self.full_in(domain)),
        }?;
        let units = self.shape.units_per_block;
        if self.full_in(domain).iter().all(|&block| self.blocks[block].valid() == units) {
            return None;
        }
        self.has_room(self.refuge(victim), victim, domain).then_some(victim)
    }

    /// Where the drive's own moves put a unit: translation pages stay among themselves.
    fn refuge_of(&self, lpn: usize, point: usize) -> usize {
        match lpn < self.shape.logical_units {
            true => point,
            false => self.map_point(point / self.shape.streams),
        }
    }

    /// The frontier of translation pages.
    pub fn map_point(&self, scope: usize) -> usize {
        scope * self.shape.streams + self.shape.map_stream
    }

    /// Whether a frontier has, or can open, room for the units of a block.
    fn has_room(&self, point: usize, victim: usize, domain: usize) -> bool {
        let mut lanes = match self.shape.lanes {
            1 => vec![domain],
            _ => self.shape.lane_planes(point / self.shape.streams).collect(),
        }
        .into_iter();
        self.room(point) >= self.blocks[victim].valid()
            || lanes.all(|domain| self.free_in(domain) > 0)
    }

    /// The first of the blocks with the fewest valid units among those drawn.
    fn draw(&mut self, domain: usize) -> Option<usize> {
        let full = &self.numbered[domain];
        if full.is_empty() {
            return None;
        }
        let mut draws = self.shared.draws.borrow_mut();
        let drawn: Vec<usize> = (0..self.shape.draws).map(|_| draws.pick(full)).collect();
        drawn.into_iter().min_by_key(|&block| self.blocks[block].valid())
    }

    /// Where the units of a victim go: to GC's own blocks, or among their like.
    fn refuge(&self, victim: usize) -> usize {
        let scope = self.shape.plane_of_block(victim) / self.shape.scope_planes;
        let stream = self.shape.gc_stream.unwrap_or(self.blocks[victim].stream);
        scope * self.shape.streams + stream
    }

    fn choose(&self, mut full: Vec<usize>) -> Option<usize> {
        full.sort_by_key(|&block| self.blocks[block].filled_at);
        let valid = |block: usize| self.blocks[block].valid();
        match self.shape.policy.name() {
            "fifo" => full.first().copied(),
            "windowed_greedy" => {
                full.truncate(self.shape.window);
                self.first_of_fewest(full, |block| self.blocks[block].filled_at)
            }
            "greedy" => self.first_of_fewest(full, |block| self.blocks[block].changed_at),
            _ => full.into_iter().min_by(|&one, &other| {
                let order = self.benefit_per_cost(other).total_cmp(&self.benefit_per_cost(one));
                let order = order.then(valid(one).cmp(&valid(other)));
                order.then(self.blocks[one].changed_at.cmp(&self.blocks[other].changed_at))
            }),
        }
    }

    /// Of the blocks with the fewest valid units the one that is `listed` first, or as the case says.
    fn first_of_fewest(&self, full: Vec<usize>, listed: impl Fn(usize) -> u64) -> Option<usize> {
        let fewest = full.iter().map(|&block| self.blocks[block].valid()).min()?;
        let mut equals: Vec<usize> =
            full.into_iter().filter(|&block| self.blocks[block].valid() == fewest).collect();
        equals.sort_by_key(|&block| match self.shape.ties.name() {
            "listed" => (0, listed(block)),
            "hottest" => (self.blocks[block].stream, listed(block)),
            "last" => (0, block as u64),
            _ => (0, self.blocks[block].filled_at),
        });
        if ["newest", "last"].contains(&self.shape.ties.name()) {
            equals.last()
        } else {
            equals.first()
        }
        .copied()
    }

    /// age × (1 − u) / 2u, and of blocks without valid data more than any other.
    fn benefit_per_cost(&self, block: usize) -> f64 {
        let block = &self.blocks[block];
        let (units, valid) = (block.units.len() as f64, block.valid() as f64);
        let age = (self.shared.changes.get() - block.changed_at) as f64;
        if valid == 0.0 { f64::INFINITY } else { age * (units - valid) / (2.0 * valid) }
    }

    /// The plane itself where it has an erased block, otherwise the one of its domain with most.
    pub fn source(&self, plane: usize) -> Option<usize> {
        let first = plane / self.shape.domain_planes * self.shape.domain_planes;
        let richest = (first..first + self.shape.domain_planes)
            .rev()
            .max_by_key(|&plane| self.free[plane].len())?;
        let source = if self.free[plane].is_empty() { richest } else { plane };
        (!self.free[source].is_empty()).then_some(source)
    }

    pub fn take_free(&mut self, plane: usize, is_cold: bool) -> usize {
        let list = &self.free[plane];
        if self.shape.is_circular && !self.shape.by_wear {
            let from = self.next_block[plane];
            let at = (0..list.len()).min_by_key(|&at| (list[at] < from, list[at])).unwrap_or(0);
            self.next_block[plane] = list[at] + 1;
            return self.free[plane].remove(at);
        }
        let erases = |&at: &usize| self.blocks[list[at]].erases;
        let places = 0..list.len();
        let at = match (self.shape.by_wear, is_cold) {
            (true, true) => places.max_by_key(erases).unwrap_or(0),
            (true, false) => places.min_by_key(erases).unwrap_or(0),
            _ => 0,
        };
        self.free[plane].remove(at)
    }
}
