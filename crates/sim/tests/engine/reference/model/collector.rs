//! Garbage collection of the reference.

use super::{Model, State};

impl Model {
    /// Moves a victim's units and erases it; false when nothing is gained.
    pub fn reclaim(&mut self, domain: usize) -> bool {
        let Some(victim) = self.victim(domain) else { return false };
        self.blocks[victim].state = State::Victim;
        let point = self.refuge(victim);
        let (mut page, mut moved) = (None, 0);
        for place in 0..self.shape.units_per_block {
            let Some(lpn) = self.blocks[victim].units[place] else { continue };
            if self.room(point) == 0 && !self.open(point) {
                self.become_full(victim);
                return false;
            }
            if page != Some(self.shape.page_of(place)) {
                page = Some(self.shape.page_of(place));
                self.counts.reads_gc += self.shape.pages_per_unit as u64;
            }
            self.put(point, lpn);
            moved += 1;
        }
        self.counts.programs_gc += moved;
        self.counts.gc_moved += moved;
        self.counts.gc_count += 1;
        self.counts.gc_with_migration += u64::from(moved > 0);
        self.to_erase.push(victim);
        if self.shape.lanes == 1 {
            self.erase();
        }
        true
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
    fn victim(&self, domain: usize) -> Option<usize> {
        let blocks = self.shape.domain_planes * self.shape.blocks_per_plane;
        let is_full = |&block: &usize| self.blocks[block].state == State::Full;
        let full: Vec<usize> = (domain * blocks..(domain + 1) * blocks).filter(is_full).collect();
        let victim = self.choose(full.clone())?;
        let units = self.shape.units_per_block;
        if full.iter().all(|&block| self.blocks[block].valid() == units) {
            return None;
        }
        let point = self.refuge(victim);
        let mut lanes = match self.shape.lanes {
            1 => vec![domain],
            _ => self.shape.lane_planes(point / self.shape.streams).collect(),
        }
        .into_iter();
        (self.room(point) >= self.blocks[victim].valid()
            || lanes.all(|domain| self.free_in(domain) > 0))
        .then_some(victim)
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
        match self.shape.policy.as_str() {
            "fifo" => full.first().copied(),
            "windowed_greedy" => {
                full.into_iter().take(self.shape.window).min_by_key(|&block| valid(block))
            }
            "greedy" => {
                full.into_iter().min_by_key(|&block| (valid(block), self.blocks[block].changed_at))
            }
            _ => full.into_iter().min_by(|&one, &other| {
                let order = self.benefit_per_cost(other).total_cmp(&self.benefit_per_cost(one));
                let order = order.then(valid(one).cmp(&valid(other)));
                order.then(self.blocks[one].changed_at.cmp(&self.blocks[other].changed_at))
            }),
        }
    }

    /// age × (1 − u) / 2u, and of blocks without valid data more than any other.
    fn benefit_per_cost(&self, block: usize) -> f64 {
        let block = &self.blocks[block];
        let (units, valid) = (block.units.len() as f64, block.valid() as f64);
        let age = (self.changes - block.changed_at) as f64;
        if valid == 0.0 { f64::INFINITY } else { age * (units - valid) / (2.0 * valid) }
    }
}
