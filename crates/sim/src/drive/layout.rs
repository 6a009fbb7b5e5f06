//! Which planes share a write point, a free-block count and a garbage collector; how large one
//! program is; in which order writes visit the drive.

use super::stripe::Stripe;
use super::write_point::Shape;
use crate::error::Error;
use crate::ids::{ById, DomainId, Id, Ids, Lpn, PlaneId, PointId, ScopeId, StreamId};
use crate::nand::{Geometry, Group, index_of, infeasible};
use crate::schema::{
    Allocation, ChipConfig, Config, FrontierScope, Frontiers, GcCounts, GcMode, GcScope,
    MapCacheChoice, WearChoice,
};
use crate::util::FastDiv;
use std::collections::HashSet;

/// What policies and techniques have a say in.
#[derive(Debug, Clone)]
pub struct Choices {
    /// Temperatures that the hotness policy tells apart.
    pub temperatures: u32,
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
    /// How superblocks are filled, where blocks are those.
    pub stripe: Option<Stripe>,
}

/// Logical units of the host: U = T / (1 + OP).
pub fn logical_units(config: &Config, geometry: &Geometry) -> u32 {
    (geometry.units() as f64 / (1.0 + config.drive.over_provisioning)).floor() as u32
}

/// How the dies of a group are written and reclaimed.
#[derive(Debug, Clone)]
pub struct Filling {
    /// Its scopes of write points.
    pub scopes: Ids<ScopeId>,
    /// Its domains of garbage collection.
    pub domains: Ids<DomainId>,
    /// Planes of a write point's scope: 1, or those of a die.
    pub scope_planes: u32,
    /// Streams of the group, of those of the layout the first ones.
    pub streams: u32,
    /// Blocks that a write point fills side by side.
    pub lanes: u32,
    /// How blocks are filled, unless a technique says otherwise.
    pub shape: Shape,
    /// True where a program covers whole word lines.
    pub word_lines: bool,
    /// True where planes of a die work together.
    pub multi_plane: bool,
    /// True where data can be moved within a plane without leaving it.
    pub copy_back: bool,
    /// Planes of a domain of garbage collection.
    pub domain_planes: u32,
    /// Units of a block in which data can stand: all, unless a technique gives some up.
    pub usable_units: u32,
    /// Erased blocks that each domain holds back: what GC needs, one more where blocks wear out, so that GC can
    /// go on when a victim does not come back, and one more where it begins before the host waits for it.
    pub reserve: u32,
    /// Erased blocks of each domain that only streams of a technique may take.
    pub set_aside: u32,
    /// Blocks of each domain that hold copies of what programs in place put at risk.
    pub copy_blocks: u32,
    /// True where what open blocks can still take is part of that.
    pub counts_pages: bool,
    /// True where each write of the host may be the one for which GC does something.
    pub collects_at_writes: bool,
    /// Erased blocks that each domain needs so that GC itself can write.
    pub inner: u32,
    /// Its planes in the order in which a round visits them.
    pub order: Vec<PlaneId>,
    /// The first of its planes.
    first_plane: PlaneId,
}

/// The layout of writing and reclaiming, fixed for a run.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Streams: host temperatures, then GC, then the map, then a technique's own; of the group with the most.
    pub streams: u32,
    /// True where GC fills blocks of its own.
    pub separate: bool,
    /// True where GC moves all data to one stream, its own or the coldest of the host's; otherwise data
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
    /// How each group of dies is filled.
    pub fillings: Vec<Filling>,
    /// True where the plane follows from the address.
    pub is_static: bool,
    /// The planes of one round over the drive.
    pub order: Vec<PlaneId>,
    by_order: FastDiv,
    /// Scope and domain of each plane.
    of_plane: ById<PlaneId, (ScopeId, DomainId)>,
    /// True where every plane is a scope, and a domain, of its own.
    planes_are_scopes: bool,
    planes_are_domains: bool,
}

