//! Writing a unit, and what that makes of the map.

use super::handles::note_host_write;
use super::origin::{Origin, hurried};
use super::program::Filled;
use super::target::{Target, Unplaced};
use super::{Allocator, Ftl, Io, Media, Writer};
use crate::engine::Scheduler;
use crate::flash::From;
use crate::flash::taping::tell_drop;
use crate::ids::{BlockId, Id, Ids, Lpn, PointId, ScopeId, StreamId, Unit};
use crate::nand::command::{Cause, RequestId};
use crate::nand::{BlockState, Located};
use crate::policy::alloc::Placing;
use crate::policy::hotness::HostWrite;
use crate::technique::{Asked, Hooks, Joined, Observer, Placement, Ready, Unwritten};
use crate::util::prefetch;

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Writes a unit of the host; false when the drive is read-only.
    #[inline]
    pub fn write_host(
        &mut self,
        io: &mut Io<S>,
        write: &HostWrite,
        after: S::Join,
        waiter: Option<RequestId>,
    ) -> bool {
        if self.read_only {
            io.counters.refused_writes += 1;
            return false;
        }
        let mut after = after;
        if T::IN_USE && self.safeguard.is_some() {
            self.keep_up(io);
        }
        if self.mapper.cache.is_some() {
            self.look_up(io, write.lpn, true, &mut after);
        }
        let Writer { eraser, hotness, .. } = &mut self.allocator.writer;
        let stream = match hotness {
            None => StreamId(0),
            Some(hotness) => StreamId(hotness.temperature(&eraser.state, write)),
        };
        let mut scope = self.scope_for(io, write.lpn);
        if self.settings.collects_at_access {
            hurried(self, io, |ftl, io| ftl.collect_before_access(io, scope));
        }
        let Writer { eraser, plane_policy, .. } = &mut self.allocator.writer;
        if let Some(planes) = plane_policy {
            let placing = Placing { write, home: scope, stream, load: &io.sched };
            scope = planes.scope(&eraser.state, &placing);
        }
        self.collect_before_write(io, scope);
        let waiter = waiter.filter(|_| S::TIMED);
        if let Some(id) = waiter {
            io.requests.add_part(id);
        }
        let origin = Origin { waiter, request: Some(write), ..Origin::controller(&after) };
        let written = self.write_unit(io, write.lpn, Cause::Host, stream, scope, &origin)
            || self.write_elsewhere(io, write.lpn, stream, scope, &origin);
        if written {
            io.counters.host_units += 1;
            if T::IN_USE {
                note_host_write(&self.state, io, stream);
            }
        } else {
            io.counters.refused_writes += 1;
            if let Some(id) = waiter {
                io.requests.part_done(id, io.sched.now_ns());
            }
        }
        written
    }

    /// Which of some parts of the host, whose first units these are, waits no longer.
    pub fn first_ready<'a>(
        &mut self,
        io: &'a Io<S>,
        parts: &'a mut dyn Iterator<Item = &'a HostWrite>,
    ) -> Ready {
        let asked = Asked { parts, now_ns: io.sched.now_ns(), load: &io.sched };
        let Media { state, technique, .. } = self.media();
        technique.routing_mut().map_or(Ready::FIRST, |owner| owner.first_ready(state, asked))
    }

    /// The chosen scope has no room left. Where the address does not fix it another one may have; if
    /// none has, the drive is read-only from then on.
    #[cold]
    fn write_elsewhere(
        &mut self,
        io: &mut Io<S>,
        lpn: Lpn,
        stream: StreamId,
        scope: ScopeId,
        origin: &Origin<'_, S::Join>,
    ) -> bool {
        let scopes = match self.state.layout.is_static {
            _ if self.read_only => Ids::all(0),
            true if self.plane_policy.is_some() => self.state.scopes_of_die(scope),
            true => Ids::all(0),
            false => self.state.layout.scopes(),
        };
        let written =
            scopes.iter().any(|scope| self.write_unit(io, lpn, Cause::Host, stream, scope, origin));
        self.read_only |= !written;
        written
    }

    /// The host declares a unit dead.
    pub fn trim(&mut self, io: &mut Io<S>, lpn: Lpn) {
        if self.mapper.cache.is_some() {
            self.look_up(io, lpn, true, &mut S::Join::default());
        }
        if T::IN_USE {
            let old = self.state.unit_of(lpn);
            self.note_trim(lpn, old);
        }
        let old = self.state.unit_of(lpn);
        tell_drop(&mut self.door.tape, old);
        self.forget(old);
        self.state.map.set(lpn, Unit::NONE);
        self.losses.trimmed.insert(lpn.number());
        self.losses.lost.remove(&lpn);
        self.losses.torn.remove(&lpn);
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Writes a unit of the controller's where the technique says; false when there is no room.
    #[inline(always)]
    pub(super) fn write_unit(
        &mut self,
        io: &mut Io<S>,
        lpn: Lpn,
        cause: Cause,
        stream: StreamId,
        scope: ScopeId,
        origin: &Origin<'_, S::Join>,
    ) -> bool {
        let old = self.state.unit_of(lpn);
        let &Origin { room, request, .. } = origin;
        let unit = || {
            let unit = Unwritten { lpn, cause, stream, scope, old, request };
            Unplaced { unit, room }
        };
        let settled = self.settled(scope, stream, cause);
        let Some(target) = settled.or_else(|| self.target_of(io, &unit())) else { return false };
        match target {
            Target::Point(point, ends) => {
                self.put(io, point, lpn, cause, origin);
                self.take_along(io, point, lpn, cause);
                self.end_early(io, point, ends.after);
            }
            Target::Over(over) => return self.overwrite(io, &over, &unit(), origin),
        }
        true
    }

    /// Fills the program that a unit has just joined with what the technique wants moved along.
    #[inline]
    pub(super) fn take_along(&mut self, io: &mut Io<S>, point: PointId, lpn: Lpn, cause: Cause) {
        if T::IN_USE && self.settings.takes_along && self.state.points[point].filled() > 0 {
            self.fill_program(io, point, lpn, cause);
        }
    }

    fn fill_program(&mut self, io: &mut Io<S>, point: PointId, lpn: Lpn, cause: Cause) {
        let layout = &self.state.layout;
        let (scope, stream) = (layout.scope_of_point(point), layout.stream_of_point(point));
        let is_routed = self.technique.is_routed();
        let mut read = None;
        loop {
            let open = &self.state.points[point];
            if open.filled() == 0 {
                return;
            }
            let missing = open.program_units() - open.filled();
            let joined = Joined { lpn, cause, scope, stream, missing };
            let rest = match is_routed {
                true => {
                    let Media { state, technique, .. } = self.media();
                    let routing = technique.routing_mut();
                    routing.and_then(|owner| owner.rest_of_range(state, &joined))
                }
                false => None,
            };
            let (lpn, unit) = match rest {
                Some(lpn) => (lpn, self.state.unit_of(lpn)),
                None => match self.companion(&joined) {
                    Some(unit) => (self.state.lpn_of(unit), unit),
                    None => return,
                },
            };
            self.read_along(io, unit, &mut read);
            let none = S::Join::default();
            let after = read.as_ref().map_or(&none, |(_, after)| after);
            let origin = Origin { old: Some(unit), ..Origin::controller(after) };
            self.put(io, point, lpn, Cause::Technique, &origin);
            self.mapper.note_move(&self.writer.state, lpn);
        }
    }
}

