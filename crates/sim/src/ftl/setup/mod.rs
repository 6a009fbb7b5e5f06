//! Building a drive, and what it holds before the first request.

mod feasible;
pub(super) mod fill;
mod parts;
mod precondition;
mod scatter;
mod stagger;
mod valid;

pub use precondition::{Preconditioning, precondition};

use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::error::Error;
use crate::flash::{Chips, Door};
use crate::ftl::gc::Collector;
use crate::ftl::mapping::Mapper;
use crate::ftl::room::WearLevelling;
use crate::ftl::safeguard::Safeguard;
use crate::ftl::sensing::Reader;
use crate::ftl::{Allocator, Backend, Eraser, Ftl, Media, Writer};
use crate::ids::Lpn;
use crate::nand::BlockState;
use crate::nand::command::Cause;
use crate::policy::alloc::PlanePolicy;
use crate::policy::gc::{self, VictimPolicy};
use crate::policy::hotness::Hotness;
use crate::policy::wear;
use crate::reliability::ReadModel;
use crate::schema::{Config, GcTrigger, Incomplete, Unmapped};
use crate::technique::erase::{self, EraseScheme};
use crate::technique::superblocks::View;
use crate::technique::{Hook, Hooks, Placement};
use feasible::check_keys;
use parts::{Parts, Start};

/// What does not change during a run, and whose turn it is.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// Whether programs and reads cost energy, or pages have errors: each is looked at, though nothing takes time.
    pub watches_pages: bool,
    /// False while the steady state is verified: those erases do not belong to the run.
    pub wears: bool,
    /// Whether GC comes before whatever the host asks of a die next, not only before a write that
    /// needs a block.
    pub collects_at_access: bool,
    /// Whether reads of data that was never written are carried out.
    pub reads_unmapped: bool,
    /// Whether a program of fewer pages than a word line has leaves the others for the next one.
    pub leaves_rest: bool,
    /// Whether a technique has more data for a program that a unit has joined.
    pub takes_along: bool,
    /// Whether that may be data of other ranges.
    pub has_companions: bool,
    /// Whether a technique moves units before a write is placed.
    pub clears: bool,
    /// Whether a technique says how pages are read.
    pub plans_reads: bool,
    /// Whether a technique says what reclaiming a block costs; otherwise that is its valid data.
    pub costs_victims: bool,
    /// Whether a technique works in idle moments.
    pub idles: bool,
    /// Whether a technique has work that must be done by its time.
    pub promises: bool,
    /// Whether a technique has work that is done by its time, idle or not.
    pub has_duties: bool,
    /// Whether a technique hears of data that is no longer valid.
    pub tells_deaths: bool,
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
            has_duties: technique.lists(Hook::Due),
            tells_deaths: technique.lists(Hook::Deaths),
        }
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// An empty drive, whose blocks are erased as its configuration says.
    ///
    /// # Errors
    /// A drive that cannot work, with the arithmetic.
    pub fn new(config: &Config, technique: T) -> Result<Self, Error> {
        Self::with(config, technique, erase::build(config)?, gc::build(config))
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
        let View { config, superblocks, stripes, of_flash } = View::of(config)?;
        let config = &*config;
        assert!(T::IN_USE || superblocks.is_none(), "the conventional drive has no superblocks");
        let parts = Parts::of(config, (superblocks, stripes), &mut technique, &mut *erase_scheme)?;
        let (state, Start { site, first_trim_page, stands }) =
            parts.assemble(config, victim_policy.orders());
        let mut state = with_rows(state, &mut *erase_scheme);
        let blocks = state.geometry.blocks();
        let erased_cells = |group| erase_scheme.erased_cells(group);
        let drive = (&state.geometry, state.flash().blocks().count());
        let read_model = ReadModel::of(of_flash, drive, erased_cells)?;
        let settings = Settings::new(config, &state, (&technique, read_model.is_some()));
        if T::IN_USE {
            technique.begin_drive(&state);
            settle(&mut state, &technique, settings.clears);
        }
        let door = Door { chips: T::IN_USE.then(|| Box::new(Chips::new(&state))), tape: None };
        let media = Media { state, technique, erase_scheme, settings, door, read_only: false };
        let backend = Backend::new(media, Reader::new(read_model, &config.drive.reads));
        let safeguard = Safeguard::of(config, &backend.state, Lpn(first_trim_page), site);
        let wear = wear_levelling(config, &backend.state);
        let writer = Writer::new(config, Eraser::new(backend, wear, safeguard));
        let collector = Collector::new(config, &writer.state, victim_policy);
        let mapper = Mapper::new(config, &writer.state);
        let mut ftl = Self::over(Allocator { writer, collector, mapper });
        let state = &mut ftl.media().state;
        for block in blocks {
            match stands[block] {
                BlockState::Free => state.list_erased(block),
                other => state.blocks[block].state = other,
            }
        }
        Ok(ftl)
    }

    /// Every block is at the P/E cycles of the start again.
    pub(super) fn forget_wear(&mut self, config: &Config) {
        let Media { state, settings, .. } = self.media();
        for (kind, group) in config.drive.kinds().iter().zip(&state.geometry.groups) {
            let erases = kind.chip.initial_pec as u32;
            for block in group.blocks {
                state.blocks[block].erases = erases;
            }
            for plane in group.planes {
                state.free[plane].forget_wear(erases);
            }
        }
        settings.wears = true;
    }

    /// Hands the drive to another scheduler. Nothing may be waiting for the old one.
    pub fn under<S2: Scheduler>(self) -> Ftl<T, S2> {
        let Allocator { writer, collector, mapper } = self.allocator;
        let (collector, mapper) = (collector.under(), mapper.under());
        Ftl::over(Allocator { writer: writer.under(), collector, mapper })
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Puts policies of the caller's own in place of those that the configuration names, which
    /// still says how many temperatures there are, and whether the address fixes the die.
    pub fn with_own(
        mut self,
        hotness: Option<Box<dyn Hotness>>,
        planes: Option<Box<dyn PlanePolicy>>,
    ) -> Self {
        let writer = &mut self.allocator.writer;
        writer.hotness = hotness.or(writer.hotness.take());
        writer.plane_policy = planes.or(writer.plane_policy.take());
        self
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
