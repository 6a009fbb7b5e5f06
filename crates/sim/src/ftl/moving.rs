//! What is valid in a block that is to be erased is moved.

use super::handles::note_reclaimed;
use super::origin::{Origin, ReadOrigin, Room};
use super::target::{Target, Unplaced};
use super::{Allocator, Backend, Ftl, Io};
use crate::drive::{DriveState, Walk};
use crate::engine::Scheduler;
use crate::flash::taping::tell_of;
use crate::ids::{BlockId, Ids, PlaneId, PointId, ScopeId, StreamId, Unit};
use crate::nand::command::Cause;
use crate::nand::{BlockState, Located};
use crate::technique::{Hooks, Observer, Unwritten};
use crate::util::NONE;
use std::ops::Range;

/// Valid units ahead of which the map's entry is asked for.
const AHEAD: u32 = 12;

/// A victim whose units are being moved.
#[derive(Debug)]
pub(super) struct Job<J> {
    pub victim: BlockId,
    pub cause: Cause,
    /// Units before this place have been moved.
    pub from: u32,
    /// Over the valid units for whose entries of the map the cache is asked.
    ahead: Walk,
    /// The page that was read last, and when that read is over.
    page: u32,
    pub page_read: J,
    /// Pages that were read with it, and when that is over.
    row: Vec<(u32, J)>,
    pub moved: u32,
    /// Valid units when it was chosen.
    pub valid: u32,
    /// Where GC is paced: what the host's writes ask of it, in units for each `gain` of which one is moved.
    pub asked: u32,
    /// Room that it has gained, in units, where its domain's is watched: its moves alone, for between them the host
    /// writes.
    pub gained: i64,
    pub home: Home,
}

/// What is the same for all units of a victim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Home {
    group: usize,
    pub first_unit: Unit,
    plane: PlaneId,
    pub scope: ScopeId,
    /// The stream of what it holds of the host.
    pub stream: StreamId,
    /// Whether its units may be copied within the plane, unless the program forbids it.
    pub copy_back: bool,
}

impl<J> Job<J> {
    /// Sends its units to another scope.
    pub fn to(mut self, scope: ScopeId) -> Self {
        self.home.scope = scope;
        self
    }
}

