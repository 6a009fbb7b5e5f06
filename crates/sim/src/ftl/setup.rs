//! Building a drive.

use super::Ftl;
use super::feasible::check_keys;
use super::gc::Limits;
use super::idle::IdleGain;
use super::mapping;
use super::parts::{Parts, Start};
use super::room::WearLevelling;
use super::safeguard::Safeguard;
use super::starting::Starts;
use super::superblocks::View;
use crate::drive::{DriveState, Pending};
use crate::engine::Scheduler;
use crate::error::Error;
use crate::flash::Chips;
use crate::ids::{ById, DieId, Lpn, ScopeId};
use crate::nand::BlockState;
use crate::nand::command::Cause;
use crate::policy::alloc::{self, PlanePolicy};
use crate::policy::gc::{self, VictimPolicy};
use crate::policy::hotness::{self, Hotness};
use crate::policy::{map_cache, wear};
use crate::reliability::ReadModel;
use crate::schema::{Config, GcTrigger, Incomplete, Unmapped};
use crate::technique::erase::{self, EraseScheme};
use crate::technique::{Hook, Hooks, Placement};
use crate::util::{GrowingBits, Rng};
use rustc_hash::{FxHashMap, FxHashSet};

/// What does not change during a run, and whose turn it is.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// True where programs and reads cost energy, or pages have errors: each is looked at, though nothing takes time.
    pub watches_pages: bool,
    /// False while the steady state is verified: those erases do not belong to the run.
    pub wears: bool,
    /// True where GC comes before whatever the host asks of a die next, not only before a write that
    /// needs a block.
    pub collects_at_access: bool,
    /// True where reads of data that was never written are carried out.
    pub reads_unmapped: bool,
    /// True where a program of fewer pages than a word line has leaves the others for the next one.
    pub leaves_rest: bool,
    /// True where a technique has more data for a program that a unit has joined.
    pub takes_along: bool,
    /// True where that may be data of other ranges.
    pub has_companions: bool,
    /// True where a technique moves units before a write is placed.
    pub clears: bool,
    /// True where a technique says how pages are read.
    pub plans_reads: bool,
    /// True where a technique says what reclaiming a block costs; otherwise that is its valid data.
    pub costs_victims: bool,
    /// True where a technique works in idle moments.
    pub idles: bool,
    /// True where a technique has work that must be done by its time.
    pub promises: bool,
    /// True where a technique hears of data that is no longer valid.
    pub tells_deaths: bool,
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
        (technique, has_errors): (&T, bool),
    ) -> Self {
        let geometry = &state.geometry;
        let any = |of: &dyn Fn(usize) -> bool| (0..geometry.groups.len()).any(of);
        let claims = |hook| any(&|group| technique.is_claimed(hook, group));
        let has_companions = claims(Hook::Companion);
        Self {
            wears: true,
            watches_pages: state.ops.has_energy() || has_errors,
            collects_at_access: config.ftl.gc.trigger == GcTrigger::Access,
            reads_unmapped: config.host.unmapped == Unmapped::AsMapped,
            leaves_rest: config.ftl.incomplete == Incomplete::Leave,
            takes_along: technique.is_routed() || has_companions,
            has_companions,
            clears: claims(Hook::Clear),
            plans_reads: claims(Hook::ReadPlan),
            costs_victims: claims(Hook::VictimCost),
            idles: technique.lists(Hook::Idle),
            promises: technique.lists(Hook::Promises),
            tells_deaths: technique.lists(Hook::Deaths),
            next_die: vec![0; geometry.groups.len()],
            next_scope: ById::filled(0, geometry.dies().count()),
            next_plane: ById::filled(0, state.layout.scopes().count()),
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
        let View { config, superblocks, stripe } = View::of(config)?;
        let config = &*config;
        assert!(T::IN_USE || superblocks.is_none(), "the conventional drive has no superblocks");
        let parts = Parts::of(config, (superblocks, stripe), &mut technique, &mut *erase_scheme)?;
        let (state, Start { site, first_trim_page, stands }) =
            parts.assemble(config, victim_policy.orders());
        let mut state = with_rows(state, &mut *erase_scheme);
        let (blocks, domains) = (state.geometry.blocks(), state.layout.domains());
        let points = state.points.ids();
        let erased_cells = |group| erase_scheme.erased_cells(group);
        let read_model = ReadModel::of(config, blocks.count(), erased_cells)?.map(Box::new);
        let settings = Settings::new(config, &state, (&technique, read_model.is_some()));
        if T::IN_USE {
            technique.begin_drive(&state);
            settle(&mut state, &technique, settings.clears);
        }
        let limits = |domain| {
            let filling = state.layout.of_domain(domain);
            let blocks = state.blocks_of_domain(domain).count();
            Limits::new(&config.ftl.gc, blocks, filling)
        };
        let mut ftl = Self {
            technique,
            victim_policy,
            victim_rng: Rng::new(config.run.seed, "victims"),
            hotness: hotness::build(&config.ftl.hotness, blocks.count(), state.logical_units),
            plane_policy: alloc::build(config, &state.geometry),
            settings,
            erase_scheme,
            read_model,
            map_cache: map_cache::build(&config.ftl.map_cache, state.geometry.unit_bytes),
            limits: domains.into_iter().map(limits).collect(),
            wear: wear_levelling(config, &state),
            pending: points.into_iter().map(|_| Pending::default()).collect(),
            starts: Starts::new(&config.ftl, state.flash().dies().count()),
            jobs: domains.into_iter().map(|_| None).collect(),
            to_erase: Vec::new(),
            deferred: FxHashMap::default(),
            spans: Vec::new(),
            groups: Vec::new(),
            erased: Vec::new(),
            sensings: Vec::new(),
            chips: T::IN_USE.then(|| Box::new(Chips::new(&state))),
            safeguard: Safeguard::of(config, &state, Lpn(first_trim_page), site).map(Box::new),
            translations: Vec::new(),
            arriving: mapping::Arriving::default(),
            lost: FxHashSet::default(),
            torn: FxHashSet::default(),
            trimmed: GrowingBits::default(),
            declined_ns: u64::MAX,
            fruitless: 0,
            idle_gain: IdleGain::default(),
            read_only: false,
            state,
        };
        for block in blocks {
            match stands[block] {
                BlockState::Free => ftl.state.list_erased(block),
                other => ftl.state.blocks[block].state = other,
            }
        }
        Ok(ftl)
    }

    /// Puts policies of the caller's own in place of those that the configuration names, which
    /// still says how many temperatures there are, and whether the address fixes the die.
    pub fn with_own(
        mut self,
        hotness: Option<Box<dyn Hotness>>,
        planes: Option<Box<dyn PlanePolicy>>,
    ) -> Self {
        self.hotness = hotness.or(self.hotness);
        self.plane_policy = planes.or(self.plane_policy);
        self
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

    /// Hands the drive to another scheduler. Nothing may be waiting for the old one.
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
            plane_policy: self.plane_policy,
            erase_scheme: self.erase_scheme,
            read_model: self.read_model,
            map_cache: self.map_cache,
            limits: self.limits,
            wear: self.wear,
            settings: self.settings,
            pending: points.into_iter().map(|_| Pending::default()).collect(),
            starts: self.starts.anew(),
            jobs: domains.into_iter().map(|_| None).collect(),
            to_erase: Vec::new(),
            deferred: self.deferred,
            spans: Vec::new(),
            groups: Vec::new(),
            erased: Vec::new(),
            sensings: Vec::new(),
            chips: self.chips,
            translations: Vec::new(),
            arriving: mapping::Arriving::default(),
            lost: self.lost,
            torn: self.torn,
            trimmed: self.trimmed,
            declined_ns: u64::MAX,
            fruitless: 0,
            idle_gain: IdleGain::default(),
            read_only: self.read_only,
        }
    }
}

/// The drive with the rows that its erase scheme gives to each block.
fn with_rows(mut state: DriveState, scheme: &mut dyn EraseScheme) -> DriveState {
    scheme.begin(&state);
    for of_flash in state.flash().blocks() {
        let (program_row, read_row) = scheme.first_rows(&state, of_flash);
        let block = state.block_with(of_flash);
        let entry = &mut state.blocks[block];
        (entry.program_row, entry.read_row) = (program_row, read_row);
    }
    state
}

/// Tells each write point whose units its technique lets stay there. Nobody looks at those of a group whose
/// technique does not place data; before writes of the host something may have to be moved.
fn settle<T: Hooks>(state: &mut DriveState, technique: &T, clears: bool) {
    for point in state.points.ids() {
        let (scope, stream) =
            (state.layout.scope_of_point(point), state.layout.stream_of_point(point));
        let group = state.layout.group_of_scope(scope);
        let is_placed = technique.is_claimed(Hook::Placement, group);
        let stays = |cause| !is_placed || technique.placement(group).settles(stream, cause);
        let settled = Cause::ALL.map(|cause| stays(cause) && !(clears && cause == Cause::Host));
        state.points[point].set_settled(settled);
    }
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
