//! Garbage collection: a victim is chosen, its valid units are moved, it is erased.

use super::Ftl;
use super::Io;
use super::origin::{Origin, Room};
use super::read::Sake;
use super::target::{Target, Unplaced};
use crate::engine::{Cause, Scheduler};
use crate::ids::{BlockId, DomainId, Id, Ids, PlaneId, PointId, ScopeId, StreamId, Unit};
use crate::nand::BlockState;
use crate::policy::gc::Candidates;
use crate::policy::wear::Bet;
use crate::schema::{GcConfig, GcMode};
use crate::technique::{Hooks, Observer, Placement, Routing};
use crate::util::{NONE, prefetch};

/// Units ahead of which the map's entry is asked for.
const AHEAD: u32 = 16;

/// Free blocks of a domain at which something happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// A host write that needs a block waits for GC at or below this.
    pub host: u32,
    /// Idle time is used at or below this.
    pub idle: u32,
    /// GC itself needs this many.
    pub inner: u32,
    /// True when GC goes page by page in idle time.
    pub preemptible: bool,
    /// At or below this GC goes in step with what the host writes; 0: never.
    pub pace: u32,
}

impl Limits {
    /// The limits of `config` for a domain of `blocks` blocks that holds `reserve` back.
    pub fn new(config: &GcConfig, blocks: u32, reserve: u32, inner: u32) -> Self {
        let share = |share: f64| (share * f64::from(blocks)).floor() as u32;
        let (host, idle) = match config.mode {
            GcMode::Background => (reserve, share(config.background_threshold).max(reserve + 1)),
            GcMode::Preemptible => {
                (share(config.hard_threshold).max(inner), reserve.max(inner + 1))
            }
            // It begins a block earlier than the host would wait for it.
            GcMode::Paced => (reserve - 1, 0),
            GcMode::Foreground => (reserve, 0),
        };
        let preemptible = config.mode == GcMode::Preemptible;
        let pace = if config.mode == GcMode::Paced { reserve } else { 0 };
        Self { host, idle, inner, preemptible, pace }
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;
    use crate::schema::{GcConfig, GcMode};

    #[test]
    fn background_gc_begins_before_the_host_must_wait() {
        let limits = |background_threshold| {
            let config =
                GcConfig { mode: GcMode::Background, background_threshold, ..GcConfig::default() };
            let Limits { host, idle, .. } = Limits::new(&config, 100, 5, 1);
            (host, idle)
        };
        assert_eq!(limits(0.2), (5, 20));
        assert_eq!([limits(0.06), limits(0.05), limits(0.0)], [(5, 6); 3]);
    }
}

/// A victim whose units are being moved.
#[derive(Debug)]
pub(super) struct Job<J> {
    pub victim: BlockId,
    pub cause: Cause,
    /// Units before this place have been moved.
    from: u32,
    /// The page that was read last, and when that read is over.
    page: u32,
    page_read: J,
    moved: u32,
    /// Valid units when it was chosen.
    valid: u32,
    /// Where GC is paced: what the host's writes ask of it, in units for each `gain` of which one is moved.
    asked: u32,
    home: Home,
}

/// What is the same for all units of a victim.
#[derive(Debug, Clone, Copy)]
struct Home {
    group: usize,
    first_unit: Unit,
    plane: PlaneId,
    scope: ScopeId,
    /// The stream of what it holds of the host.
    stream: StreamId,
    /// True where its units may be copied within the plane, unless the program forbids it.
    copy_back: bool,
}

impl<J> Job<J> {
    /// The same with its units going to another scope.
    pub fn to(mut self, scope: ScopeId) -> Self {
        self.home.scope = scope;
        self
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Reclaims one block of a domain (the erase may still be held back, to go together with
    /// others of its die); false when nothing can be gained.
    pub(super) fn reclaim(&mut self, io: &mut Io<S>, domain: DomainId, room: Room) -> bool {
        let job = match self.jobs[domain].take() {
            Some(job) => job,
            None => match self.choose(domain) {
                Some(victim) => {
                    if T::IN_USE {
                        self.make_room_beyond(io, victim, room);
                    }
                    self.start_job(io, victim, Cause::Gc)
                }
                None => return false,
            },
        };
        let before = self.watched_room(domain);
        let done = self.finish_job(io, job);
        let gained = self.gained_since(domain, before);
        self.rewrite_stale(io, room);
        done && gained
    }

    /// Reclaims blocks of the domains to which a victim's data goes, while they are low.
    #[cold]
    fn make_room_beyond(&mut self, io: &mut Io<S>, victim: BlockId, room: Room) {
        for domain in self.technique.routing().leaves_for(&self.state, victim) {
            debug_assert_ne!(domain, self.state.domain_of_block(victim), "it would never end");
            while self.is_low(domain, self.host_limit(domain)) && self.reclaim(io, domain, room) {}
        }
    }

    /// GC in step with the host, which is about to write a unit. A victim with `valid` units gains what it has
    /// besides, so that for each unit of the host `valid` for so many gained must be moved.
    pub(super) fn collect_in_step(&mut self, io: &mut Io<S>, domain: DomainId) {
        let mut job = match self.jobs[domain].take() {
            Some(job) => job,
            None if !self.is_low(domain, self.limits[domain].pace + self.set_aside_in(domain)) => {
                return;
            }
            None => match self.choose(domain) {
                Some(victim) => self.start_job(io, victim, Cause::Gc),
                None => return,
            },
        };
        let units = self.units_at_most(domain, self.state.units_per_block_in(domain));
        let gain = units.saturating_sub(job.valid).max(1);
        job.asked += job.valid;
        let mut more = self.state.blocks[job.victim].valid > 0;
        while more && job.asked >= gain {
            more = self.move_next(io, &mut job);
            job.asked -= gain;
        }
        // A victim that took the last blocks GC needs is not left half done.
        if more && self.state.free_in[domain] >= self.limits[domain].inner {
            self.jobs[domain] = Some(job);
            return;
        }
        self.finish_job(io, job);
        self.erase_together(io);
        self.rewrite_translations(io);
    }

    /// The room of a domain, where a technique may fill blocks in part, or word lines are filled up before an
    /// erase: victims may then cost more than they seem to, and GC could go in circles.
    fn watched_room(&self, domain: DomainId) -> Option<u64> {
        let places =
            self.technique.places(self.group_of_domain(domain)) || self.safeguard.is_some();
        let lanes = self.state.layout.of_domain(domain).lanes;
        (places && lanes == 1).then(|| self.state.room_in(domain))
    }

    /// False once as many victims as a domain has blocks, one after the other, have gained nothing.
    fn gained_since(&mut self, domain: DomainId, room: Option<u64>) -> bool {
        let Some(room) = room else { return true };
        let blocks = self.state.blocks_of_domain(domain).count();
        self.fruitless = match self.state.room_in(domain) > room {
            true => 0,
            false => self.fruitless.saturating_add(1),
        };
        self.fruitless < blocks
    }

    /// The next victim; `None` when no block would free any space, or GC has no room to move it.
    /// Blocks that a technique keeps for itself are asked for last.
    pub(super) fn choose(&mut self, domain: DomainId) -> Option<BlockId> {
        loop {
            if let Some(victim) = self.choose_candidate(domain) {
                return Some(victim);
            }
            let group = self.group_of_domain(domain);
            let block = self.technique.placement_mut(group).surrender(&self.state, domain)?;
            self.make_candidate(block);
        }
    }

    fn choose_candidate(&mut self, domain: DomainId) -> Option<BlockId> {
        let group = self.group_of_domain(domain);
        let state = &mut self.state;
        let units_per_block = state.units_per_block_in(domain);
        let victim = self.victim_policy.select(
            domain,
            &mut Candidates {
                victims: &mut state.victims,
                blocks: &state.blocks,
                units_per_block,
                rng: &mut self.victim_rng,
            },
        )?;
        let gains_nothing = self.technique.victims(group).victim_cost(&self.state, victim)
            >= self.units_at_most(domain, units_per_block);
        if gains_nothing && !self.something_to_gain(domain) {
            return None;
        }
        self.has_room_for(victim, self.stream_from(victim)).then_some(victim)
    }

    /// Units of data that a block of a domain can hold, of those that it has.
    fn units_at_most(&self, domain: DomainId, units_per_block: u32) -> u32 {
        match T::IN_USE && self.state.superblocks.is_some() {
            true => self.state.layout.of_domain(domain).usable_units,
            false => units_per_block,
        }
    }

    /// True when reclaiming some full block of the domain gains space. Where planes work together, of
    /// any of them: a victim's units are spread over all, so that even a block without invalid data
    /// gives its own plane room.
    fn something_to_gain(&self, domain: DomainId) -> bool {
        let state = &self.state;
        let planes = state.layout.planes_of_domain(domain);
        let planes = match state.layout.of_domain(domain).lanes {
            1 => planes,
            _ => state.layout.planes_of_scope(state.layout.scope_of(planes.first())),
        };
        let units = self.units_at_most(domain, state.units_per_block_in(domain));
        let victims = self.technique.victims(self.group_of_domain(domain));
        state
            .blocks_of_planes(planes)
            .iter()
            .any(|block| state.is_candidate(block) && victims.victim_cost(state, block) < units)
    }

    /// True when the units of a victim can be moved to a stream before anything is erased.
    pub(super) fn has_room_for(&self, victim: BlockId, stream: StreamId) -> bool {
        let state = &self.state;
        let layout = &state.layout;
        let plane = state.geometry.plane_of(victim);
        let scope = layout.scope_of(plane);
        let point = state.point_of(scope, stream);
        let planes = match layout.of_scope(scope).lanes {
            1 => Ids::new(plane, 1),
            _ => layout.planes_of_scope(scope),
        };
        state.points[point].room() >= state.blocks[victim].valid
            || planes.iter().all(|plane| state.free_in[layout.domain_of(plane)] > 0)
    }

    /// Takes a block that is to be reclaimed out of the index.
    pub(super) fn start_job(
        &mut self,
        io: &mut Io<S>,
        victim: BlockId,
        cause: Cause,
    ) -> Job<S::Join> {
        let state = &mut self.state;
        let domain = state.domain_of_block(victim);
        if state.is_candidate(victim) {
            state.victims.remove(&mut state.blocks, domain, victim);
        }
        state.pass(victim, BlockState::Victim);
        let group = self.group_of_block(victim);
        for layer in self.technique.observers_of_mut(group) {
            layer.chosen(&self.state, victim, cause);
        }
        if T::IN_USE {
            self.read_notes(io, victim, cause);
        }
        let (home, valid) = (self.home_of(victim, cause), self.state.blocks[victim].valid);
        let (page, page_read) = (NONE, S::Join::default());
        Job { victim, cause, from: 0, page, page_read, moved: 0, valid, asked: 0, home }
    }

    fn home_of(&self, victim: BlockId, cause: Cause) -> Home {
        let (geometry, layout) = (&self.state.geometry, &self.state.layout);
        let (group, plane) = (geometry.group_of(victim), geometry.plane_of(victim));
        let stream = match cause {
            Cause::Wear => layout.wear_stream,
            _ => self.stream_from(victim),
        };
        Home {
            group,
            first_unit: geometry.first_unit(victim),
            plane,
            scope: layout.scope_of(plane),
            stream,
            copy_back: layout.fillings[group].copy_back
                && geometry.groups[group].units_per_page <= 1,
        }
    }

    /// Moves what is left of a victim and erases it; cold blocks may then be moved, to level wear.
    pub(super) fn finish_job(&mut self, io: &mut Io<S>, job: Job<S::Join>) -> bool {
        let (victim, cause) = (job.victim, job.cause);
        let is_over = self.empty(io, job);
        if is_over && cause == Cause::Gc {
            self.level_wear(io, self.state.domain_of_block(victim));
        }
        is_over
    }

    /// Ends what GC has begun.
    pub(super) fn finish_jobs(&mut self, io: &mut Io<S>) {
        for domain in self.jobs.ids() {
            if let Some(job) = self.jobs[domain].take() {
                self.finish_job(io, job);
                self.erase_together(io);
            }
        }
    }

    /// Moves what is left of a victim and erases it, and no other block.
    pub(super) fn empty(&mut self, io: &mut Io<S>, mut job: Job<S::Join>) -> bool {
        while self.move_next(io, &mut job) {}
        if self.state.blocks[job.victim].valid > 0 {
            // There is no room for the rest: the block stays as it is.
            self.fill(job.victim);
            return false;
        }
        if job.cause == Cause::Gc {
            io.counters.gc_count += 1;
            io.counters.gc_with_migration += u64::from(job.moved > 0);
            io.counters.gc_moved += u64::from(job.moved);
        }
        self.to_erase.push((job.victim, job.cause));
        let domain = self.state.domain_of_block(job.victim);
        if self.state.layout.of_domain(domain).lanes == 1 {
            self.erase_together(io);
        }
        true
    }

    /// Moves the next valid unit of a victim; false when there is none, or no room for it.
    #[inline]
    pub(super) fn move_next(&mut self, io: &mut Io<S>, job: &mut Job<S::Join>) -> bool {
        let Some(place) = self.state.valid.next(job.victim, job.from) else { return false };
        job.from = place + 1;
        let home = job.home;
        let unit = home.first_unit.plus(place);
        let lpn = self.state.reverse[unit];
        if let Some(&ahead) = self.state.reverse.get(unit.plus(AHEAD)) {
            prefetch(self.state.map.as_slice(), ahead.index());
        }
        let stream = match self.state.is_of_host(lpn) {
            true => home.stream,
            false => self.state.layout.map_stream,
        };
        let (scope, cause, room) = (home.scope, job.cause, Room::HeldBack);
        let moved = Unplaced { lpn, cause, stream, scope, old: unit, room, request: None };
        let Some(target) = self.target_of(io, &moved) else { return false };
        let point = match target {
            Target::Point(point, _) => Some(point),
            Target::Over(_) => None,
        };
        let copies = point.is_some_and(|point| self.copies_within_plane(point, home));
        self.read_victim(io, job, unit, place, copies);
        let register_plane = copies.then_some(home.plane);
        let controller = Origin::controller(&job.page_read);
        let origin = Origin { register_plane, old: Some(unit), room, ..controller };
        match target {
            Target::Point(point, _) => self.put(io, point, lpn, job.cause, &origin),
            Target::Over(over) if self.overwrite(io, &over, &moved, &origin) => {}
            Target::Over(_) => return false,
        }
        job.moved += 1;
        self.note_move(lpn);
        if let Target::Point(point, ends) = target {
            self.take_along(io, point, lpn, job.cause);
            self.end_early(io, point, ends.after);
        }
        true
    }

    /// The stream of host data that is moved out of `victim`: with shared frontiers its own, so that
    /// data stays with its like.
    #[inline]
    fn stream_from(&self, victim: BlockId) -> StreamId {
        let layout = &self.state.layout;
        if layout.gathers { layout.gc_stream } else { self.state.blocks[victim].stream() }
    }

    /// True when a unit of a victim can be copied to the write point without leaving its plane.
    #[inline]
    fn copies_within_plane(&self, point: PointId, home: Home) -> bool {
        let point = &self.state.points[point];
        home.copy_back
            && point.program_units() <= 1
            && self.state.geometry.plane_of(point.first_lane().block) == home.plane
    }

    /// Reads the page of a unit unless the unit before it came from the same page.
    #[inline]
    fn read_victim(
        &mut self,
        io: &mut Io<S>,
        job: &mut Job<S::Join>,
        unit: Unit,
        place: u32,
        copies: bool,
    ) {
        let group = &self.state.geometry.groups[job.home.group];
        let page = group.page_of(place);
        if page == job.page {
            return;
        }
        job.page = page;
        if !self.is_read_looked_at() {
            io.counters.reads[job.cause as usize] += u64::from(group.pages_per_unit);
            return;
        }
        // Copy-back: the data stays in the register.
        let units = if copies { 0 } else { group.units_per_page };
        let stamp = self.read_page(io, unit, units, Sake::of(job.cause));
        job.page_read = S::Join::default();
        io.sched.join(&mut job.page_read, stamp);
    }

    /// Static wear levelling: the block that has been spared the longest is moved, so that it takes
    /// its share.
    pub(super) fn level_wear(&mut self, io: &mut Io<S>, domain: DomainId) {
        if self.wear.tables.is_some() {
            return self.level_by_table(io, domain);
        }
        let Some(threshold) = self.wear.threshold_pec else { return };
        self.wear.countdown = self.wear.countdown.saturating_sub(1);
        if self.wear.countdown > 0 {
            return;
        }
        self.wear.countdown = self.wear.period;
        let state = &self.state;
        let blocks = state.blocks_of_domain(domain);
        let erases = |block: &BlockId| state.blocks[*block].erases;
        let alive = |block: &BlockId| state.blocks[*block].state != BlockState::Bad;
        let most = blocks.iter().filter(alive).map(|block| erases(&block)).max().unwrap_or(0);
        let is_full = |block: &BlockId| state.is_candidate(*block);
        let Some(coldest) = blocks.iter().filter(is_full).min_by_key(erases) else { return };
        let stream = state.layout.wear_stream;
        if most - erases(&coldest) > threshold && self.has_room_for(coldest, stream) {
            self.erase_together(io);
            let job = self.start_job(io, coldest, Cause::Wear);
            self.finish_job(io, job);
        }
    }

    /// Moves what blocks hold that the table of a domain knows to have been spared.
    #[cold]
    fn level_by_table(&mut self, io: &mut Io<S>, domain: DomainId) {
        let table = self.wear.tables.as_mut().map(|tables| &mut tables[domain]);
        let Some(places) = table.and_then(Bet::spared) else { return };
        let blocks = self.state.blocks_of_domain(domain);
        for block in places.map(|place| blocks.at(place)) {
            if self.state.is_candidate(block)
                && self.has_room_for(block, self.state.layout.wear_stream)
            {
                self.erase_together(io);
                let job = self.start_job(io, block, Cause::Wear);
                self.finish_job(io, job);
            }
        }
    }
}
