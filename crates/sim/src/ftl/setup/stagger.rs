//! How far the open blocks of a drive in use are filled: each by chance, so that GC comes to one plane
//! after the other. Were all empty at first, the planes would fill them, and collect, in step.

use super::scatter::Share;
use super::valid::shuffle;
use crate::drive::{DriveState, Filling, Stripe};
use crate::engine::Scheduler;
use crate::ftl::gc::Limits;
use crate::ftl::{Allocator, Ftl};
use crate::ids::{BlockId, ById, DomainId, Id, Ids, PlaneId, PointId, ScopeId, StreamId};
use crate::nand::Group;
use crate::schema::Config;
use crate::technique::Hooks;
use crate::theory::{Cleaning, write_amplification};
use crate::util::Rng;
use std::collections::BTreeMap;

/// An open block of a plane, before it is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ftl) struct Begun {
    pub point: PointId,
    /// Units from its start that are programmed.
    pub units: u32,
}

/// A plane in steady state, but for what its full blocks hold.
#[derive(Debug, Clone, Default)]
pub(in crate::ftl) struct Beginning {
    pub erased: u32,
    pub begun: Vec<Begun>,
    /// Units in which data can stand when GC fires: the T of the closed forms.
    pub log_units: u32,
}

impl Beginning {
    /// Full blocks of a plane with so many good ones.
    pub fn full(&self, good: u32) -> u32 {
        good.saturating_sub(self.erased + self.begun.len() as u32)
    }

    /// Whether `units` of data leave something to reclaim.
    pub fn has_room(&self, full: u32, units: u32, units_per_block: u32) -> bool {
        let rest = units.saturating_sub(units_of(&self.begun));
        let is_free = u64::from(rest) < u64::from(full) * u64::from(units_per_block);
        is_free && units < self.log_units
    }
}

/// What the one at `place` of so many gets of `all`.
fn share(all: u32, parts: u32, place: u32) -> u32 {
    all / parts + u32::from(place < all % parts)
}

/// Units that are programmed in open blocks.
pub(super) fn units_of(begun: &[Begun]) -> u32 {
    begun.iter().map(|begun| begun.units).sum()
}

/// What each plane begins with, and how far each open block is filled.
pub(super) struct Stagger<'a> {
    state: &'a DriveState,
    /// Erased blocks that each domain holds back.
    held: ById<DomainId, u32>,
    /// Streams whose blocks are open, the first ones.
    streams: u32,
    /// By write point: units that are programmed in each lane.
    begun: ById<PointId, u32>,
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// The planes of a drive in use whose host has written its first `written` units. A technique that
    /// places data opens its blocks itself, superblocks with parity or metadata are opened empty, and a handle takes a
    /// unit with its first write.
    pub(in crate::ftl) fn beginnings(
        &mut self,
        config: &Config,
        cleaning: Cleaning,
        written: u64,
    ) -> ById<PlaneId, Beginning> {
        let Allocator { writer, collector, .. } = &mut self.allocator;
        let state = &writer.eraser.state;
        let fillings = &state.layout.fillings;
        let is_mixed = |filling: &Filling| filling.shape.stripe.is_some_and(Stripe::is_mixed);
        let opens_itself = writer.technique.places_fill() || state.layout.handles.is_some();
        let streams = match opens_itself || fillings.iter().any(is_mixed) {
            true => 0,
            false => state.layout.technique_stream.number(),
        };
        let held = |(domain, limit): (DomainId, &Limits)| {
            limit.in_use(config).max(limit.pace) + state.layout.of_domain(domain).set_aside
        };
        let held = collector.limits.iter_with_ids().map(held).collect();
        let mut rng = Rng::new(config.run.seed, "stagger");
        let mut stagger =
            Stagger { state, held, streams, begun: ById::filled(0, state.points.count()) };
        let alpha = state.log_units() as f64 / written.max(1) as f64;
        for (group, filling) in state.geometry.groups.iter().zip(&state.layout.fillings) {
            // What a victim frees, on average.
            let gain = 1.0 / write_amplification(cleaning, alpha, group.units_per_block as usize);
            stagger.draw(group, filling, gain, &mut rng);
            if filling.counts_pages && streams > 0 {
                let per_victim = gain * f64::from(group.units_per_block);
                stagger.meet_count(group, filling, per_victim, &mut rng);
            }
        }
        let beginnings = stagger.of_planes(written);
        for (filling, scope) in state
            .layout
            .fillings
            .iter()
            .flat_map(|filling| filling.scopes.iter().map(move |scope| (filling, scope)))
        {
            if filling.lanes < filling.scope_planes {
                writer.turns.next_plane[scope] = streams % filling.scope_planes;
            }
        }
        beginnings
    }
}

