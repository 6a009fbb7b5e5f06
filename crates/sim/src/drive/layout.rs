//! Which planes share a write point, a free-block count and a garbage collector; how large one
//! program is; in which order writes visit the drive.

use super::filling::{Filling, Streams};
use super::handles::Handles;
use super::stripe::Stripe;
use crate::error::Error;
use crate::ids::{ById, DomainId, Id, Ids, Lpn, PlaneId, PointId, ScopeId, StreamId};
use crate::nand::{Geometry, Group, index_of};
use crate::schema::{Allocation, Config, Frontiers, MapCacheChoice, WearChoice};
use crate::util::FastDiv;
use std::collections::HashSet;

/// What policies and techniques have a say in.
#[derive(Debug, Clone)]
pub struct Choices {
    /// Temperatures that the hotness policy tells apart; of a drive with reclaim unit handles, these.
    pub temperatures: u32,
    /// The handles of a drive that takes placement identifiers.
    pub handles: Option<Handles>,
    /// By group, streams of the techniques.
    pub own_streams: Vec<u32>,
    /// Those of them that GC writes too.
    pub own_streams_of_gc: Vec<u32>,
    /// By group, the share of the units of a block in which data can stand.
    pub capacity_shares: Vec<f64>,
    /// By group, erased blocks of each plane that only streams of the techniques may take.
    pub set_aside: Vec<u32>,
    /// Whether word lines are filled up before anything counts on them, which takes room where GC needs it.
    pub pads: bool,
    /// Whether blocks are taken for copies of what programs in place put at risk.
    pub copies: bool,
    /// By group, whether its blocks may wear out.
    pub wears_out: Vec<bool>,
    /// The planes of one round over the drive, each as often as its share of the drive's units asks.
    pub order: Vec<PlaneId>,
    /// By group, how superblocks are filled, where not as blocks are.
    pub stripes: Vec<Option<Stripe>>,
}

/// Logical units of the host: U = T / (1 + OP).
pub fn logical_units(config: &Config, geometry: &Geometry) -> u64 {
    (geometry.units() as f64 / (1.0 + config.drive.over_provisioning)).floor() as u64
}

/// The layout of writing and reclaiming, fixed for a run.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Streams: host temperatures, then GC, then the map, then a technique's own; of the group with the most.
    pub streams: u32,
    /// Whether GC fills blocks of its own.
    pub separate: bool,
    /// Whether GC moves all data to one stream, its own or the coldest of the host's; otherwise data
    /// stays with its like.
    pub gathers: bool,
    /// Stream of units that GC moves, where they go to one; otherwise the coldest of the host's.
    pub gc_stream: StreamId,
    /// Stream of translation pages.
    pub map_stream: StreamId,
    /// Stream of cold data that wear levelling moves; as `gc_stream` without static levelling.
    pub wear_stream: StreamId,
    /// First stream of a technique.
    pub technique_stream: StreamId,
    /// Whose the streams of the host are, where it says which data belongs together.
    pub handles: Option<Handles>,
    /// How each group of dies is filled.
    pub fillings: Vec<Filling>,
    /// Whether the plane follows from the address.
    pub is_static: bool,
    /// The planes of one round over the drive.
    pub order: Vec<PlaneId>,
    by_order: FastDiv,
    /// Scope and domain of each plane.
    of_plane: ById<PlaneId, (ScopeId, DomainId)>,
    /// Whether every plane is a scope, and a domain, of its own.
    planes_are_scopes: bool,
    planes_are_domains: bool,
}

/// Each plane once, in the order of their first turns.
pub(crate) fn first_turns(planes: impl Iterator<Item = PlaneId>) -> Vec<PlaneId> {
    let mut met = HashSet::new();
    planes.filter(|&plane| met.insert(plane)).collect()
}

/// Whether pages tell what was trimmed, as those of the map tell where data is.
fn keeps_trims(config: &Config) -> bool {
    !config.power.protection.bears_all() && config.power.remembers_trims
}

