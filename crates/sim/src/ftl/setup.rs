//! Building a drive, and refusing one that cannot work.

use super::gc::Limits;
use super::room::WearLevelling;
use super::{Ftl, VecDeque};
use crate::config::Config;
use crate::drive::{
    Choices, DriveState, FreeList, Layout, Pending, ValidBits, Victims, WritePoint,
};
use crate::engine::Scheduler;
use crate::error::Error;
use crate::nand::{Block, BlockState, Geometry, OpTable, infeasible};
use crate::policy::map_cache::MapCache;
use crate::policy::{alloc, gc, hotness};
use crate::technique::Technique;
use crate::technique::erase::{self, EraseScheme};
use crate::util::{NONE, Rng, large_vec};

/// What does not change during a run, and whose turn it is.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub wait_for_program: bool,
    /// False while the steady state is verified: those erases do not belong to the run.
    pub wears: bool,
    pub merge_timeout_ns: u64,
    pub multi_plane: bool,
    pub copy_back: bool,
    /// Dynamic allocation: where the search for an idle die starts.
    pub next_die: u32,
    /// Dynamic allocation: the scope of each die that is next.
    pub next_scope: Vec<u32>,
    /// Write points that visit the planes of their scope: the next plane.
    pub next_plane: Vec<u32>,
}

impl Settings {
    fn new(config: &Config, scopes: u32, dies: u32) -> Self {
        Self {
            wears: true,
            wait_for_program: config.ftl.acknowledge == "program",
            merge_timeout_ns: (config.ftl.merge_timeout_us * 1000.0).round() as u64,
            multi_plane: config.drive.chip.multi_plane,
            copy_back: config.drive.chip.copy_back,
            next_die: 0,
            next_scope: vec![0; dies as usize],
            next_plane: vec![0; scopes as usize],
        }
    }
}

/// Logical units of the host: U = T / (1 + OP).
pub fn logical_units(config: &Config, geometry: &Geometry) -> u32 {
    (f64::from(geometry.units()) / (1.0 + config.drive.over_provisioning)).floor() as u32
}

/// Units that the map itself takes in flash.
fn translation_units(config: &Config, geometry: &Geometry, logical_units: u32) -> u32 {
    match config.ftl.map_cache.policy.as_str() {
        "full" => 0,
        _ => logical_units.div_ceil(MapCache::entries_per_page(geometry.unit_bytes)),
    }
}

impl<T: Technique, S: Scheduler> Ftl<T, S> {
    /// An empty drive, whose blocks are erased as its configuration says.
    ///
    /// # Errors
    /// A drive that cannot work, with the arithmetic.
    pub fn new(config: &Config, technique: T) -> Result<Self, Error> {
        Self::with_scheme(config, technique, erase::build(config))
    }

    /// An empty drive with an erase scheme of the caller's own.
    ///
    /// # Errors
    /// As [`Ftl::new`].
    pub fn with_scheme(
        config: &Config,
        mut technique: T,
        mut erase_scheme: Box<dyn EraseScheme>,
    ) -> Result<Self, Error> {
        check_keys(config)?;
        let geometry = Geometry::new(config)?;
        let mut ops = OpTable::new(&config.drive.chip, &geometry)?;
        technique.operations(&mut ops, &config.drive.chip);
        erase_scheme.operations(&mut ops, &config.drive.chip);
        let choices = Choices {
            temperatures: hotness::temperatures(&config.ftl.hotness),
            own_streams: technique.streams(),
            order: alloc::plane_order(&config.ftl.allocation, &geometry),
        };
        let layout = Layout::new(config, &geometry, choices)?;
        technique.streams_from(layout.technique_stream);
        let logical_units = logical_units(config, &geometry);
        let mapped = logical_units + translation_units(config, &geometry, logical_units);
        let bad = bad_blocks(config, &geometry);
        check_space(&geometry, &layout, mapped, &bad)?;

        let victim_policy = gc::build(&config.ftl.gc);
        let (blocks, domains) = (geometry.blocks(), layout.domains(&geometry));
        let orders = victim_policy.orders();
        let victims = Victims::new(orders, domains, blocks, geometry.units_per_block);
        let points = (layout.scopes(&geometry) * layout.streams) as usize;
        let by_wear = config.ftl.wear.policy != "none";
        let state = DriveState {
            logical_units,
            map: large_vec(NONE, mapped as usize),
            reverse: large_vec(NONE, geometry.units() as usize),
            valid: ValidBits::new(blocks, geometry.units_per_block),
            blocks: large_vec(new_block(config, &*erase_scheme), blocks as usize),
            free: (0..geometry.planes()).map(|_| FreeList::new(by_wear)).collect(),
            free_in: vec![0; domains as usize],
            victims,
            points: vec![WritePoint::default(); points],
            filled: 0,
            ops,
            layout,
            geometry,
        };
        let (layout, geometry) = (&state.layout, &state.geometry);
        let domain_blocks = layout.domain_planes * geometry.blocks_per_plane;
        let limits = Limits::new(&config.ftl.gc, domain_blocks, layout.reserve, layout.inner);
        let mut ftl = Self {
            technique,
            victim_policy,
            victim_rng: Rng::new(config.run.seed, "victims"),
            hotness: hotness::build(&config.ftl.hotness, blocks, logical_units),
            erase_scheme,
            map_cache: (config.ftl.map_cache.policy != "full")
                .then(|| MapCache::new(config.ftl.map_cache.capacity_kib, geometry.unit_bytes)),
            limits,
            wear: wear_levelling(config, domain_blocks),
            settings: Settings::new(config, layout.scopes(geometry), geometry.dies()),
            pending: std::iter::repeat_with(Pending::default).take(points).collect(),
            deadlines: VecDeque::new(),
            jobs: std::iter::repeat_with(|| None).take(domains as usize).collect(),
            to_erase: Vec::new(),
            op_blocks: Vec::new(),
            translations: Vec::new(),
            rewriting: false,
            declined_ns: u64::MAX,
            fruitless: 0,
            reclaiming: false,
            read_only: false,
            state,
        };
        for block in 0..blocks {
            if bad[block as usize] {
                ftl.state.blocks[block as usize].state = BlockState::Bad;
            } else {
                ftl.state.release(block);
            }
        }
        Ok(ftl)
    }

