//! What layers of the translation layer own together: each is worked on by the files of its name.

use super::idle::IdleGain;
use super::{gc, mapping, moving, read};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::flash::RetryTimes;
use crate::ids::{ById, DieId, DomainId, Lpn, ScopeId};
use crate::nand::command::Sensing;
use crate::policy::gc::VictimPolicy;
use crate::policy::map_cache::{self, MapCache};
use crate::reliability::ReadModel;
use crate::schema::{Config, ReadsConfig};
use crate::util::{GrowingBits, Rng};
use rustc_hash::FxHashSet;

/// Whose turn it is.
pub(super) struct Turns {
    /// Dynamic allocation: where the search for an idle die of each group starts.
    pub next_die: Vec<u32>,
    /// Dynamic allocation: the scope of each die that is next.
    pub next_scope: ById<DieId, u32>,
    /// Write points that visit the planes of their scope: the next plane.
    pub next_plane: ById<ScopeId, u32>,
}

impl Turns {
    pub fn new(state: &DriveState) -> Self {
        let (geometry, layout) = (&state.geometry, &state.layout);
        Self {
            next_die: vec![0; geometry.groups.len()],
            next_scope: ById::filled(0, geometry.dies().count()),
            next_plane: ById::filled(0, layout.scopes().count()),
        }
    }
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