impl Layout {
    /// The layout of `config`; `own_streams` are those of its techniques.
    ///
    /// # Errors
    /// Settings that contradict one another.
    pub fn new(config: &Config, geometry: &Geometry, choices: Choices) -> Result<Self, Error> {
        let ftl = &config.ftl;
        let Choices { temperatures, handles, own_streams, own_streams_of_gc, order, .. } = choices;
        let gathers = ftl.frontiers != Frontiers::Shared;
        let separate = ftl.frontiers == Frontiers::Separate;
        let gc_stream = StreamId(if separate { temperatures } else { temperatures - 1 });
        let gc_streams = handles.as_ref().map_or(1, |handles| handles.gc_streams().max(1));
        let map_stream = gc_stream.plus(gc_streams);
        let levels = matches!(ftl.wear.policy, WearChoice::Static | WearChoice::Bet);
        let of_the_map =
            u32::from(ftl.map_cache.policy != MapCacheChoice::Full || keeps_trims(config));
        let wear_stream = if levels { map_stream.plus(of_the_map) } else { gc_stream };
        let technique_stream = gc_stream.plus(gc_streams + of_the_map + u32::from(levels));
        // All that a victim holds of the host goes to one stream, though shared frontiers hold back one for each.
        let one_target = gc_stream.0 + gc_streams - 1;
        let host_only = if gathers || handles.is_some() { one_target } else { 0 };
        let streams_in = |group: usize| Streams {
            all: technique_stream.0 + own_streams[group],
            host_only: host_only + own_streams[group] - own_streams_of_gc[group],
        };
        let mut fillings: Vec<Filling> = Vec::with_capacity(geometry.groups.len());
        for (kind, group) in config.drive.kinds().iter().zip(&geometry.groups) {
            let streams = streams_in(fillings.len());
            let mut filling = Filling::new(config, kind.chip, group, streams, fillings.last())?;
            filling.spares += u32::from(choices.wears_out[fillings.len()]);
            filling.reserve = filling.reserve.max(filling.spares + u32::from(filling.in_step));
            let safety = u32::from(choices.pads) + 2 * u32::from(choices.copies);
            for blocks in [&mut filling.inner, &mut filling.spares, &mut filling.reserve] {
                *blocks += safety;
            }
            if choices.copies {
                let scopes = filling.scopes.count().div_ceil(filling.domains.count().max(1));
                filling.copy_blocks = scopes;
            }
            filling.set_aside = choices.set_aside[fillings.len()] * filling.domain_planes;
            let of_group = order.iter().filter(|&&plane| group.planes.contains(plane));
            filling.order = first_turns(of_group.copied());
            let usable = f64::from(group.units_per_block) * choices.capacity_shares[fillings.len()];
            filling.usable_units = (usable.floor() as u32).max(1);
            if let Some(&Some(stripe)) = choices.stripes.get(fillings.len()) {
                filling.stripe = Some((stripe, group.units_per_block));
                filling.shape = filling.lay_out(filling.shape);
                filling.usable_units = filling.shape.units_of_data();
            }
            fillings.push(filling);
        }
        let of_plane = |(group, filling): (&Group, &Filling)| {
            let (scopes, domains) = (filling.scopes, filling.domains);
            let (per_scope, per_domain) = (filling.scope_planes, filling.domain_planes);
            (0..group.planes.count())
                .map(move |plane| (scopes.at(plane / per_scope), domains.at(plane / per_domain)))
        };
        Ok(Self {
            streams: fillings.iter().map(|filling| filling.streams).max().unwrap_or(0),
            separate,
            gathers,
            gc_stream,
            map_stream,
            wear_stream,
            technique_stream,
            handles,
            is_static: ftl.allocation != Allocation::Dynamic,
            by_order: FastDiv::new(order.len() as u32),
            order,
            of_plane: geometry.groups.iter().zip(&fillings).flat_map(of_plane).collect(),
            planes_are_scopes: fillings.iter().all(|filling| filling.scope_planes == 1),
            planes_are_domains: fillings.iter().all(|filling| filling.domain_planes == 1),
            fillings,
        })
    }

    /// Scopes of write points.
    pub fn scopes(&self) -> Ids<ScopeId> {
        Ids::all(self.fillings.last().map_or(0, |filling| filling.scopes.end().number()))
    }

    /// Domains of garbage collection.
    pub fn domains(&self) -> Ids<DomainId> {
        Ids::all(self.fillings.last().map_or(0, |filling| filling.domains.end().number()))
    }

    /// Streams of a group in which data of the host may be: all but those that only the drive itself writes.
    pub fn streams_of_host(&self, filling: &Filling) -> u32 {
        let own = self.technique_stream.0 - self.gc_stream.0;
        filling.streams - if self.separate { own } else { own - 1 }
    }