impl<T: Hooks> Media<T> {
    /// What goes along with a unit that has just joined a program, besides the rest of its range.
    fn companion(&mut self, joined: &Joined) -> Option<Unit> {
        if !self.settings.has_companions {
            return None;
        }
        let group = self.group_of_scope(joined.scope);
        self.technique.refill(group)?.companion(&self.state, joined)
    }

    /// The map follows a unit to its new place; its old place is no longer valid.
    #[inline(always)]
    pub(super) fn bind(&mut self, lpn: Lpn, old: Unit, new: Located, cause: Cause, now_ns: u64) {
        if T::IS_WATCHED
            && let Some(tape) = &mut self.door.tape
        {
            tape.place(new, (lpn, old), cause, now_ns);
        }
        self.bind_untold(lpn, old, new, cause, now_ns);
    }

    /// [`Self::bind`] where a recording knows of it.
    #[inline(always)]
    pub(super) fn bind_untold(
        &mut self,
        lpn: Lpn,
        old: Unit,
        new: Located,
        cause: Cause,
        now_ns: u64,
    ) {
        self.forget(old);
        self.state.bind(lpn, new);
        if T::IN_USE
            && let Some(chips) = &mut self.door.chips
        {
            chips.stage(&self.state, new.unit, lpn, || From::of(cause, old));
        }
        let group = self.group_of_block(new.block);
        for layer in self.technique.observers_of_mut(group) {
            layer.written(&self.state, &new, cause, now_ns);
        }
    }