/// Each plane once, in the order of their first turns.
fn first_turns(planes: impl Iterator<Item = PlaneId>) -> Vec<PlaneId> {
    let mut met = HashSet::new();
    planes.filter(|&plane| met.insert(plane)).collect()
}

/// Whether pages tell what was trimmed, as those of the map tell where data is.
fn keeps_trims(config: &Config) -> bool {
    !config.power.protection.bears_all() && config.power.remembers_trims
}

/// Pages of whole units and whole word lines: the fewest.
pub fn word_line_pages(group: &Group) -> u32 {
    lcm(group.bits, group.pages_per_unit)
}

fn lcm(a: u32, b: u32) -> u32 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// Streams of a layout.
#[derive(Debug, Clone, Copy)]
struct Streams {
    all: u32,
    /// Those that only the host writes.
    host_only: u32,
}

impl Layout {
    /// The layout of `config`; `own_streams` are those of its techniques.
    ///
    /// # Errors
    /// Settings that contradict one another.
    pub fn new(config: &Config, geometry: &Geometry, choices: Choices) -> Result<Self, Error> {
        let ftl = &config.ftl;
        let Choices { temperatures, own_streams, own_streams_of_gc, order, .. } = choices;
        let gathers = ftl.frontiers != Frontiers::Shared;
        let separate = ftl.frontiers == Frontiers::Separate;
        let gc_stream = StreamId(if separate { temperatures } else { temperatures - 1 });
        let map_stream = gc_stream.plus(1);
        let levels = matches!(ftl.wear.policy, WearChoice::Static | WearChoice::Bet);
        let of_the_map =
            u32::from(ftl.map_cache.policy != MapCacheChoice::Full || keeps_trims(config));
        let wear_stream = if levels { map_stream.plus(of_the_map) } else { gc_stream };
        let technique_stream = gc_stream.plus(1 + of_the_map + u32::from(levels));
        let host_only = if gathers { gc_stream.0 } else { 0 };
        let streams_in = |group: usize| Streams {
            all: technique_stream.0 + own_streams[group],
            host_only: host_only + own_streams[group] - own_streams_of_gc[group],
        };
        let mut fillings: Vec<Filling> = Vec::with_capacity(geometry.groups.len());
        for (kind, group) in config.drive.kinds().iter().zip(&geometry.groups) {
            let streams = streams_in(fillings.len());
            let mut filling = Filling::new(config, kind.chip, group, streams, fillings.last())?;
            let spares = filling.inner + u32::from(choices.wears_out[fillings.len()]);
            let begins_early = u32::from(ftl.gc.mode == GcMode::Paced);
            filling.reserve = filling.reserve.max(spares + begins_early);
            let safety = u32::from(choices.pads) + 2 * u32::from(choices.copies);
            (filling.inner, filling.reserve) = (filling.inner + safety, filling.reserve + safety);
            if choices.copies {
                let scopes = filling.scopes.count().div_ceil(filling.domains.count().max(1));
                filling.copy_blocks = scopes;
            }
            filling.set_aside = choices.set_aside[fillings.len()] * filling.domain_planes;
            let of_group = order.iter().filter(|&&plane| group.planes.contains(plane));
            filling.order = first_turns(of_group.copied());
            let usable = f64::from(group.units_per_block) * choices.capacity_shares[fillings.len()];
            filling.usable_units = (usable.floor() as u32).max(1);
            if let Some(stripe) = choices.stripe {
                filling.shape = Shape::striped(filling.shape.units, stripe, group.units_per_block);
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
    pub(crate) fn units_by_plane(&self, units: u32) -> ById<PlaneId, u32> {
        let (rounds, rest) = self.by_order.div_rem(units);
        let mut counts = ById::filled(0, self.of_plane.count());
        for (&plane, position) in self.order.iter().zip(0..) {
            counts[plane] += rounds + u32::from(position < rest);
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

impl Filling {
    /// How `group`, the one after that of `before`, is filled.
    fn new(
        config: &Config,
        chip: &ChipConfig,
        group: &Group,
        streams: Streams,
        before: Option<&Self>,
    ) -> Result<Self, Error> {
        let ftl = &config.ftl;
        let per_die = chip.multi_plane || ftl.frontier_scope == FrontierScope::Die;
        let lanes = if chip.multi_plane { group.planes_per_die } else { 1 };
        let word_lines = chip.program.is_word_line();
        let lane_pages = match word_lines {
            true => word_line_pages(group),
            false => group.pages_per_unit,
        };
        if !group.pages_per_block.is_multiple_of(lane_pages) {
            return Err(infeasible(
                format!(
                    "programs of {lane_pages} pages do not fill a block of {} pages",
                    group.pages_per_block
                ),
                format!(
                    "choose {} as a multiple, or {} = \"page\"",
                    group.key("pages_per_block"),
                    group.key("program")
                ),
            ));
        }
        let planes = group.planes.count();
        let domain_planes = match ftl.gc.scope {
            GcScope::Plane => 1,
            GcScope::Die => group.planes_per_die,
            GcScope::Drive => planes,
        };
        let scope_planes = if per_die { group.planes_per_die } else { 1 };
        check_scopes(group, lanes, scope_planes, domain_planes)?;
        let lane_units = lane_pages * group.units_per_page / group.pages_per_unit;
        let inner = inner_blocks(streams.all - streams.host_only, lanes);
        let blocks = f64::from(domain_planes) * f64::from(group.blocks_per_plane);
        let first_scope = before.map_or(ScopeId::new(0), |before| before.scopes.end());
        let first_domain = before.map_or(DomainId::new(0), |before| before.domains.end());
        Ok(Self {
            scopes: Ids::new(first_scope, planes / scope_planes),
            domains: Ids::new(first_domain, planes / domain_planes),
            scope_planes,
            streams: streams.all,
            lanes,
            shape: Shape::dense(lane_units),
            word_lines,
            multi_plane: chip.multi_plane,
            copy_back: chip.copy_back,
            usable_units: group.units_per_block,
            domain_planes,
            reserve: ((ftl.gc.free_block_threshold * blocks).floor() as u32).max(inner),
            set_aside: 0,
            copy_blocks: 0,
            counts_pages: ftl.gc.counts == GcCounts::Pages,
            collects_at_writes: ftl.gc.counts == GcCounts::Pages || ftl.gc.mode == GcMode::Paced,
            inner,
            order: Vec::new(),
            first_plane: group.planes.first(),
        })
    }
}

impl Filling {
    /// What a domain keeps from data, given what blocks that are open for other streams do not hold yet,
    /// in the same unit.
    pub fn kept(&self, reserve: u64, open: u64) -> u64 {
        if self.counts_pages { reserve.max(open) } else { reserve + open }
    }
}

/// Refuses write points and collectors that count blocks in ways which contradict one another.
fn check_scopes(
    group: &Group,
    lanes: u32,
    scope_planes: u32,
    domain_planes: u32,
) -> Result<(), Error> {
    if lanes > 1 && domain_planes > 1 {
        return Err(infeasible(
            format!(
                "{} programs a block of every plane at once, but ftl.gc.scope counts free blocks over several planes",
                group.key("multi_plane")
            ),
            "set ftl.gc.scope to \"plane\"",
        ));
    }
    if lanes == 1 && domain_planes < scope_planes {
        return Err(infeasible(
            "ftl.frontier_scope = \"die\" takes blocks from all planes of a die, but ftl.gc.scope = \"plane\" counts them plane by plane",
            "set ftl.gc.scope to \"die\" or \"drive\"",
        ));
    }
    Ok(())
}

/// Erased blocks without which GC itself could get stuck: one for each stream that it writes, which
/// with shared frontiers are all; with lanes one more, since a group of lanes takes a block from
/// every plane at once.
fn inner_blocks(streams: u32, lanes: u32) -> u32 {
    streams.max(1) + u32::from(lanes > 1)
}
