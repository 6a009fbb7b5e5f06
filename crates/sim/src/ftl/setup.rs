//! Building a drive.

use super::feasible::{check_drive, check_keys, check_metadata};
use super::gc::Limits;
use super::room::WearLevelling;
use super::safeguard::{Safeguard, Site, trim_units};
use super::superblocks::View;
use super::{Ftl, VecDeque};
use crate::drive::{
    Choices, DriveState, FreeList, Layout, Orders, Pending, ValidBits, Victims, WritePoint,
    logical_units,
};
use crate::engine::Scheduler;
use crate::error::Error;
use crate::flash::Chips;
use crate::ids::{BlockId, ById, DieId, Lpn, ScopeId, Unit};
use crate::nand::{Block, BlockState, Geometry, OpTable, Superblocks};
use crate::policy::alloc::{self, MostFree};
use crate::policy::gc::{self, VictimPolicy};
use crate::policy::map_cache::{self, MapCache};
use crate::policy::{hotness, wear};
use crate::schema::{
    Acknowledge, Config, GcTrigger, Incomplete, MapCacheChoice, PlaneAllocation, Unmapped,
};
use crate::technique::erase::{self, EraseScheme};
use crate::technique::{Hooks, Placement};
use crate::util::{Rng, large_vec};
use rustc_hash::{FxHashMap, FxHashSet};

/// What does not change during a run, and whose turn it is.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// True where the erase scheme is asked how pages are read.
    pub scheme_reads: bool,
    /// False while the steady state is verified: those erases do not belong to the run.
    pub wears: bool,
    /// True where GC comes before whatever the host asks of a die next, not only before a write that
    /// needs a block.
    pub collects_at_access: bool,
    /// True where reads of data that was never written are carried out.
    pub reads_unmapped: bool,
    /// How long a request waits for a program to become full; `None` where none waits for programs.
    pub merge_timeout_ns: Option<u64>,
    /// True where a program of fewer pages than a word line has leaves the others for the next one.
    pub leaves_rest: bool,
    /// True where a technique has more data for a program that a unit has joined.
    pub takes_along: bool,
    /// Dynamic allocation: where the search for an idle die of each group starts.
    pub next_die: Vec<u32>,
    /// Dynamic allocation: the scope of each die that is next.
    pub next_scope: ById<DieId, u32>,
    /// Write points that visit the planes of their scope: the next plane.
    pub next_plane: ById<ScopeId, u32>,
}

impl Settings {
    fn new<T: Hooks>(
        config: &Config,
        state: &DriveState,
        (technique, scheme): (&T, &dyn EraseScheme),
    ) -> Self {
        let geometry = &state.geometry;
        let mut groups = 0..geometry.groups.len();
        Self {
            wears: true,
            scheme_reads: scheme.plans_reads(),
            collects_at_access: config.ftl.gc.trigger == GcTrigger::Access,
            reads_unmapped: config.host.unmapped == Unmapped::AsMapped,
            merge_timeout_ns: (config.ftl.acknowledge == Acknowledge::Program)
                .then(|| (config.ftl.merge_timeout_us * 1000.0).round() as u64),
            leaves_rest: config.ftl.incomplete == Incomplete::Leave,
            takes_along: technique.is_routed()
                || groups.any(|group| technique.placement(group).has_companions()),
            next_die: vec![0; geometry.groups.len()],
            next_scope: ById::filled(0, geometry.dies().count()),
            next_plane: ById::filled(0, state.layout.scopes().count()),
        }
    }
}

