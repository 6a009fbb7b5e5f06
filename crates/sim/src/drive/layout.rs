//! Which planes share a write point, a free-block count and a garbage collector; how large one
//! program is; in which order writes visit the drive.

use super::write_point::Shape;
use crate::config::Config;
use crate::error::Error;
use crate::nand::{Geometry, infeasible};
use crate::util::FastDiv;

/// What policies and techniques have a say in.
#[derive(Debug, Clone)]
pub struct Choices {
    /// Temperatures that the hotness policy tells apart.
    pub temperatures: u32,
    /// Streams of the techniques.
    pub own_streams: u32,
    /// Plane by position in the static order; empty when allocation is dynamic.
    pub order: Vec<u32>,
}

/// The layout of writing and reclaiming, fixed for a run.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Streams: host temperatures, then GC, then the map, then a technique's own.
    pub streams: u32,
    /// True where GC fills blocks of its own.
    pub separate: bool,
    /// Stream of units that GC moves; with shared frontiers, the coldest of the host's.
    pub gc_stream: u32,
    /// Stream of translation pages.
    pub map_stream: u32,
    /// Stream of cold data that wear levelling moves; as `gc_stream` without static levelling.
    pub wear_stream: u32,
    /// First stream of a technique.
    pub technique_stream: u32,
    /// Planes of a write point's scope: 1, or those of a die.
    pub scope_planes: u32,
    /// Blocks that a write point fills side by side.
    pub lanes: u32,
    /// How blocks are filled, unless a technique says otherwise.
    pub shape: Shape,
    /// True where a program covers whole word lines.
    pub word_lines: bool,
    /// Planes of a domain of garbage collection.
    pub domain_planes: u32,
    /// Erased blocks that each domain holds back.
    pub reserve: u32,
    /// Erased blocks that each domain needs so that GC itself can write.
    pub inner: u32,
    /// Plane by position in the static order; empty when allocation is dynamic.
    pub order: Vec<u32>,
    by_order: FastDiv,
}

fn lcm(a: u32, b: u32) -> u32 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

impl Layout {
    /// The layout of `config`; `own_streams` are those of its techniques.
    ///
    /// # Errors
    /// Settings that contradict one another.
    pub fn new(config: &Config, geometry: &Geometry, choices: Choices) -> Result<Self, Error> {
        let (ftl, chip) = (&config.ftl, &config.drive.chip);
        let Choices { temperatures, own_streams, order } = choices;
        let separate = ftl.frontiers == "separate";
        let gc_stream = if separate { temperatures } else { temperatures - 1 };
        let map_stream = gc_stream + 1;
        let levels = ftl.wear.policy == "static";
        let wear_stream =
            if levels { map_stream + u32::from(ftl.map_cache.policy != "full") } else { gc_stream };
        let technique_stream =
            gc_stream + 1 + u32::from(ftl.map_cache.policy != "full") + u32::from(levels);
        let per_die = chip.multi_plane || ftl.frontier_scope == "die";
        let lanes = if chip.multi_plane { geometry.planes_per_die } else { 1 };
        let word_lines = chip.program != "page";
        let lane_pages = match word_lines {
            true => lcm(geometry.bits, geometry.pages_per_unit),
            false => geometry.pages_per_unit,
        };
        if !geometry.pages_per_block.is_multiple_of(lane_pages) {
            return Err(infeasible(
                format!(
                    "programs of {lane_pages} pages do not fill a block of {} pages",
                    geometry.pages_per_block
                ),
                "choose drive.chip.pages_per_block as a multiple, or drive.chip.program = \"page\"",
            ));
        }
        let domain_planes = match ftl.gc.scope.as_str() {
            "plane" => 1,
            "die" => geometry.planes_per_die,
            _ => geometry.planes(),
        };
        let scope_planes = if per_die { geometry.planes_per_die } else { 1 };
        if lanes > 1 && domain_planes > 1 {
            return Err(infeasible(
                "drive.chip.multi_plane programs a block of every plane at once, but ftl.gc.scope counts free blocks over several planes",
                "set ftl.gc.scope to \"plane\"",
            ));
        }
        if lanes == 1 && domain_planes < scope_planes {
            return Err(infeasible(
                "ftl.frontier_scope = \"die\" takes blocks from all planes of a die, but ftl.gc.scope = \"plane\" counts them plane by plane",
                "set ftl.gc.scope to \"die\" or \"drive\"",
            ));
        }
        let streams = technique_stream + own_streams;
        let lane_units = lane_pages * geometry.units_per_page / geometry.pages_per_unit;
        let host_only = if separate { temperatures } else { 0 };
        let inner = inner_blocks(streams - host_only, lanes);
        Ok(Self {
            streams,
            separate,
            gc_stream,
            map_stream,
            wear_stream,
            technique_stream,
            scope_planes,
            lanes,
            shape: Shape::dense(lane_units),
            word_lines,
            domain_planes,
            reserve: reserve(config, geometry, domain_planes, inner),
            inner,
            by_order: FastDiv::new(geometry.planes()),
            order,
        })
    }

    /// Scopes of write points.
    pub fn scopes(&self, geometry: &Geometry) -> u32 {
        geometry.planes() / self.scope_planes
    }

    /// Domains of garbage collection.
    pub fn domains(&self, geometry: &Geometry) -> u32 {
        geometry.planes() / self.domain_planes
    }

    /// The domain of a plane.
    #[inline]
    pub fn domain_of(&self, plane: u32) -> u32 {
        if self.domain_planes == 1 { plane } else { plane / self.domain_planes }
    }

    /// The scope of a plane.
    #[inline]
    pub fn scope_of(&self, plane: u32) -> u32 {
        if self.scope_planes == 1 { plane } else { plane / self.scope_planes }
    }

    /// The plane that a static order gives to a logical unit.
    #[inline]
    pub fn static_plane(&self, lpn: u32) -> u32 {
        let (_, position) = self.by_order.div_rem(lpn);
        self.order[position as usize]
    }

    /// True where the plane follows from the address.
    #[inline]
    pub fn is_static(&self) -> bool {
        !self.order.is_empty()
    }
}

/// Erased blocks without which GC itself could get stuck: one for each stream that it writes, which
/// with shared frontiers are all; with
/// lanes one more, since a group takes a block from every plane at once.
fn inner_blocks(streams: u32, lanes: u32) -> u32 {
    streams.max(1) + u32::from(lanes > 1)
}

/// Erased blocks that a domain holds back.
fn reserve(config: &Config, geometry: &Geometry, planes: u32, inner: u32) -> u32 {
    let blocks = f64::from(planes) * f64::from(geometry.blocks_per_plane);
    ((config.ftl.gc.free_block_threshold * blocks).floor() as u32).max(inner)
}
