//! Writing a unit: where it goes, and what that makes of the map.

use super::Ftl;
use super::Io;
use super::origin::{Origin, Room};
use super::program::Reprogram;
use super::read::Sake;
use crate::drive::Taken;
use crate::engine::{Cause, RequestId, Scheduler};
use crate::flash::From;
use crate::ids::{BlockId, Id, Ids, Lpn, PointId, ScopeId, StreamId, Unit};
use crate::nand::{BlockState, Span};
use crate::policy::hotness::HostWrite;
use crate::technique::{
    Ends, Hooks, Joined, Observer, Over, Place, Placement, Route, Routing, Wait, Write,
};
use crate::util::prefetch;

/// A unit that has no place yet.
#[derive(Clone, Copy)]
pub(super) struct Unplaced<'a> {
    pub lpn: Lpn,
    pub cause: Cause,
    /// The stream that the conventional drive would choose, or the route does.
    pub stream: StreamId,
    /// The scope that the drive's allocation gives, or the route; of what moves, its own.
    pub scope: ScopeId,
    /// The unit that holds it now.
    pub old: Unit,
    pub room: Room,
    pub request: Option<&'a HostWrite>,
}

impl Unplaced<'_> {
    #[inline(always)]
    fn write<'w, S: Scheduler>(&self, io: &'w Io<S>) -> Write<'w> {
        let &Self { lpn, cause, stream, scope, old, request, .. } = self;
        let (now_ns, request) = (io.sched.now_ns(), request.copied());
        Write { lpn, cause, scope, stream, old, now_ns, request, load: &io.sched }
    }
}