/// Units that the map itself takes in flash.
fn translation_units(config: &Config, geometry: &Geometry, logical_units: u32) -> u32 {
    match config.ftl.map_cache.policy {
        MapCacheChoice::Full => 0,
        MapCacheChoice::Dftl => {
            logical_units.div_ceil(MapCache::entries_per_page(geometry.unit_bytes))
        }
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// An empty drive, whose blocks are erased as its configuration says.
    ///
    /// # Errors
    /// A drive that cannot work, with the arithmetic.
    pub fn new(config: &Config, technique: T) -> Result<Self, Error> {
        Self::with(config, technique, erase::build(config)?, gc::build(&config.ftl.gc))
    }

    /// An empty drive with an erase scheme and a choice of victims of the caller's own.
    ///
    /// # Errors
    /// As [`Ftl::new`].
    pub fn with(
        config: &Config,
        mut technique: T,
        mut erase_scheme: Box<dyn EraseScheme>,
        victim_policy: Box<dyn VictimPolicy>,
    ) -> Result<Self, Error> {
        check_keys(config)?;
        let View { config, superblocks } = View::of(config)?;
        let config = &*config;
        let (superblocks, stripe) = superblocks.unzip();
        assert!(T::IN_USE || superblocks.is_none(), "the conventional drive has no superblocks");
        let geometry = Geometry::new(config)?;
        let kinds = config.drive.kinds();
        let mut ops = OpTable::default();
        for (kind, group) in kinds.iter().zip(&geometry.groups) {
            let flash = ops.add_flash(kind.chip, group)?;
            technique.add_operations(&mut ops, &flash);
            erase_scheme.operations(&mut ops, &flash);
        }
        let mut choices = choices(config, &geometry, &technique, &*erase_scheme);
        choices.stripe = stripe;
        choices.pads = !config.power.protection.bears_all();
        choices.copies = choices.pads && config.power.preserves && ops.has_in_place();
        let layout = Layout::new(config, &geometry, choices)?;
        technique.number_streams(layout.technique_stream, geometry.groups.len());
        let logical_units = logical_units(config, &geometry);
        let first_trim_page = logical_units + translation_units(config, &geometry, logical_units);
        let mapped = first_trim_page + trim_units(config, &geometry, logical_units);
        let bad = bad_blocks(config, &geometry);
        let site = Site::of(config, &geometry, mapped, &bad);
        check_metadata(config, site.as_ref())?;
        let own: Vec<BlockId> = site.iter().flat_map(Site::blocks).collect();
        let mut is_taken = bad.clone();
        own.iter().for_each(|&block| is_taken[block] = true);
        check_drive(config, &geometry, &layout, &ops, mapped, &is_taken)?;

        let orders = victim_policy.orders();
        let state = empty_state(
            config,
            Parts { geometry, superblocks, layout, ops, logical_units, mapped, orders },
        );
        let state = with_rows(state, &mut *erase_scheme);
        let (blocks, domains) = (state.geometry.blocks(), state.layout.domains());
        let points = state.points.ids();
        let settings = Settings::new(config, &state, (&technique, &*erase_scheme));
        let limits = |domain| {
            let filling = state.layout.of_domain(domain);
            let blocks = state.blocks_of_domain(domain).count();
            Limits::new(&config.ftl.gc, blocks, filling.reserve, filling.inner)
        };
        let mut ftl = Self {
            technique,
            victim_policy,
            victim_rng: Rng::new(config.run.seed, "victims"),
            hotness: hotness::build(&config.ftl.hotness, blocks.count(), logical_units),
            most_free: MostFree::of(config, &state.geometry),
            settings,
            erase_scheme,
            map_cache: map_cache::build(&config.ftl.map_cache, state.geometry.unit_bytes),
            limits: domains.into_iter().map(limits).collect(),
            wear: wear_levelling(config, &state),
            pending: points.into_iter().map(|_| Pending::default()).collect(),
            deadlines: VecDeque::new(),
            unstarted: 0,
            jobs: domains.into_iter().map(|_| None).collect(),
            to_erase: Vec::new(),
            deferred: FxHashMap::default(),
            spans: Vec::new(),
            erased: Vec::new(),
            plans: Vec::new(),
            chips: T::IN_USE.then(|| Box::new(Chips::new(&state))),
            safeguard: Safeguard::of(config, &state, Lpn(first_trim_page), site).map(Box::new),
            translations: Vec::new(),
            lost: FxHashSet::default(),
            torn: FxHashSet::default(),
            declined_ns: u64::MAX,
            fruitless: 0,
            read_only: false,
            state,
        };
        for block in blocks {
            if bad[block] {
                ftl.state.blocks[block].state = BlockState::Bad;
            } else if is_taken[block] {
                ftl.state.blocks[block].state = BlockState::Kept;
            } else {
                ftl.state.list_erased(block);
            }
        }
        Ok(ftl)
    }

    /// Every block is at the P/E cycles of the start again.
    pub(super) fn forget_wear(&mut self, config: &Config) {
        for (kind, group) in config.drive.kinds().iter().zip(&self.state.geometry.groups) {
            let erases = kind.chip.initial_pec as u32;
            for block in group.blocks {
                self.state.blocks[block].erases = erases;
            }
            for plane in group.planes {
                self.state.free[plane].forget_wear(erases);
            }
        }
        self.settings.wears = true;
    }

    /// The same drive under another scheduler. Nothing may be waiting for the old one.
    pub fn under<S2: Scheduler>(self) -> Ftl<T, S2> {
        debug_assert!(self.to_erase.is_empty() && self.jobs.iter().all(Option::is_none));
        let (points, domains) = (self.pending.ids(), self.jobs.ids());
        let safeguard = self.safeguard.map(|it| Box::new(it.under(&self.state)));
        Ftl {
            safeguard,
            state: self.state,
            technique: self.technique,
            victim_policy: self.victim_policy,
            victim_rng: self.victim_rng,
            hotness: self.hotness,
            most_free: self.most_free,
            erase_scheme: self.erase_scheme,
            map_cache: self.map_cache,
            limits: self.limits,
            wear: self.wear,
            settings: self.settings,
            pending: points.into_iter().map(|_| Pending::default()).collect(),
            deadlines: VecDeque::new(),
            unstarted: 0,
            jobs: domains.into_iter().map(|_| None).collect(),
            to_erase: Vec::new(),
            deferred: self.deferred,
            spans: Vec::new(),
            erased: Vec::new(),
            plans: Vec::new(),
            chips: self.chips,
            translations: Vec::new(),
            lost: self.lost,
            torn: self.torn,
            declined_ns: u64::MAX,
            fruitless: 0,
            read_only: self.read_only,
        }
    }
}

/// What policies, technique and erase scheme say of the layout.
fn choices<T: Hooks>(
    config: &Config,
    geometry: &Geometry,
    technique: &T,
    erase_scheme: &dyn EraseScheme,
) -> Choices {
    let ftl = &config.ftl;
    let groups = 0..geometry.groups.len();
    let own_streams = technique.own_streams(groups.len());
    Choices {
        temperatures: hotness::temperatures(&ftl.hotness),
        own_streams: own_streams.iter().map(|of| of.all).collect(),
        own_streams_of_gc: own_streams.iter().map(|of| of.of_gc).collect(),
        capacity_shares: groups.clone().map(|at| technique.capacity_share(at)).collect(),
        set_aside: groups.clone().map(|at| technique.set_aside(at)).collect(),
        wears_out: groups.map(|at| erase_scheme.may_retire(at)).collect(),
        order: match ftl.plane_allocation {
            PlaneAllocation::MostFree => alloc::block_order(ftl.allocation, geometry),
            PlaneAllocation::Order => alloc::plane_order(ftl.allocation, geometry),
        },
        pads: false,
        copies: false,
        stripe: None,
    }
}

/// What an empty drive is made of.
struct Parts {
    geometry: Geometry,
    superblocks: Option<Superblocks>,
    layout: Layout,
    ops: OpTable,
    logical_units: u32,
    /// Logical units of the host and of the map.
    mapped: u32,
    /// Orders in which victims are kept.
    orders: Orders,
}

/// A drive without data, none of whose blocks is in a list yet.
fn empty_state(config: &Config, parts: Parts) -> DriveState {
    let Parts { geometry, superblocks, layout, ops, logical_units, mapped, orders } = parts;
    let (blocks, domains) = (geometry.blocks().count(), layout.domains().count());
    let points = layout.scopes().count() * layout.streams;
    DriveState {
        logical_units,
        map: large_vec(Unit::NONE, mapped as usize).into(),
        reverse: large_vec(Lpn::NONE, geometry.unit_numbers() as usize).into(),
        valid: ValidBits::new(blocks, geometry.stride),
        blocks: new_blocks(config, &geometry),
        free: geometry.planes().into_iter().map(|_| FreeList::new(&config.ftl)).collect(),
        free_in: ById::filled(0, domains),
        victims: Victims::new(orders, domains, blocks, geometry.stride),
        points: ById::filled(WritePoint::default(), points),
        filled: 0,
        cycles_per_erase: 1,
        valid_in: vec![0; geometry.groups.len()],
        ops,
        layout,
        geometry,
        superblocks,
    }
}

/// Blocks at the P/E cycles of the start of the run.
fn new_blocks(config: &Config, geometry: &Geometry) -> ById<BlockId, Block> {
    let mut blocks = ById::from(large_vec(Block::default(), geometry.blocks().count() as usize));
    for (kind, group) in config.drive.kinds().iter().zip(&geometry.groups) {
        let block = Block::erased(kind.chip.initial_pec as u32);
        blocks.of_mut(group.blocks).fill(block);
    }
    blocks
}

/// The drive with the rows that its erase scheme gives to each block.
fn with_rows(mut state: DriveState, scheme: &mut dyn EraseScheme) -> DriveState {
    scheme.begin(&state);
    for block in state.geometry.blocks() {
        let (program_row, read_row) = scheme.first_rows(&state, block);
        let entry = &mut state.blocks[block];
        (entry.program_row, entry.read_row) = (program_row, read_row);
    }
    state
}

fn wear_levelling(config: &Config, state: &DriveState) -> WearLevelling {
    // A look goes over all blocks of a domain: this spreads its cost over the erases between.
    let domains = state.layout.domains().into_iter();
    let blocks = domains.map(|domain| state.blocks_of_domain(domain).count());
    let tables = blocks.clone().map(|blocks| wear::table(&config.ftl.wear, blocks)).collect();
    let largest = blocks.max().unwrap_or(0);
    let period = (largest / 256).max(1);
    WearLevelling {
        threshold_pec: wear::threshold_pec(&config.ftl.wear),
        period,
        countdown: period,
        tables,
    }
}

/// Which blocks are bad from the start.
fn bad_blocks(config: &Config, geometry: &Geometry) -> ById<BlockId, bool> {
    let mut rng = Rng::new(config.run.seed, "bad blocks");
    let kinds = config.drive.kinds();
    let mut is_bad = |block| {
        let share = kinds[geometry.group_of(block)].chip.bad_blocks;
        share > 0.0 && rng.unit() < share
    };
    geometry.blocks().into_iter().map(&mut is_bad).collect()
}
