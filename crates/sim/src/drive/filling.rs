//! How the dies of a group are filled: the scopes of write points, the domains of garbage collection, how large
//! one program is.

use super::shape::Shape;
use super::stripe::Stripe;
use crate::error::Error;
use crate::ids::{DomainId, Id, Ids, PlaneId, ScopeId};
use crate::nand::{Group, infeasible};
use crate::schema::{ChipConfig, Config, FrontierScope, GcCounts, GcMode, GcScope};

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
    /// How superblocks lie over dies, and their units, where blocks are those.
    pub stripe: Option<(Stripe, u32)>,
    /// Whether a program covers whole word lines.
    pub word_lines: bool,
    /// Planes of a die whose pages are sensed together.
    pub sensed_planes: usize,
    /// Whether data can be moved within a plane without leaving it.
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
    /// Whether what open blocks can still take is part of that.
    pub counts_pages: bool,
    /// Whether each write of the host may be the one for which GC does something.
    pub collects_at_writes: bool,
    /// Whether GC goes in step with what is written.
    pub in_step: bool,
    /// Erased blocks that each domain needs so that GC itself can write.
    pub inner: u32,
    /// Erased blocks that GC needs, and those that replace victims which wear out.
    pub spares: u32,
    /// Its planes in the order in which a round visits them.
    pub order: Vec<PlaneId>,
    /// The first of its planes.
    pub first_plane: PlaneId,
}

/// Pages that programs cover in each plane of a group before the next plane's: whole units, and whole word lines where a
/// program covers those or `keeps_lines` asks for it.
///
/// # Errors
/// Such programs do not fill its blocks.
pub fn pages_of_program(chip: &ChipConfig, group: &Group, keeps_lines: bool) -> Result<u32, Error> {
    let pages = match chip.program.is_word_line() || keeps_lines {
        true => lcm(group.bits, group.pages_per_unit),
        false => group.pages_per_unit,
    };
    if group.pages_per_block.is_multiple_of(pages) {
        return Ok(pages);
    }
    let multiple = format!("choose {} as a multiple", group.key("pages_per_block"));
    Err(infeasible(
        format!("programs of {pages} pages do not fill a block of {} pages", group.pages_per_block),
        match chip.program.is_word_line() {
            true => format!("{multiple}, or {} = \"page\"", group.key("program")),
            false => format!("{multiple}, or set ftl.superblock_dies to 0"),
        },
    ))
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
pub struct Streams {
    /// All of them.
    pub all: u32,
    /// Those that only the host writes.
    pub host_only: u32,
}

impl Filling {
    /// How `group`, the one after that of `before`, is filled.
    pub fn new(
        config: &Config,
        chip: &ChipConfig,
        group: &Group,
        streams: Streams,
        before: Option<&Self>,
    ) -> Result<Self, Error> {
        let ftl = &config.ftl;
        let per_die = chip.multi_plane || ftl.frontier_scope == FrontierScope::Die;
        let lanes = if chip.multi_plane { group.planes_per_die } else { 1 };
        let lane_pages = pages_of_program(chip, group, false)?;
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
        // A whole superblock is too much to wait for.
        let in_step = ftl.gc.mode == GcMode::Paced
            || ftl.superblock_dies > 0 && ftl.gc.mode.works_in_idle_time();
        let first_scope = before.map_or(ScopeId::new(0), |before| before.scopes.end());
        let first_domain = before.map_or(DomainId::new(0), |before| before.domains.end());
        Ok(Self {
            scopes: Ids::new(first_scope, planes / scope_planes),
            domains: Ids::new(first_domain, planes / domain_planes),
            scope_planes,
            streams: streams.all,
            lanes,
            shape: Shape::dense(lane_units),
            stripe: None,
            word_lines: chip.program.is_word_line(),
            sensed_planes: sensed_planes(chip),
            copy_back: chip.copy_back,
            usable_units: group.units_per_block,
            domain_planes,
            reserve: ((ftl.gc.free_block_threshold * blocks).floor() as u32).max(inner),
            set_aside: 0,
            copy_blocks: 0,
            counts_pages: ftl.gc.counts == GcCounts::Pages,
            collects_at_writes: ftl.gc.counts == GcCounts::Pages || in_step,
            in_step,
            inner,
            spares: inner,
            order: Vec::new(),
            first_plane: group.planes.first(),
        })
    }
}

impl Filling {
    /// How blocks are filled by a shape of one plane's block.
    pub fn lay_out(&self, shape: Shape) -> Shape {
        self.stripe.map_or(shape, |(stripe, units)| shape.striped(stripe, units))
    }

    /// What a domain keeps from data, given what blocks that are open for other streams do not hold yet,
    /// in the same unit.
    pub fn kept(&self, reserve: u64, open: u64) -> u64 {
        if self.counts_pages { reserve.max(open) } else { reserve + open }
    }
}

/// Planes of a die whose pages are sensed together: at most all that there are, in superblocks, too, whose planes the
/// chip of a drive does not tell.
fn sensed_planes(chip: &ChipConfig) -> usize {
    match (chip.multi_plane, chip.multi_plane_reads) {
        (false, _) => 1,
        (true, 0) => usize::MAX,
        (true, planes) => planes as usize,
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
