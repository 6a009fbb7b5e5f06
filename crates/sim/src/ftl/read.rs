//! Reading: units of one page are read together, pages of one row in several planes too where the
//! chip can.

use super::origin::{ReadOrigin, hurried};
use super::{Backend, Ftl, Io, Media};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::ids::{BlockId, DieId, Lpn, Unit};
use crate::nand::command::{Cause, Read, RequestId, Sensing};
use crate::nand::{BlockState, Located, Span, Superblocks};
use crate::technique::{Hooks, Observer, PageRead};

/// Pages that can be sensed together: same die, same page, one per plane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    unit: Unit,
    units: u32,
    die: DieId,
    /// Its page and block in the flash.
    page: u32,
    block: BlockId,
    /// A unit in the page of each further plane; the first `planes - 1` of them.
    others: [Unit; PLANES_MAX - 1],
    planes: usize,
}

impl Group {
    fn others(&self) -> &[Unit] {
        &self.others[..self.planes - 1]
    }
}

/// A read about to be issued.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub at: Located,
    /// Units in the pages of further planes that are sensed along with it.
    pub others: &'a [Unit],
    /// Units that cross the channel.
    pub units: u32,
    pub sake: ReadOrigin,
}

/// Pages of a plane that are programmed together, of as many bits as a cell can hold.
const PAGES_OF_PROGRAM: usize = 4;

/// Planes that are read together at most.
const PLANES_MAX: usize = 8;

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Reads units for the host; a part of `waiter` ends with each flash read.
    pub fn read_host(&mut self, io: &mut Io<S>, lpns: &[Lpn], waiter: RequestId) {
        if lpns.len() > 1 || self.mapper.cache.is_some() || self.settings.collects_at_access {
            return self.read_several(io, lpns, waiter);
        }
        let at_once = S::Join::default();
        let unit =
            (0..lpns.len()).find_map(|index| self.mapped_unit(io, lpns, index, waiter, &at_once));
        let at = unit.map(|unit| self.state.geometry.located(unit));
        if let Some(at) = at.filter(|at| self.is_in_cells(io, at)) {
            let wanted = Wanted { at, others: &[], units: 1, sake: ReadOrigin::of(Cause::Host) };
            self.read_wanted(io, &wanted, waiter, &at_once);
        }
    }

    /// Reads units for the host some of which may be sensed together.
    fn read_several(&mut self, io: &mut Io<S>, lpns: &[Lpn], waiter: RequestId) {
        let (mut groups, at_once) =
            (std::mem::take(&mut self.reader.groups), self.groups_at_once());
        for (index, &lpn) in lpns.iter().enumerate() {
            let mut after = S::Join::default();
            if self.mapper.cache.is_some() {
                self.look_up(io, lpn, false, &mut after);
            }
            let Some(mut unit) = self.mapped_unit(io, lpns, index, waiter, &after) else {
                continue;
            };
            if self.settings.collects_at_access {
                // GC may move what the group holds, and the unit itself.
                self.read_groups(io, &mut groups, 0, waiter, &S::Join::default());
                let scope = self.state.scope_of_unit(unit);
                hurried(self, io, |ftl, io| ftl.collect_before_access(io, scope));
                unit = self.state.unit_of(lpn);
            }
            let at = self.state.geometry.located(unit);
            if !self.is_in_cells(io, &at) {
                continue;
            }
            if groups.iter_mut().rev().any(|open| self.joins(open, unit)) {
                continue;
            }
            groups.push(self.group_of(unit));
            match self.mapper.cache {
                Some(_) => self.read_groups(io, &mut groups, 0, waiter, &after),
                None => self.read_groups(io, &mut groups, at_once, waiter, &S::Join::default()),
            }
        }
        self.read_groups(io, &mut groups, 0, waiter, &S::Join::default());
        self.reader.groups = groups;
    }
}

impl<T: Hooks> Backend<T> {
    /// Pages of a plane which further units may join: where a program covers several planes, each plane has a word line
    /// of it.
    #[inline]
    fn groups_at_once(&self) -> usize {
        match T::IN_USE && self.state.superblocks.as_ref().is_some_and(Superblocks::cover_planes) {
            true => PAGES_OF_PROGRAM,
            false => 1,
        }
    }