impl<T: Hooks> Backend<T> {
    /// Takes a block that is to be reclaimed out of the index.
    pub(super) fn start_job<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        victim: BlockId,
        cause: Cause,
    ) -> Job<S::Join> {
        let media = &mut self.media;
        let state = &mut media.state;
        state.ask_for_units_of(victim);
        if T::IN_USE
            && let Some(chips) = &media.door.chips
        {
            chips.prefetch_block(victim);
        }
        let domain = state.domain_of_block(victim);
        if state.is_candidate(victim) {
            state.victims.remove(&mut state.blocks, domain, victim);
        }
        state.pass(victim, BlockState::Victim);
        tell_of(&mut media.door.tape, &media.state, victim, false);
        let group = media.group_of_block(victim);
        for layer in media.technique.observers_of_mut(group) {
            layer.chosen(&media.state, victim, cause);
        }
        if T::IN_USE {
            self.read_notes(io, victim, cause);
        }
        let (home, valid) = (home_of(&self.state, victim, cause), self.state.blocks[victim].valid);
        let mut job = Job {
            victim,
            cause,
            from: 0,
            ahead: Walk::default(),
            page: NONE,
            page_read: S::Join::default(),
            row: Vec::new(),
            moved: 0,
            valid,
            asked: 0,
            gained: 0,
            home,
        };
        (0..AHEAD).for_each(|_| ask_ahead(&self.state, &mut job));
        job
    }

    /// Reads the page of a unit unless the unit before it came from the same page.
    #[inline(always)]
    pub(super) fn read_victim<S: Scheduler>(
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
        if !self.is_looked_at::<S>() {
            io.counters.reads[job.cause as usize] += u64::from(group.pages_per_unit);
            return;
        }
        if T::IN_USE
            && let Some(superblocks) = self.state.superblocks.as_ref()
            && superblocks.covers_planes(job.victim)
        {
            let pages = superblocks.program_with(job.victim, page);
            return self.read_program(io, job, pages);
        }
        // Copy-back: the data stays in the register.
        let units = if copies { 0 } else { group.units_per_page };
        let at = Located { unit, block: job.victim, place };
        let stamp = self.read_page(io, at, units, ReadOrigin::of(job.cause));
        job.page_read = S::Join::default();
        io.sched.join(&mut job.page_read, stamp);
    }

    /// Reads the valid pages of a program of several planes, which are sensed together, as its first one is needed.
    #[inline(never)]
    fn read_program<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        job: &mut Job<S::Join>,
        pages: Range<u32>,
    ) {
        if !job.row.iter().any(|&(page, _)| page == job.page) {
            let group = &self.state.geometry.groups[job.home.group];
            let (mut numbers, mut units): (Vec<u32>, Vec<Unit>) = (Vec::new(), Vec::new());
            let mut from = job.from - 1;
            while let Some(place) = self.state.valid.next(job.victim, from)
                && pages.contains(&group.page_of(place))
            {
                let page = group.page_of(place);
                if numbers.last() != Some(&page) {
                    numbers.push(page);
                    units.push(job.home.first_unit.plus(place));
                }
                from = place + 1;
            }
            let reads = self.read_pages(io, &units, job.cause);
            job.row = numbers.into_iter().zip(reads).collect();
        }
        let read = job.row.iter_mut().find(|(page, _)| *page == job.page);
        job.page_read = read.map(|(_, read)| std::mem::take(read)).unwrap_or_default();
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Moves what is left of a victim and erases it; cold blocks may then be moved, to level wear.
    pub(super) fn finish_job(&mut self, io: &mut Io<S>, job: Job<S::Join>) -> bool {
        let (victim, cause) = (job.victim, job.cause);
        let is_over = self.empty(io, job);
        if is_over && cause == Cause::Gc {
            self.level_wear(io, self.state.domain_of_block(victim));
        }
        is_over
    }

    /// Moves what is left of a victim and erases it, and no other block.
    pub(super) fn empty(&mut self, io: &mut Io<S>, mut job: Job<S::Join>) -> bool {
        while self.move_stretch(io, &mut job) || self.move_next(io, &mut job) {}
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
        if T::IN_USE {
            note_reclaimed(&self.state, io, (job.victim, job.moved), job.home.stream);
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
        let lpn = self.state.lpn_of(unit);
        ask_ahead(&self.state, job);
        let stream = match self.state.is_of_host(lpn) {
            true => home.stream,
            false => self.state.layout.map_stream,
        };
        let (scope, cause, room) = (home.scope, job.cause, Room::HeldBack);
        let moved = || {
            let unit = Unwritten { lpn, cause, stream, scope, old: unit, request: None };
            Unplaced { unit, room }
        };
        let settled = self.settled(scope, stream, cause);
        let target = settled.or_else(|| self.target_of(io, &moved()));
        let Some(target) = target else { return false };
        let point = match target {
            Target::Point(point, _) => Some(point),
            Target::Over(_) => None,
        };
        let copies = point.is_some_and(|point| copies_within_plane(&self.state, point, home));
        self.read_victim(io, job, unit, place, copies);
        let register_plane = copies.then_some(home.plane);
        let controller = Origin::controller(&job.page_read);
        let origin = Origin { register_plane, old: Some(unit), room, ..controller };
        match target {
            Target::Point(point, _) => self.put(io, point, lpn, job.cause, &origin),
            Target::Over(over) if self.overwrite(io, &over, &moved(), &origin) => {}
            Target::Over(_) => return false,
        }
        job.moved += 1;
        self.mapper.note_move(&self.writer.state, lpn);
        if let Target::Point(point, ends) = target {
            self.take_along(io, point, lpn, job.cause);
            self.end_early(io, point, ends.after);
        }
        true
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Ends what GC has begun.
    pub(super) fn finish_jobs(&mut self, io: &mut Io<S>) {
        for domain in self.collector.jobs.ids() {
            if let Some(job) = self.collector.jobs[domain].take() {
                self.finish_job(io, job);
                self.erase_together(io);
            }
        }
    }
}

/// True when the units of a victim can be moved to a stream before anything is erased.
pub(super) fn has_room_for(state: &DriveState, victim: BlockId, stream: StreamId) -> bool {
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

fn home_of(state: &DriveState, victim: BlockId, cause: Cause) -> Home {
    let (geometry, layout) = (&state.geometry, &state.layout);
    let (group, plane) = (geometry.group_of(victim), geometry.plane_of(victim));
    let stream = match cause {
        Cause::Wear => layout.wear_stream,
        _ => stream_from(state, victim),
    };
    Home {
        group,
        first_unit: geometry.first_unit(victim),
        plane,
        scope: layout.scope_of(plane),
        stream,
        copy_back: layout.fillings[group].copy_back && geometry.groups[group].units_per_page <= 1,
    }
}

/// Asks the cache for the map's entry of the next valid unit of a victim that has not been asked for.
#[inline(always)]
pub(super) fn ask_ahead<J>(state: &DriveState, job: &mut Job<J>) {
    if let Some(place) = state.valid.step(job.victim, &mut job.ahead) {
        state.map.prefetch(state.lpn_of(job.home.first_unit.plus(place)));
    }
}

/// The stream of host data that is moved out of `victim`: with shared frontiers its own, so that
/// data stays with its like.
#[inline]
pub(super) fn stream_from(state: &DriveState, victim: BlockId) -> StreamId {
    state.layout.moved_to(state.blocks[victim].stream())
}

/// True when a unit of a victim can be copied to the write point without leaving its plane.
#[inline]
fn copies_within_plane(state: &DriveState, point: PointId, home: Home) -> bool {
    let point = &state.points[point];
    home.copy_back
        && point.program_units() <= 1
        && state.geometry.plane_of(point.first_lane().block) == home.plane
}