    /// The data of a unit, if it is one, is no longer valid.
    #[inline(always)]
    pub(super) fn forget(&mut self, unit: Unit) {
        if unit.is_none() {
            return;
        }
        let at = self.state.geometry.located(unit);
        self.state.unbind(at.block, at.place);
        if T::IN_USE && self.settings.tells_deaths {
            let group = self.group_of_block(at.block);
            for layer in self.technique.observers_of_mut(group) {
                layer.invalidated(&self.state, &at);
            }
        }
        self.reconsider(at.block);
    }

    /// A block changed: if it is a candidate, what it costs to reclaim may have changed too; if it is
    /// kept, its technique may have no more use for it.
    #[inline(always)]
    pub(super) fn reconsider(&mut self, block: BlockId) {
        let group = self.group_of_block(block);
        match self.state.blocks[block].state {
            BlockState::Full => {
                let cost = self.victim_cost(group, block);
                let domain = self.state.domain_of_block(block);
                self.state.victims.change(&mut self.state.blocks, domain, block, cost);
            }
            BlockState::Kept if !self.technique.placement_mut(group).keeps(&self.state, block) => {
                self.make_candidate(block);
            }
            _ => {}
        }
    }

    /// What reclaiming a block costs.
    #[inline]
    pub(super) fn victim_cost(&self, group: usize, block: BlockId) -> u32 {
        if T::IN_USE
            && self.settings.costs_victims
            && let Some(victims) = self.technique.victims(group)
        {
            return victims.victim_cost(&self.state, block);
        }
        self.state.blocks[block].valid
    }

    /// Asks the cache for what a write of `lpn` will touch, well before it does.
    #[inline]
    pub fn prefetch_map(&self, lpn: Lpn) {
        self.state.map.prefetch(lpn);
    }

    /// Asks the cache for what reading `lpn` will touch; its map entry should be there.
    #[inline]
    pub fn prefetch_read<S: Scheduler>(&self, io: &Io<S>, lpn: Lpn) {
        let unit = self.state.unit_of(lpn);
        if unit.is_some() {
            let (block, place) = self.state.geometry.locate(unit);
            prefetch(self.state.blocks.as_slice(), block.index());
            io.sched.prefetch(block);
            if T::IN_USE
                && let Some(chips) = &self.door.chips
            {
                chips.prefetch_page(block, self.state.geometry.of(block).page_of(place));
            }
        }
    }

    /// Asks the cache for what invalidating `lpn` will touch; its map entry should be there.
    #[inline]
    pub fn prefetch_old(&self, lpn: Lpn) {
        let unit = self.state.unit_of(lpn);
        if unit.is_some() {
            let (block, place) = self.state.geometry.locate(unit);
            prefetch(self.state.blocks.as_slice(), block.index());
            self.state.valid.prefetch(block, place);
        }
    }
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// Ends the program of a write point if the technique says so, and it holds anything.
    #[inline]
    pub(super) fn end_early(&mut self, io: &mut Io<S>, point: PointId, ends: bool) {
        if ends && self.state.points[point].filled() > 0 {
            self.end_program(io, point);
        }
    }

    /// Puts a unit into an open write point.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        io: &mut Io<S>,
        point: PointId,
        lpn: Lpn,
        cause: Cause,
        origin: &Origin<'_, S::Join>,
    ) {
        if !T::IN_USE
            && origin.register_plane.is_none()
            && let Some(to) = self.state.points[point].stretch()
        {
            return self.put_page(io, point, &to, lpn, cause, origin);
        }
        let open = &mut self.state.points[point];
        let taken = open.take();
        let filled = Filled { units: open.filled(), of: open.program_units() };
        let old = origin.old.unwrap_or_else(|| self.state.unit_of(lpn));
        self.bind(lpn, old, taken, cause, io.sched.now_ns());
        io.counters.programs[cause as usize] += 1;
        if T::IN_USE
            && let Some(safeguard) = &mut self.eraser.safeguard
        {
            let at = &self.eraser.backend.state.points[point];
            safeguard.placed(point, at, old, cause == Cause::Host);
        }
        self.add_to_program(io, point, filled, cause, origin);
    }
}