    /// The unit that holds what is read, if that can be read at all.
    #[inline]
    fn mapped_unit<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        lpns: &[Lpn],
        index: usize,
        waiter: RequestId,
        after: &S::Join,
    ) -> Option<Unit> {
        let unit = self.state.unit_of(lpns[index]);
        if unit.is_none() {
            if !self.miss(lpns[index]) {
                self.read_unmapped(io, lpns, index, waiter, after);
            }
            return None;
        }
        (!self.is_torn(lpns[index])).then_some(unit)
    }

    fn group_of(&self, unit: Unit) -> Group {
        let (die, Span { page, block, .. }) = self.in_flash(unit);
        let others = [Unit::NONE; PLANES_MAX - 1];
        Group { unit, units: 1, die, page, block, others, planes: 1 }
    }

    /// The die of a unit, and its pages in the flash.
    #[inline]
    fn in_flash(&self, unit: Unit) -> (DieId, Span) {
        let geometry = &self.state.geometry;
        let (block, place) = geometry.locate(unit);
        let group = geometry.of(block);
        let span = Span { block, page: group.page_of(place), pages: group.pages_per_unit };
        if T::IN_USE {
            return self.state.locate_in_flash(span);
        }
        (geometry.die_of_block(block), span)
    }

    /// Adds a unit to a group when it can be sensed with it.
    fn joins(&self, group: &mut Group, unit: Unit) -> bool {
        let other = self.group_of(unit);
        if (other.die, other.page) != (group.die, group.page) {
            return false;
        }
        let flash = if T::IN_USE { self.state.flash() } else { &self.state.geometry };
        let mut blocks = group.others().iter().map(|&unit| self.in_flash(unit).1.block);
        if other.block != group.block && !blocks.clone().any(|block| block == other.block) {
            let plane = flash.plane_of(other.block);
            let is_taken = |block: BlockId| flash.plane_of(block) == plane;
            let filling = &self.state.layout.fillings[flash.group_of(other.block)];
            if group.planes >= filling.sensed_planes.min(PLANES_MAX)
                || is_taken(group.block)
                || blocks.any(is_taken)
            {
                return false;
            }
            group.others[group.planes - 1] = unit;
            group.planes += 1;
        }
        group.units += 1;
        true
    }

    /// Reads the first of some groups for the host, until no more than `stay` are left.
    fn read_groups<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        groups: &mut Vec<Group>,
        stay: usize,
        waiter: RequestId,
        after: &S::Join,
    ) {
        let count = groups.len().saturating_sub(stay);
        for group in groups.drain(..count) {
            let (at, units) = (self.state.geometry.located(group.unit), group.units);
            let wanted =
                Wanted { at, others: group.others(), units, sake: ReadOrigin::of(Cause::Host) };
            self.read_wanted(io, &wanted, waiter, after);
        }
    }

    /// Reads pages for the host, of whose request this is a part.
    #[inline(always)]
    fn read_wanted<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        wanted: &Wanted<'_>,
        waiter: RequestId,
        after: &S::Join,
    ) {
        if S::TIMED {
            io.requests.add_part(waiter);
        }
        self.read(io, wanted, after, &[waiter]);
    }

    /// Reads the whole pages of units, each once, those that can be sensed together with one command; says for each
    /// unit when it is read. What is still in the controller need not be.
    pub(super) fn read_pages<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        units: &[Unit],
        cause: Cause,
    ) -> Vec<S::Join> {
        let mut groups: Vec<Group> = Vec::new();
        let mut group_with = |unit: &Unit| {
            if is_in_merge_buffer(&self.state, *unit) {
                return None;
            }
            let from = groups.len().saturating_sub(self.groups_at_once());
            let joined = (from..groups.len()).rev().find(|&at| self.joins(&mut groups[at], *unit));
            joined.or_else(|| {
                groups.push(self.group_of(*unit));
                Some(groups.len() - 1)
            })
        };
        let of_units: Vec<Option<usize>> = units.iter().map(&mut group_with).collect();
        let mut read = |group: &Group| {
            let at = self.state.geometry.located(group.unit);
            let pages = group.planes as u32;
            let units = pages * self.state.geometry.of(at.block).units_per_page;
            let wanted = Wanted { at, others: group.others(), units, sake: ReadOrigin::of(cause) };
            self.read(io, &wanted, &S::Join::default(), &[])
        };
        let stamps: Vec<S::Stamp> = groups.iter().map(&mut read).collect();
        let joined = |of_unit: Option<usize>| {
            let mut join = S::Join::default();
            of_unit.into_iter().for_each(|at| io.sched.join(&mut join, stamps[at]));
            join
        };
        of_units.into_iter().map(joined).collect()
    }

    /// Reads the page of a unit, of which `units` units cross the channel.
    #[inline(always)]
    pub(super) fn read_page<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        at: Located,
        units: u32,
        sake: ReadOrigin,
    ) -> S::Stamp {
        match self.is_looked_at::<S>() {
            true => self.sense_page(io, at, units, sake),
            false => count_read(&self.state, io, at.block, sake),
        }
    }

    #[inline(always)]
    fn read<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        wanted: &Wanted<'_>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        let &Wanted { at, others, sake, .. } = wanted;
        match self.is_looked_at::<S>() || !others.is_empty() {
            true => self.sense(io, wanted, after, waiters),
            false => count_read(&self.state, io, at.block, sake),
        }
    }

    /// Reads the page of a unit where somebody looks at it.
    #[inline(never)]
    fn sense_page<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        at: Located,
        units: u32,
        sake: ReadOrigin,
    ) -> S::Stamp {
        let wanted = Wanted { at, others: &[], units, sake };
        self.sense(io, &wanted, &S::Join::default(), &[])
    }

    /// Reads the pages of a unit, and of others that are sensed with it.
    #[inline(always)]
    fn sense<S: Scheduler>(
        &mut self,
        io: &mut Io<S>,
        wanted: &Wanted<'_>,
        after: &S::Join,
        waiters: &[RequestId],
    ) -> S::Stamp {
        if self.reader.model.is_some() || T::IN_USE && self.reader.times.decodes() {
            return self.read_with_errors(io, wanted, after, waiters);
        }
        let &Wanted { ref at, others, units, sake } = wanted;
        let (span, PageRead { plan, .. }) = self.sensing_of(at);
        if !others.is_empty() || T::IN_USE && plan.along.is_some() {
            return self.read_together(io, wanted, after, waiters);
        }
        let ReadOrigin { accounted_to: cause, priority: rank } = sake;
        let (sensing, others, other_sensings) = (Sensing::of(&plan), &[], &[]);
        let read = Read { span, sensing, others, other_sensings, units, cause, rank };
        self.issue(io, read, after, waiters)
    }

    /// Reads the rest of a unit that a request covers only in part.
    pub fn read_before_write<S: Scheduler>(&mut self, io: &mut Io<S>, lpn: Lpn) -> S::Join {
        let mut after = S::Join::default();
        let unit = self.state.unit_of(lpn);
        if unit.is_none() {
            self.miss(lpn);
            self.keep_lost(lpn);
        } else if !is_in_merge_buffer(&self.state, unit) {
            let at = self.state.geometry.located(unit);
            let stamp = self.read_page(io, at, 1, ReadOrigin::of(Cause::Host));
            io.sched.join(&mut after, stamp);
        }
        after
    }
}