/// Where a unit goes.
pub(super) enum Target {
    /// To a write point that has room, and where its program ends early.
    Point(PointId, Ends),
    /// Over a unit of the past.
    Over(Over),
}

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
        if T::IN_USE {
            self.retire_copies(io);
            self.keep_checkpoints(io);
        }
        if self.map_cache.is_some() {
            self.look_up(io, write.lpn, true, &mut after);
        }
        let stream = match &mut self.hotness {
            None => StreamId(0),
            Some(hotness) => StreamId(hotness.temperature(&self.state, write)),
        };
        let mut scope = self.scope_for(io, write.lpn);
        if self.settings.collects_at_access {
            self.collect_before_access(io, scope);
        }
        if let Some(planes) = &mut self.most_free {
            scope = planes.scope(&self.state, scope, stream, write.lpn);
        }
        self.keep_pages_free(io, scope);
        let waiter = waiter.filter(|_| S::TIMED);
        if let Some(id) = waiter {
            io.requests.add_part(id);
        }
        let origin = Origin { waiter, request: Some(write), ..Origin::controller(&after) };
        let written = self.write_unit(io, write.lpn, Cause::Host, stream, scope, &origin)
            || self.write_elsewhere(io, write.lpn, stream, scope, &origin);
        if written {
            io.counters.host_units += 1;
        } else {
            io.counters.refused_writes += 1;
            if let Some(id) = waiter {
                io.requests.part_done(id, io.sched.now_ns());
            }
        }
        written
    }

    /// How long a part of the host waits that begins with a unit; `None`: it does not.
    pub fn waits(&mut self, io: &Io<S>, first: &HostWrite) -> Option<Wait> {
        let unit = Unplaced {
            lpn: first.lpn,
            cause: Cause::Host,
            stream: StreamId(0),
            scope: ScopeId::default(),
            old: self.state.unit_of(first.lpn),
            room: Room::Collected,
            request: Some(first),
        };
        self.technique.routing_mut().waits(&self.state, &unit.write(io))
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
            true if self.most_free.is_some() => self.state.scopes_of_die(scope),
            true => Ids::all(0),
            false => self.state.layout.scopes(),
        };
        let written =
            scopes.iter().any(|scope| self.write_unit(io, lpn, Cause::Host, stream, scope, origin));
        self.read_only |= !written;
        written
    }

    /// The scope of write points for a host write.
    #[inline]
    fn scope_for(&mut self, io: &Io<S>, lpn: Lpn) -> ScopeId {
        let layout = &self.state.layout;
        if layout.is_static {
            return layout.scope_of(layout.static_plane(lpn));
        }
        let group = if self.state.geometry.is_mixed() { self.state.emptiest_group() } else { 0 };
        self.least_loaded_scope(io, group)
    }

    /// The scope of write points within a group: as the drive allocates, were it of that group alone.
    pub(super) fn scope_within(&mut self, io: &Io<S>, group: usize, lpn: Lpn) -> ScopeId {
        let layout = &self.state.layout;
        if layout.is_static {
            let order = &layout.fillings[group].order;
            return layout.scope_of(order[lpn.index() % order.len()]);
        }
        self.least_loaded_scope(io, group)
    }

    /// A scope of the die of a group that is free first; of equals, dies take turns, and so do the
    /// scopes of each.
    fn least_loaded_scope(&mut self, io: &Io<S>, group: usize) -> ScopeId {
        let dies = self.state.geometry.groups[group].dies;
        let scopes = self.state.layout.fillings[group].scopes;
        let (count, scopes_per_die) = (dies.count(), scopes.count() / dies.count());
        let turn = self.settings.next_die[group];
        let die = io.sched.least_loaded(dies, turn);
        self.settings.next_die[group] = (die + 1) % count;
        let next = &mut self.settings.next_scope[dies.at(die)];
        let scope = scopes.at(die * scopes_per_die + *next);
        *next = (*next + 1) % scopes_per_die;
        scope
    }

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
        let unit = Unplaced { lpn, cause, stream, scope, old, room, request };
        let Some(target) = self.target_of(io, &unit) else { return false };
        match target {
            Target::Point(point, ends) => {
                self.put(io, point, lpn, cause, origin);
                self.take_along(io, point, lpn, cause);
                self.end_early(io, point, ends.after);
            }
            Target::Over(over) => return self.overwrite(io, &over, &unit, origin),
        }
        true
    }

    /// Where the techniques put a unit: at a write point that has room, or over a unit of the past; `None`
    /// where there is no room. What moves stays in its scope if another has none to spare.
    #[inline(always)]
    pub(super) fn target_of(&mut self, io: &mut Io<S>, unit: &Unplaced<'_>) -> Option<Target> {
        if T::IN_USE && self.technique.is_routed() {
            return self.routed_target(io, unit);
        }
        self.target_within(io, unit)
    }

    /// The same where a technique says which group takes a unit: if that is full, another one.
    #[inline(never)]
    fn routed_target(&mut self, io: &mut Io<S>, unit: &Unplaced<'_>) -> Option<Target> {
        let route = self.technique.routing_mut().route(&self.state, &unit.write(io));
        let routed = self.on_route(io, unit, route);
        if let Some(target) = self.target_within(io, &routed) {
            return Some(target);
        }
        let other = self.technique.routing_mut().route_again(&self.state, &unit.write(io))?;
        let routed = self.on_route(io, unit, Some(other));
        self.target_within(io, &routed)
    }

    /// A unit in the scope and stream to which its route leads.
    fn on_route<'u>(
        &mut self,
        io: &Io<S>,
        unit: &Unplaced<'u>,
        route: Option<Route>,
    ) -> Unplaced<'u> {
        let (scope, stream) = match route {
            None => return *unit,
            Some(Route::Scope { scope, stream }) => (self.scope_in(unit, scope, stream), stream),
            Some(Route::Group { group, stream }) => {
                (self.scope_in_group(io, unit, group, stream), stream)
            }
        };
        Unplaced { scope, stream, ..*unit }
    }

    /// Where a unit goes within its group.
    #[inline(always)]
    fn target_within(&mut self, io: &mut Io<S>, unit: &Unplaced<'_>) -> Option<Target> {
        let group = self.group_of_scope(unit.scope);
        let place = self.technique.placement_mut(group).place(&self.state, &unit.write(io));
        let target = self.target_at(io, unit, place);
        if !T::IN_USE {
            return target;
        }
        // The technique may think better of it now that the program is known that the unit would begin.
        let placement = self.technique.placement_mut(group);
        let other = match &target {
            &Some(Target::Point(point, _)) if self.state.points[point].filled() == 0 => {
                placement.begins(&self.state, &unit.write(io), point)
            }
            Some(_) => return target,
            None => placement.place_again(&self.state, &unit.write(io)),
        };
        match other {
            Some(other) => self.target_at(io, unit, other),
            None => target,
        }
    }

    #[inline(always)]
    fn target_at(&mut self, io: &mut Io<S>, unit: &Unplaced<'_>, place: Place) -> Option<Target> {
        let point = match place {
            Place::Stream(stream) => self.state.point_of(unit.scope, stream),
            Place::Scope { scope, stream } => {
                self.state.point_of(self.scope_in(unit, scope, stream), stream)
            }
            Place::Unit(over) => {
                return self.may_overwrite(&over, unit.old).then_some(Target::Over(over));
            }
        };
        let mut ends = Ends::default();
        if T::IN_USE && self.technique.is_routed() {
            ends = self.technique.routing_mut().ends(&self.state, &unit.write(io), point);
            self.end_early(io, point, ends.before);
        }
        let has_room = self.state.points[point].room() > 0 || self.open(io, point, unit.room);
        has_room.then_some(Target::Point(point, ends))
    }

    /// A scope; for what moves, its own where the other would have to take what GC needs there.
    #[inline]
    fn scope_in(&self, unit: &Unplaced<'_>, scope: ScopeId, stream: StreamId) -> ScopeId {
        let point = self.state.point_of(scope, stream);
        let takes = unit.room != Room::HeldBack
            || self.state.points[point].room() > 0
            || self.can_open(point);
        if takes { scope } else { unit.scope }
    }

    /// The scope in a group: what moves within its group stays in its own.
    fn scope_in_group(
        &mut self,
        io: &Io<S>,
        unit: &Unplaced<'_>,
        group: usize,
        stream: StreamId,
    ) -> ScopeId {
        if unit.room == Room::HeldBack && self.state.layout.group_of_scope(unit.scope) == group {
            return unit.scope;
        }
        let scope = self.scope_within(io, group, unit.lpn);
        self.scope_in(unit, scope, stream)
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
                true => self.technique.routing_mut().rest_of_range(&self.state, &joined),
                false => None,
            };
            let placement = self.technique.placement_mut(self.group_of_scope(scope));
            let Some(unit) = rest.or_else(|| placement.companion(&self.state, &joined)) else {
                return;
            };
            self.read_along(io, unit, &mut read);
            let lpn = self.state.reverse[unit];
            let none = S::Join::default();
            let after = read.as_ref().map_or(&none, |(_, after)| after);
            let origin = Origin { old: Some(unit), ..Origin::controller(after) };
            self.put(io, point, lpn, Cause::Technique, &origin);
            self.note_move(lpn);
        }
    }

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
        let open = &mut self.state.points[point];
        let taken = open.take();
        let (filled, units) = (open.filled(), open.program_units());
        let old = origin.old.unwrap_or_else(|| self.state.unit_of(lpn));
        self.bind(lpn, old, taken, cause, io.sched.now_ns());
        io.counters.programs[cause as usize] += 1;
        if T::IN_USE
            && let Some(safeguard) = &mut self.safeguard
        {
            safeguard.placed(point, &self.state.points[point], old, cause == Cause::Host);
        }
        self.add_to_program(io, point, (filled, units), cause, origin);
    }

    /// May a program over a unit, and its partner, be carried out? If not the run is stopped.
    fn may_overwrite(&mut self, over: &Over, old: Unit) -> bool {
        let free = |unit: Unit| {
            let (block, place) = self.state.geometry.locate(unit);
            old == unit || !self.state.valid.get(block, place)
        };
        assert!(free(over.unit), "unit {} holds valid data of another logical unit", over.unit);
        assert!(over.partner.is_none_or(free), "the partner {:?} holds valid data", over.partner);
        let spans = self.spans_over(over);
        self.allows(over.row, &spans)
    }

    /// The pages of a program over a unit, and its partner.
    fn spans_over(&self, over: &Over) -> Vec<Span> {
        let units = std::iter::once(over.unit).chain(over.partner);
        units.map(|unit| self.unit_span(unit)).collect()
    }

    /// Writes over a unit whose data is no longer valid, by an operation of the technique; one that fails is
    /// tried again where the technique then says.
    pub(super) fn overwrite(
        &mut self,
        io: &mut Io<S>,
        over: &Over,
        unit: &Unplaced<'_>,
        origin: &Origin<'_, S::Join>,
    ) -> bool {
        let &Unplaced { lpn, cause, .. } = unit;
        let spans = self.spans_over(over);
        // The technique is asked while the state is still that of before the operation.
        let after = self.prepare(io, over.unit, over.row, Sake::of(cause), origin.after);
        let after = self.preserve(io, &spans, None, &after);
        if !over.holds {
            let failed = Reprogram::over(&spans, over.row, cause);
            self.reprogram(io, &failed, &after, None);
            return self.write_unit(io, lpn, cause, unit.stream, unit.scope, origin);
        }
        let (block, place) = self.state.geometry.locate(over.unit);
        let old = self.state.unit_of(lpn);
        self.bind(lpn, old, Taken { unit: over.unit, block, place }, cause, io.sched.now_ns());
        self.reconsider(block);
        io.counters.programs[cause as usize] += 1;
        let again = Reprogram::over(&spans, over.row, cause);
        let stamp = self.reprogram(io, &again, &after, origin.waiter);
        self.after_program_over(io, old, stamp);
        true
    }

    /// The map follows a unit to its new place; its old place is no longer valid.
    #[inline(always)]
    fn bind(&mut self, lpn: Lpn, old: Unit, new: Taken, cause: Cause, now_ns: u64) {
        self.forget(old);
        self.state.bind(lpn, new);
        if T::IN_USE
            && let Some(chips) = &mut self.chips
        {
            let from = match old.known() {
                _ if cause == Cause::Host => From::Host,
                Some(old) => From::Unit(old),
                None => From::Drive,
            };
            chips.stage(&self.state, new.unit, lpn, from);
        }
        let group = self.group_of_block(new.block);
        for layer in self.technique.observers_of_mut(group) {
            layer.written(&self.state, new.unit, cause, now_ns);
        }
    }

    /// The data of a unit, if it is one, is no longer valid.
    #[inline(always)]
    pub(super) fn forget(&mut self, unit: Unit) {
        if unit.is_none() {
            return;
        }
        let (block, place) = self.state.geometry.locate(unit);
        self.state.unbind(block, place);
        let group = self.group_of_block(block);
        for layer in self.technique.observers_of_mut(group) {
            layer.invalidated(&self.state, unit);
        }
        self.reconsider(block);
    }

    /// A block changed: if it is a candidate, what it costs to reclaim may have changed too; if it is
    /// kept, its technique may have no more use for it.
    #[inline(always)]
    fn reconsider(&mut self, block: BlockId) {
        let group = self.group_of_block(block);
        match self.state.blocks[block].state {
            BlockState::Full => {
                let cost = self.technique.victims(group).victim_cost(&self.state, block);
                let domain = self.state.domain_of_block(block);
                self.state.victims.change(&mut self.state.blocks, domain, block, cost);
            }
            BlockState::Kept if !self.technique.placement_mut(group).keeps(&self.state, block) => {
                self.make_candidate(block);
            }
            _ => {}
        }
    }

    /// The host declares a unit dead.
    pub fn trim(&mut self, io: &mut Io<S>, lpn: Lpn) {
        if self.map_cache.is_some() {
            self.look_up(io, lpn, true, &mut S::Join::default());
        }
        if T::IN_USE {
            self.note_trim(lpn, self.state.unit_of(lpn));
        }
        self.forget(self.state.unit_of(lpn));
        self.state.map[lpn] = Unit::NONE;
        self.lost.remove(&lpn);
        self.torn.remove(&lpn);
    }

    /// Asks the cache for what a write of `lpn` will touch, well before it does.
    #[inline]
    pub fn prefetch_map(&self, lpn: Lpn) {
        prefetch(self.state.map.as_slice(), lpn.index());
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
