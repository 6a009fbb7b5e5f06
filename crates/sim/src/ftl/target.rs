//! Where a unit goes: its scope, its group, its write point, or over a unit of the past.

use super::origin::{Room, hurried};
use super::{Allocator, Io, Media, Writer};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::From;
use crate::ids::{ById, DieId, Id, Lpn, PointId, ScopeId, StreamId};
use crate::nand::command::Cause;
use crate::technique::{Ends, Hook, Hooks, Over, Place, Placement, Route, Unwritten, Write};
use std::ops::Deref;

/// A unit that has no place yet, and where room for it is found.
#[derive(Clone, Copy)]
pub(super) struct Unplaced<'a> {
    /// The stream is that which the conventional drive would choose, or the route does; the scope that of the drive's
    /// allocation, or of the route.
    pub unit: Unwritten<'a>,
    pub room: Room,
}

impl<'a> Deref for Unplaced<'a> {
    type Target = Unwritten<'a>;

    #[inline(always)]
    fn deref(&self) -> &Unwritten<'a> {
        &self.unit
    }
}

impl Unplaced<'_> {
    /// As techniques are asked about it.
    #[inline(always)]
    pub fn write<'w, S: Scheduler>(&'w self, io: &'w Io<S>) -> Write<'w> {
        Write { unit: &self.unit, now_ns: io.sched.now_ns(), load: &io.sched }
    }
}

/// Where a unit goes.
pub(super) enum Target {
    /// To a write point that has room, and where its program ends early.
    Point(PointId, Ends),
    /// Over a unit of the past.
    Over(Over),
}

/// Whose turn it is.
pub(super) struct Turns {
    /// Dynamic allocation: where the search for an idle die of each group starts.
    pub next_die: Vec<u32>,
    /// Dynamic allocation: the scope of each die that is next.
    pub next_scope: ById<DieId, u32>,
    /// Write points that visit the planes of their scope: the next plane.
    pub next_plane: ById<ScopeId, u32>,
}

impl Turns {
    pub fn new(state: &DriveState) -> Self {
        let (geometry, layout) = (&state.geometry, &state.layout);
        Self {
            next_die: vec![0; geometry.groups.len()],
            next_scope: ById::filled(0, geometry.dies().count()),
            next_plane: ById::filled(0, layout.scopes().count()),
        }
    }
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// The scope of write points for a host write.
    #[inline]
    pub(super) fn scope_for(&mut self, io: &Io<S>, lpn: Lpn) -> ScopeId {
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
        let turn = self.turns.next_die[group];
        let die = io.sched.least_loaded(dies, turn);
        self.turns.next_die[group] = (die + 1) % count;
        let next = &mut self.turns.next_scope[dies.at(die)];
        let scope = scopes.at(die * scopes_per_die + *next);
        *next = (*next + 1) % scopes_per_die;
        scope
    }
}

impl<T: Hooks> Media<T> {
    /// Where a unit of a stream goes whose technique lets it stay there: it need not be described to anybody.
    #[inline(always)]
    pub(super) fn settled(&self, scope: ScopeId, stream: StreamId, cause: Cause) -> Option<Target> {
        if !T::IN_USE || self.technique.is_routed() {
            return None;
        }
        let point = self.state.point_of(scope, stream);
        let settles = self.state.points[point].settles(cause);
        settles.then(|| Target::Point(point, Ends::default()))
    }

    /// Another place, if the technique wants it, for a unit that is about to begin a program which codes it.
    fn reconsidered<S: Scheduler>(
        &mut self,
        io: &Io<S>,
        unit: Unplaced<'_>,
        group: usize,
        point: PointId,
    ) -> Option<Place> {
        let fits = self.fits(&unit, point);
        let rounds = self.technique.rounds(group)?;
        rounds.begins(&self.state, &unit.write(io), point, fits)
    }