impl<T: Hooks> Media<T> {
    /// A unit is read: false where its data is still in the controller.
    #[inline]
    fn is_in_cells<S: Scheduler>(&mut self, io: &Io<S>, at: &Located) -> bool {
        let group = self.group_of_block(at.block);
        for layer in self.technique.observers_of_mut(group) {
            layer.read(&self.state, at, io.sched.now_ns());
        }
        !waits_in_merge_buffer(&self.state, at.block, at.place)
    }

    /// False where a command on one page need only be counted.
    #[inline(always)]
    pub(super) fn is_looked_at<S: Scheduler>(&self) -> bool {
        S::TIMED || T::IS_WATCHED || self.settings.watches_pages
    }
}

/// True for data that is acknowledged or waiting but whose program has not been started.
#[inline]
pub(super) fn is_in_merge_buffer(state: &DriveState, unit: Unit) -> bool {
    let (block, place) = state.geometry.locate(unit);
    waits_in_merge_buffer(state, block, place)
}

#[inline]
fn waits_in_merge_buffer(state: &DriveState, block: BlockId, place: u32) -> bool {
    let entry = &state.blocks[block];
    entry.state == BlockState::Open && state.points[entry.point()].is_pending(place)
}

/// A read that need only be counted.
#[inline(always)]
fn count_read<S: Scheduler>(
    state: &DriveState,
    io: &mut Io<S>,
    block: BlockId,
    sake: ReadOrigin,
) -> S::Stamp {
    let pages = state.geometry.of(block).pages_per_unit;
    io.counters.reads[sake.accounted_to as usize] += u64::from(pages);
    S::Stamp::default()
}

/// The pages of a unit.
#[inline]
pub(super) fn unit_span(state: &DriveState, unit: Unit) -> Span {
    let (block, place) = state.geometry.locate(unit);
    let group = state.geometry.of(block);
    Span { block, page: group.page_of(place), pages: group.pages_per_unit }
}