impl Stagger<'_> {
    /// Fills the open blocks of each stream of a group evenly from empty to full, in no order. Those that
    /// GC fills too have no more room left than a victim frees, `gain` of a block: GC ends as soon as it
    /// has gained a block.
    fn draw(&mut self, group: &Group, filling: &Filling, gain: f64, rng: &mut Rng) {
        let layout = &self.state.layout;
        let steps = group.units_per_block / filling.shape.step;
        let mut scopes: Vec<ScopeId> = filling.scopes.iter().collect();
        for stream in Ids::<StreamId>::all(self.streams) {
            shuffle(&mut scopes, rng);
            let collects = stream == layout.gc_stream || !layout.gathers;
            let most = f64::from(steps) * if collects { gain } else { 1.0 };
            for (turn, &scope) in (0..).zip(&scopes) {
                let share = (f64::from(turn) + rng.unit()) / scopes.len() as f64;
                let left = ((share * most) as u32 + 1).min(steps);
                let point = self.state.point_of(scope, stream);
                self.begun[point] = (steps - left) * filling.shape.step;
            }
        }
    }

    /// Where free pages are counted GC takes a victim after so many writes, `per_victim`, not blocks at
    /// once: sets GC's open block so that a plane has up to that many more than it holds back.
    fn meet_count(&mut self, group: &Group, filling: &Filling, per_victim: f64, rng: &mut Rng) {
        // Where erased blocks run out first, GC goes by these.
        let goes_by_blocks = filling.reserve < filling.inner + self.streams;
        if goes_by_blocks || filling.lanes < filling.scope_planes {
            return;
        }
        let layout = &self.state.layout;
        let units_per_block = u64::from(group.units_per_block);
        for scope in filling.scopes {
            let plane = layout.planes_of_scope(scope).first();
            let is_first = layout.planes_of_domain(layout.domain_of(plane)).first() == plane;
            let excess = if is_first { (rng.unit() * per_victim) as u64 } else { 0 };
            let all = Ids::all(self.streams).into_iter();
            let others = all.filter(|&stream| stream != layout.gc_stream);
            let begun = |stream| u64::from(self.begun[self.state.point_of(scope, stream)]);
            let over = (excess + others.map(begun).sum::<u64>()) % units_per_block;
            let units = (units_per_block - over) % units_per_block;
            let step = u64::from(filling.shape.step);
            let point = self.state.point_of(scope, layout.gc_stream);
            self.begun[point] = (units / step * step) as u32;
        }
    }

    /// What each plane begins with. Where one has no room for open blocks besides its data, no plane that
    /// shares them has any.
    fn of_planes(&self, written: u64) -> ById<PlaneId, Beginning> {
        let (state, layout) = (self.state, &self.state.layout);
        let planes = || state.geometry.planes().into_iter();
        let counts: ById<PlaneId, u32> =
            planes().map(|plane| Share::of_plane(state, plane, written).count).collect();
        let has_room = |plane: PlaneId| {
            let beginning = self.of_plane(plane, self.streams);
            let full = beginning.full(state.free[plane].len() as u32);
            let usable_units = layout.of_domain(layout.domain_of(plane)).usable_units;
            beginning.has_room(full, counts[plane], usable_units)
        };
        let streams_of = |plane: PlaneId| match layout
            .planes_of_scope(layout.scope_of(plane))
            .iter()
            .all(has_room)
        {
            true => self.streams,
            false => 0,
        };
        planes().map(|plane| self.of_plane(plane, streams_of(plane))).collect()
    }

    /// What a plane begins with where blocks of so many streams are open.
    fn of_plane(&self, plane: PlaneId, streams: u32) -> Beginning {
        let (state, layout) = (self.state, &self.state.layout);
        let domain = layout.domain_of(plane);
        let filling = layout.of_domain(domain);
        let units_per_block = u64::from(state.units_per_block_in(domain));
        let begun = self.begun_in(plane, filling, streams);
        let held_in_domain = self.held[domain];
        let in_domain = layout.planes_of_domain(domain).place_of(plane);
        let held = share(held_in_domain, filling.domain_planes, in_domain);
        // Streams that have nothing open take an erased block.
        let in_scope = layout.planes_of_scope(layout.scope_of(plane)).place_of(plane);
        let unopened = (filling.streams - streams) * filling.lanes;
        let unopened = share(unopened, filling.scope_planes, in_scope);
        let room: u64 = begun.iter().map(|begun| units_per_block - u64::from(begun.units)).sum();
        let erased = match filling.counts_pages {
            false => held + unopened,
            true if streams == 0 => held.max(unopened),
            true => {
                let missing = (u64::from(held) * units_per_block).saturating_sub(room);
                (missing.div_ceil(units_per_block) as u32).max(filling.inner)
            }
        };
        let usable = u64::from(filling.usable_units);
        let others = u64::from((filling.streams - 1) * filling.lanes) * usable / 2;
        let kept = filling.kept(
            u64::from(held_in_domain) * usable / u64::from(filling.domain_planes),
            others / u64::from(filling.scope_planes),
        );
        let log_units = (state.free[plane].len() as u64 * usable).saturating_sub(kept);
        Beginning { erased, begun, log_units: log_units as u32 }
    }

    /// The open blocks of a plane. A scope that fills one block at a time has them in its planes in turn.
    fn begun_in(&self, plane: PlaneId, filling: &Filling, streams: u32) -> Vec<Begun> {
        let layout = &self.state.layout;
        let scope = layout.scope_of(plane);
        let place = layout.planes_of_scope(scope).place_of(plane);
        let is_here = |stream: &StreamId| {
            filling.lanes == filling.scope_planes || stream.number() % filling.scope_planes == place
        };
        let of_stream = |stream| {
            let point = self.state.point_of(scope, stream);
            Begun { point, units: self.begun[point] }
        };
        Ids::all(streams).into_iter().filter(is_here).map(of_stream).collect()
    }
}

/// Opens the blocks that hold what is begun: `blocks` by write point, in the order of their lanes.
pub(super) fn open(state: &mut DriveState, blocks: &BTreeMap<PointId, Vec<BlockId>>) {
    for (&point, lanes) in blocks {
        let units = state.blocks[lanes[0]].next;
        let shape = state.layout.of_scope(state.layout.scope_of_point(point)).shape;
        state.points[point].open(lanes, shape, units, &state.geometry);
        for &block in lanes {
            let entry = &mut state.blocks[block];
            entry.set_point(point);
            entry.set_stream(state.layout.stream_of_point(point));
        }
    }
}
