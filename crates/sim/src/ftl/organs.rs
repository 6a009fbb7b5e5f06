//! What parts of a drive's translation layer own: each is worked on by the files of its name.

use super::idle::IdleGain;
use super::{erase, gc, mapping, moving, read, starting};
use crate::drive::{DriveState, Pending};
use crate::engine::Scheduler;
use crate::flash::RetryTimes;
use crate::ids::{BlockId, ById, DieId, DomainId, Lpn, PointId, ScopeId};
use crate::nand::command::{Cause, Sensing};
use crate::policy::alloc::{self, PlanePolicy};
use crate::policy::gc::VictimPolicy;
use crate::policy::hotness::{self, Hotness};
use crate::policy::map_cache::{self, MapCache};
use crate::reliability::ReadModel;
use crate::schema::{Config, ReadsConfig};
use crate::technique::erase::EraseScheme;
use crate::util::{GrowingBits, Rng};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where new data goes, and the programs that it joins.
pub(super) struct Writer<S: Scheduler> {
    pub hotness: Option<Box<dyn Hotness>>,
    /// The choice of a plane, where it is not that of the order.
    pub plane_policy: Option<Box<dyn PlanePolicy>>,
    pub turns: Turns,
    pub pending: ById<PointId, Pending<S::Join>>,
    pub starts: starting::Starts,
}

/// Whose turn it is.
pub(super) struct Turns {
    /// Dynamic allocation: where the search for an idle die of each group starts.
    pub next_die: Vec<u32>,
    /// Dynamic allocation: the scope of each die that is next.
    pub next_scope: ById<DieId, u32>,
    /// Write points that visit the planes of their scope: the next plane.
    pub next_plane: ById<ScopeId, u32>,
}

impl<S: Scheduler> Writer<S> {
    pub fn new(config: &Config, state: &DriveState) -> Self {
        let (geometry, layout) = (&state.geometry, &state.layout);
        Self {
            hotness: match &layout.handles {
                Some(handles) => Some(hotness::by_handle(handles.count())),
                None => hotness::build(
                    &config.ftl.hotness,
                    geometry.blocks().count(),
                    state.logical_units,
                ),
            },
            plane_policy: alloc::build(config, geometry),
            turns: Turns {
                next_die: vec![0; geometry.groups.len()],
                next_scope: ById::filled(0, geometry.dies().count()),
                next_plane: ById::filled(0, layout.scopes().count()),
            },
            pending: nothing_pending(state),
            starts: starting::Starts::new(&config.ftl, state.flash().dies().count()),
        }
    }

    pub fn under<S2: Scheduler>(self, state: &DriveState) -> Writer<S2> {
        Writer {
            hotness: self.hotness,
            plane_policy: self.plane_policy,
            turns: self.turns,
            pending: nothing_pending(state),
            starts: self.starts.anew(),
        }
    }
}

fn nothing_pending<J: Default>(state: &DriveState) -> ById<PointId, Pending<J>> {
    state.points.ids().into_iter().map(|_| Pending::default()).collect()
}

/// Garbage collection.
pub(super) struct Collector<S: Scheduler> {
    pub victim_policy: Box<dyn VictimPolicy>,
    pub victim_rng: Rng,
    pub limits: ById<DomainId, gc::Limits>,
    /// Victims of which a part has been moved.
    pub jobs: ById<DomainId, Option<moving::Job<S::Join>>>,
    /// Victims since the last one that gained room.
    pub fruitless: u32,
    /// What GC has gained since the drive became idle.
    pub idle_gain: IdleGain,
}

impl<S: Scheduler> Collector<S> {
    pub fn new(config: &Config, state: &DriveState, victim_policy: Box<dyn VictimPolicy>) -> Self {
        let limits = |domain| {
            let filling = state.layout.of_domain(domain);
            let blocks = state.blocks_of_domain(domain).count();
            gc::Limits::new(&config.ftl.gc, blocks, filling)
        };
        Self {
            victim_policy,
            victim_rng: Rng::new(config.run.seed, "victims"),
            limits: state.layout.domains().into_iter().map(limits).collect(),
            jobs: state.layout.domains().into_iter().map(|_| None).collect(),
            fruitless: 0,
            idle_gain: IdleGain::default(),
        }
    }

    pub fn under<S2: Scheduler>(self) -> Collector<S2> {
        debug_assert!(self.jobs.iter().all(Option::is_none));
        Collector {
            victim_policy: self.victim_policy,
            victim_rng: self.victim_rng,
            jobs: self.limits.iter().map(|_| None).collect(),
            limits: self.limits,
            fruitless: 0,
            idle_gain: IdleGain::default(),
        }
    }
}

/// Erases.
pub(super) struct Eraser {
    pub scheme: Box<dyn EraseScheme>,
    /// Blocks of one die whose erases are issued together, and for whose sake.
    pub to_erase: Vec<(BlockId, Cause)>,
    /// What is left of the erases of blocks that wait to be used again.
    pub deferred: FxHashMap<BlockId, erase::Deferred>,
    /// The blocks that are being erased.
    pub erased: Vec<BlockId>,
}

impl Eraser {
    pub fn new(scheme: Box<dyn EraseScheme>) -> Self {
        Self { scheme, to_erase: Vec::new(), deferred: FxHashMap::default(), erased: Vec::new() }
    }
}

/// How pages are read, and room for those that are about to be.
pub(super) struct Reader {
    /// What is wrong with pages when they are read, where anything is.
    pub model: Option<Box<ReadModel>>,
    /// What retries take.
    pub times: RetryTimes,
    /// Pages that the host is about to read.
    pub groups: Vec<read::Group>,
    /// How the pages of several planes are sensed.
    pub sensings: Vec<Sensing>,
}

impl Reader {
    pub fn new(model: Option<ReadModel>, config: &ReadsConfig) -> Self {
        let (model, times) = (model.map(Box::new), RetryTimes::of(config));
        Self { model, times, groups: Vec::new(), sensings: Vec::new() }
    }
}

/// The map in flash, where not all of it is in DRAM.
pub(super) struct Mapper<S: Scheduler> {
    pub cache: Option<MapCache>,
    /// Translation pages whose entries changed in GC and are not cached.
    pub translations: Vec<u32>,
    /// Translation pages that are being read.
    pub arriving: mapping::Arriving<S::Stamp>,
}

impl<S: Scheduler> Mapper<S> {
    pub fn new(config: &Config, state: &DriveState) -> Self {
        let cache = map_cache::build(&config.ftl.map_cache, state.geometry.unit_bytes);
        Self { cache, translations: Vec::new(), arriving: mapping::Arriving::default() }
    }

    pub fn under<S2: Scheduler>(self) -> Mapper<S2> {
        let (translations, arriving) = (Vec::new(), mapping::Arriving::default());
        Mapper { cache: self.cache, translations, arriving }
    }
}

/// Logical units that hold nothing any more.
#[derive(Default)]
pub(super) struct Losses {
    /// Those that were lost while power was off, and not written since.
    pub lost: FxHashSet<Lpn>,
    /// Of those, the ones of which a part was written since.
    pub torn: FxHashSet<Lpn>,
    /// Those that the host has ever trimmed: one that holds nothing now held nothing since.
    pub trimmed: GrowingBits,
}