    /// Every block is at `erases` P/E cycles again.
    pub(super) fn forget_wear(&mut self, erases: u32) {
        self.state.blocks.iter_mut().for_each(|block| block.erases = erases);
        for list in &mut self.state.free {
            list.forget_wear(erases);
        }
        self.settings.wears = true;
    }

    /// The same drive under another scheduler. Nothing may be waiting for the old one.
    pub fn under<S2: Scheduler>(self) -> Ftl<T, S2> {
        debug_assert!(self.to_erase.is_empty() && self.jobs.iter().all(Option::is_none));
        let (points, domains) = (self.pending.len(), self.jobs.len());
        Ftl {
            state: self.state,
            technique: self.technique,
            victim_policy: self.victim_policy,
            victim_rng: self.victim_rng,
            hotness: self.hotness,
            erase_scheme: self.erase_scheme,
            map_cache: self.map_cache,
            limits: self.limits,
            wear: self.wear,
            settings: self.settings,
            pending: std::iter::repeat_with(Pending::default).take(points).collect(),
            deadlines: VecDeque::new(),
            jobs: std::iter::repeat_with(|| None).take(domains).collect(),
            to_erase: Vec::new(),
            op_blocks: Vec::new(),
            translations: Vec::new(),
            rewriting: false,
            declined_ns: u64::MAX,
            fruitless: 0,
            reclaiming: false,
            read_only: self.read_only,
        }
    }
}

fn new_block(config: &Config, scheme: &dyn EraseScheme) -> Block {
    let erases = config.drive.chip.initial_pec as u32;
    let (program_row, read_row) = scheme.first_rows(erases);
    Block { erases, program_row, read_row, ..Block::default() }
}

fn wear_levelling(config: &Config, domain_blocks: u32) -> WearLevelling {
    let is_static = config.ftl.wear.policy == "static";
    // A look goes over all blocks of the domain: this spreads its cost over the erases between.
    let period = (domain_blocks / 256).max(1);
    WearLevelling {
        threshold_pec: is_static.then_some(config.ftl.wear.threshold as u32),
        period,
        countdown: period,
    }
}

/// Which blocks are bad from the start.
fn bad_blocks(config: &Config, geometry: &Geometry) -> Vec<bool> {
    let mut rng = Rng::new(config.run.seed, "bad blocks");
    let share = config.drive.chip.bad_blocks;
    (0..geometry.blocks()).map(|_| share > 0.0 && rng.unit() < share).collect()
}

/// Refuses values that are legal one by one, but not as they stand.
fn check_keys(config: &Config) -> Result<(), Error> {
    let bounds = &config.ftl.hotness.intervals_min;
    if bounds.is_empty() || !bounds.is_sorted_by(|a, b| a < b) {
        return Err(infeasible(
            format!("ftl.hotness.intervals_min is {bounds:?}"),
            "give at least one interval, each longer than the one before it",
        ));
    }
    let interval_s = config.host.flush_interval_s;
    if interval_s > 0.0 && interval_s < 0.001 {
        return Err(infeasible(
            format!("host.flush_interval_s is {interval_s}: less than a millisecond"),
            "choose 0.001 or more, or 0 to write the buffer out only when it is full",
        ));
    }
    Ok(())
}

/// Refuses a drive on which GC could not make progress.
fn check_space(
    geometry: &Geometry,
    layout: &Layout,
    mapped: u32,
    bad: &[bool],
) -> Result<(), Error> {
    if mapped == 0 {
        return Err(infeasible("the drive has no logical space", "lower over_provisioning"));
    }
    let domains = layout.domains(geometry);
    let per_domain = layout.domain_planes * geometry.blocks_per_plane;
    let data_units = mapped.div_ceil(domains);
    let data = data_units.div_ceil(geometry.units_per_block);
    let open = layout.streams * layout.domain_planes * layout.lanes / layout.scope_planes;
    for domain in 0..domains {
        let range = (domain * per_domain) as usize..((domain + 1) * per_domain) as usize;
        let lost = bad[range].iter().filter(|&&bad| bad).count() as u32;
        let needed = data + layout.reserve + open + 1;
        if per_domain - lost < needed {
            return Err(infeasible(
                format!(
                    "GC could not make progress: a domain has {per_domain} blocks less {lost} bad ones, but needs {needed}: {data} for {data_units} units of data, {} held back, {open} open, and 1 to gain from",
                    layout.reserve
                ),
                "raise drive.over_provisioning or drive.chip.blocks_per_plane, lower ftl.gc.free_block_threshold, or widen ftl.gc.scope",
            ));
        }
    }
    Ok(())
}