    /// The stream to which GC moves what it finds of the host in a block of a stream.
    #[inline]
    pub fn moved_to(&self, stream: StreamId) -> StreamId {
        match &self.handles {
            Some(handles) => handles.moved_to(stream),
            None if self.gathers => self.gc_stream,
            None => stream,
        }
    }

    /// The stream of blocks that are full before the first request.
    pub fn filled_stream(&self) -> StreamId {
        self.handles.as_ref().map_or(self.gc_stream, Handles::first)
    }

    /// The stream of what the host writes where it says nothing.
    pub fn first_stream(&self) -> StreamId {
        self.handles.as_ref().map_or(StreamId(0), Handles::first)
    }

    /// The domain of a plane.
    #[inline]
    pub fn domain_of(&self, plane: PlaneId) -> DomainId {
        if self.planes_are_domains { DomainId(plane.0) } else { self.of_plane[plane].1 }
    }

    /// The scope of a plane.
    #[inline]
    pub fn scope_of(&self, plane: PlaneId) -> ScopeId {
        if self.planes_are_scopes { ScopeId(plane.0) } else { self.of_plane[plane].0 }
    }

    /// The group of a domain.
    #[inline]
    pub fn group_of_domain(&self, domain: DomainId) -> usize {
        index_of(&self.fillings, |filling| filling.domains.end() <= domain)
    }

    /// The group of a scope.
    #[inline]
    pub fn group_of_scope(&self, scope: ScopeId) -> usize {
        index_of(&self.fillings, |filling| filling.scopes.end() <= scope)
    }

    /// How the dies of a domain are filled.
    pub fn of_domain(&self, domain: DomainId) -> &Filling {
        &self.fillings[self.group_of_domain(domain)]
    }

    /// How the dies of a scope are filled.
    pub fn of_scope(&self, scope: ScopeId) -> &Filling {
        &self.fillings[self.group_of_scope(scope)]
    }

    /// The planes of a domain.
    pub fn planes_of_domain(&self, domain: DomainId) -> Ids<PlaneId> {
        let filling = self.of_domain(domain);
        let planes = filling.domain_planes;
        let first = filling.first_plane.number() + filling.domains.place_of(domain) * planes;
        Ids::new(PlaneId(first), planes)
    }

    /// The scopes of a domain's planes.
    pub fn scopes_of_domain(&self, domain: DomainId) -> Ids<ScopeId> {
        let planes = self.planes_of_domain(domain);
        Ids::between(self.scope_of(planes.first()), self.scope_of(planes.last()))
    }

    /// The planes of a scope.
    pub fn planes_of_scope(&self, scope: ScopeId) -> Ids<PlaneId> {
        let filling = self.of_scope(scope);
        let planes = filling.scope_planes;
        let first = filling.first_plane.number() + filling.scopes.place_of(scope) * planes;
        Ids::new(PlaneId(first), planes)
    }

    /// How many of the first `units` logical units each plane holds in a round.
    pub(crate) fn units_by_plane(&self, units: u64) -> ById<PlaneId, u64> {
        let (rounds, rest) = self.by_order.div_rem(units);
        let mut counts = ById::filled(0, self.of_plane.count());
        for (&plane, position) in self.order.iter().zip(0..) {
            counts[plane] += rounds + u64::from(position < rest);
        }
        counts
    }

    /// The write point of a scope and stream.
    #[inline]
    pub fn point_of(&self, scope: ScopeId, stream: StreamId) -> PointId {
        PointId(scope.0 * self.streams + stream.0)
    }

    /// The scope of a write point.
    #[inline]
    pub fn scope_of_point(&self, point: PointId) -> ScopeId {
        ScopeId(point.0 / self.streams)
    }

    /// The stream of a write point.
    #[inline]
    pub fn stream_of_point(&self, point: PointId) -> StreamId {
        StreamId(point.0 % self.streams)
    }

    /// The write points of a scope.
    pub fn points_of_scope(&self, scope: ScopeId) -> Ids<PointId> {
        Ids::new(self.point_of(scope, StreamId(0)), self.streams)
    }

    /// The plane that a static order gives to a logical unit.
    #[inline]
    pub fn static_plane(&self, lpn: Lpn) -> PlaneId {
        let (_, position) = self.by_order.div_rem(lpn.number());
        self.order[position as usize]
    }
}
