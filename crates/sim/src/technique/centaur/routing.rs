//! The way of each unit to one kind of flash, and what goes along with it in a program of the 3D flash.

use super::criterion::Kind;
use super::hooks::{Asked, Ends, Ready, Route, Routing};
use super::parts::Part;
use super::{Along, Centaur, Sharing};
use crate::drive::DriveState;
use crate::ids::{BlockId, DomainId, Ids, Lpn, PointId, Unit};
use crate::technique::{Joined, Write};

impl Centaur {
    /// What may go along with a logical unit that stands in the 3D flash.
    fn along_with(&self, state: &DriveState, lpn: Lpn, unit: Unit) -> Along {
        let units = u64::from(self.range_units);
        let first = lpn.range(self.range_units) * units;
        let range = first..(first + units).min(state.logical_units);
        Along { of: lpn, program: self.programs.units_with(unit), range }
    }
}

impl Routing for Centaur {
    fn route(&mut self, state: &DriveState, write: &Write<'_>) -> Option<Route> {
        if write.request.is_some() {
            let part = self.part_for(state, write);
            return self.way_of(part, write.stream);
        }
        if !state.is_of_host(write.lpn) {
            return self.to_2d(write.stream);
        }
        if self.is_migrating(state, write) {
            let scope = self.scope_for(state, self.range_number(write.lpn), write.load);
            return Some(Route::Scope { scope, stream: write.stream });
        }
        None
    }

    fn first_ready(&mut self, state: &DriveState, asked: Asked<'_>) -> Ready {
        self.first_not_to_wait(state, asked)
    }

    /// A kind of flash that is full sends writes on; what GC moves only leaves the 2D flash.
    fn route_again(&mut self, state: &DriveState, write: &Write<'_>) -> Option<Route> {
        let [Some(_), Some(_)] = self.groups else { return None };
        let range = self.range_number(write.lpn);
        if write.request.is_none() {
            let from_2d = write.old.is_some() && self.kind_of(write.old) == Kind::TwoD;
            return (from_2d && state.is_of_host(write.lpn)).then(|| Route::Scope {
                scope: self.scope_for(state, range, write.load),
                stream: write.stream,
            });
        }
        let mut part = self.part?;
        self.figures.sent_on += u64::from(self.runs && !part.is_sent_on);
        part.is_sent_on = true;
        (part.kind, part.stream) = match part.kind {
            Kind::TwoD => (Kind::ThreeD, write.stream),
            Kind::ThreeD => (Kind::TwoD, write.stream),
        };
        if part.kind == Kind::ThreeD {
            part.scope = self.scope_for(state, range, write.load);
        }
        self.part = Some(part);
        self.way_of(part, write.stream)
    }

    /// What victims hand on finds room in the 3D flash.
    fn leaves_for(&mut self, state: &DriveState, block: BlockId) -> Ids<DomainId> {
        let hands_on = self.migrates
            && self.kind_of_block(block) == Kind::TwoD
            && self.is_fuller(state, Kind::TwoD);
        let group = self.groups[Kind::ThreeD as usize].filter(|_| hands_on);
        group.map_or(Ids::all(0), |group| state.layout.fillings[group].domains)
    }

    fn ends(&mut self, state: &DriveState, write: &Write<'_>, point: PointId) -> Ends {
        let to =
            self.kind_of_group(state.layout.group_of_scope(state.layout.scope_of_point(point)));
        if to == Kind::TwoD {
            // A page of the map, or of trims, went to the 3D flash because the other one had no room.
            let may_return = write.request.is_some() || !state.is_of_host(write.lpn);
            assert!(may_return || !self.is_from_3d(write), "data goes back to the 2D flash");
            return Ends::default();
        }
        let open = &state.points[point];
        let holds_data = open.filled() > 0;
        if let Some(part) = self.part.filter(|_| write.request.is_some()) {
            let is_first = !part.has_begun;
            self.part = Some(Part { has_begun: true, ..part });
            return Ends { before: holds_data && is_first, after: write.lpn == part.of.last };
        }
        let from_3d = self.is_from_3d(write);
        self.moving = Some(if from_3d { Sharing::Move } else { Sharing::Migration });
        if !from_3d {
            return Ends { before: holds_data, after: true };
        }
        if !self.merges {
            return Ends::default();
        }
        let begins_at = || open.first_lane().first_unit.plus(open.place() + open.shape().offset);
        let is_other =
            holds_data && self.programs.range(begins_at()) != self.range_number(write.lpn);
        // The 3D flash holds a range in one program, whose units GC moves in their order.
        Ends { before: is_other, after: self.programs.valid(write.old) == 1 }
    }

    fn rest_of_range(&mut self, state: &DriveState, joined: &Joined) -> Option<Lpn> {
        let is_whole = || self.part.is_some_and(|part| joined.lpn == part.of.last);
        let takes_more = match self.sharing {
            Sharing::Part => self.merges && is_whole(),
            Sharing::Migration => true,
            Sharing::Move => false,
        };
        if !takes_more {
            return None;
        }
        let unit = state.unit_of(joined.lpn);
        if joined.lpn != self.along.of || !self.along.program.contains(unit) {
            if self.kind_of(unit) == Kind::TwoD {
                return None;
            }
            self.along = self.along_with(state, joined.lpn, unit);
        }
        let Along { program, ref range, .. } = self.along;
        let mut rest = range.start.max(self.looked_at)..range.end;
        let joins = |lpn: u64| {
            let other = state.unit_of(Lpn(lpn));
            let joins = other.is_some()
                && !program.contains(other)
                && (self.merges || self.kind_of(other) == Kind::TwoD);
            joins.then_some((Lpn(lpn), other))
        };
        let found = rest.find_map(joins);
        self.looked_at = rest.start;
        let (other, unit) = found?;
        if self.runs {
            self.figures.goes_along(self.kind_of(unit), self.sharing == Sharing::Migration);
        }
        Some(other)
    }

    /// Where partial programs are merged, a range takes a whole program however little of it is valid.
    /// While the 2D flash is the fuller one, its victims hand all of their data on: even a wholly valid
    /// one makes room.
    fn victim_cost(&self, state: &DriveState, block: BlockId) -> u32 {
        let valid = state.blocks[block].valid;
        match self.kind_of_block(block) {
            Kind::ThreeD if self.merges => self.programs.live_units(block),
            Kind::TwoD
                if self.migrates
                    && valid == state.geometry.of(block).units_per_block
                    && self.is_fuller(state, Kind::TwoD) =>
            {
                valid - 1
            }
            _ => valid,
        }
    }
}