    /// Whether a unit fits where it is coded over what a page holds; `None`: nobody tries.
    #[inline]
    fn fits(&mut self, unit: &Unplaced<'_>, point: PointId) -> Option<bool> {
        let medium = self.door.chips.as_mut()?.medium_mut()?;
        let place = self.state.points[point].upcoming().unit;
        medium.fits(&self.state, place, unit.lpn, From::of(unit.cause, unit.old))
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Where the techniques put a unit: at a write point that has room, or over a unit of the past; `None`
    /// where there is no room. What moves stays in its scope if another has none to spare.
    #[inline(always)]
    pub(super) fn target_of(&mut self, io: &mut Io<S>, unit: &Unplaced<'_>) -> Option<Target> {
        if T::IN_USE && self.technique.is_routed() {
            return self.routed_target(io, *unit);
        }
        self.target_within(io, unit)
    }

    /// Where a unit goes if a technique says which group takes it: if that is full, to another one.
    // By value: a reference would keep the unit in memory where nothing is routed.
    #[inline(never)]
    fn routed_target(&mut self, io: &mut Io<S>, unit: Unplaced<'_>) -> Option<Target> {
        let Media { state, technique, .. } = self.media();
        let routing = technique.routing_mut();
        let route = routing.and_then(|owner| owner.route(state, &unit.write(io)));
        let routed = self.on_route(io, &unit, route);
        if let Some(target) = self.target_within(io, &routed) {
            return Some(target);
        }
        self.routed_again(io, unit)
    }

    /// Where a unit goes if the group to which it was sent is full.
    #[cold]
    fn routed_again(&mut self, io: &mut Io<S>, unit: Unplaced<'_>) -> Option<Target> {
        let Media { state, technique, .. } = self.media();
        let other = technique.routing_mut()?.route_again(state, &unit.write(io))?;
        let routed = self.on_route(io, &unit, Some(other));
        self.target_within(io, &routed)
    }

    /// A unit in the scope and stream to which its route leads.
    #[inline(always)]
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
        Unplaced { unit: Unwritten { scope, stream, ..unit.unit }, ..*unit }
    }

    /// Where a unit goes within its group.
    #[inline(always)]
    fn target_within(&mut self, io: &mut Io<S>, unit: &Unplaced<'_>) -> Option<Target> {
        let group = self.group_of_scope(unit.scope);
        let cleared;
        let unit = match T::IN_USE && self.settings.clears && unit.cause == Cause::Host {
            true => {
                cleared = self.cleared_for(io, *unit, group);
                &cleared
            }
            false => unit,
        };
        let Media { state, technique, .. } = self.media();
        let Some(placement) = technique.claimant_mut(Hook::Placement, group) else {
            // As the conventional drive places it.
            return self.target_at(io, unit, Place::Stream(unit.stream));
        };
        let place = placement.place(state, &unit.write(io));
        match self.target_at(io, unit, place) {
            // The technique may think better of it now that the program is known that the unit would begin.
            Some(Target::Point(point, ends))
                if self.state.points[point].codes() && self.state.points[point].filled() == 0 =>
            {
                match self.reconsidered(io, *unit, group, point) {
                    Some(other) => self.target_at(io, unit, other),
                    None => Some(Target::Point(point, ends)),
                }
            }
            Some(target) => Some(target),
            None => self.target_again(io, *unit, group),
        }
    }

    /// Where a unit goes for which there is no room at the place that the technique chose.
    // By value, as in all that is called seldom: a reference would keep the unit in memory.
    #[cold]
    fn target_again(&mut self, io: &mut Io<S>, unit: Unplaced<'_>, group: usize) -> Option<Target> {
        let set_aside = self.technique.set_aside(group)?;
        let other = set_aside.place_again(&self.state, &unit.write(io))?;
        self.target_at(io, &unit, other)
    }

    /// A unit of the host once the flash has been told to move what the technique wants gone before.
    fn cleared_for<'u>(
        &mut self,
        io: &mut Io<S>,
        unit: Unplaced<'u>,
        group: usize,
    ) -> Unplaced<'u> {
        let Media { state, technique, .. } = self.media();
        let Some(refill) = technique.refill(group) else { return unit };
        let moved = refill.cleared(state, &unit.write(io));
        if moved.is_empty() {
            return unit;
        }
        hurried(self, io, |ftl, io| ftl.move_all(io, &moved));
        // It may have been among them.
        let old = self.state.unit_of(unit.lpn);
        Unplaced { unit: Unwritten { old, ..unit.unit }, ..unit }
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
        let Media { state, technique, .. } = self.media();
        if T::IN_USE
            && technique.is_routed()
            && let Some(routing) = technique.routing_mut()
        {
            ends = routing.ends(state, &unit.write(io), point);
            self.end_early(io, point, ends.before);
        }
        let has_room = self.state.points[point].room() > 0
            || match unit.cause {
                Cause::Host => hurried(self, io, |ftl, io| ftl.open(io, point, unit.room)),
                _ => self.open(io, point, unit.room),
            };
        has_room.then_some(Target::Point(point, ends))
    }

    /// A scope; for what moves, its own where the other would have to take what GC needs there.
    #[inline]
    fn scope_in(&self, unit: &Unplaced<'_>, scope: ScopeId, stream: StreamId) -> ScopeId {
        let point = self.state.point_of(scope, stream);
        let takes = unit.room != Room::HeldBack
            || self.state.points[point].room() > 0
            || self.collector.can_open(&self.writer, point);
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
}
