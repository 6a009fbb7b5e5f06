//! The flash translation layer: mapping, allocation, garbage collection, wear.
//!
//! The FTL decides at once, in the order of the requests; a scheduler turns its operations into
//! times. So the same requests give the same counts whatever the scheduler.
//!
//! It has six layers. Each stands on the one below, which is all that it can reach: what reads
//! cannot erase, and what erases cannot collect.
//!
//! | layer | what it does |
//! |---|---|
//! | [`Media`] | keeps the map and the valid data, tells the technique, hands commands to the flash |
//! | [`Backend`] | reads, and programs what a write point has |
//! | [`Eraser`] | erases, and keeps what was flushed through power cuts |
//! | [`Writer`] | fills programs, and starts them |
//! | [`Allocator`] | finds each unit a place, and makes room by garbage collection |
//! | [`Ftl`] | serves the host, and uses idle time |

mod ageing;
mod erase;
mod gc;
mod handles;
mod idle;
mod invariants;
mod issue;
mod levelling;
mod mapping;
mod moving;
mod origin;
mod outage;
mod over;
mod program;
mod read;
mod restart;
mod room;
mod safeguard;
mod sensing;
mod setup;
mod starting;
mod stretches;
mod target;
#[cfg(test)]
mod tests;
mod unmapped;
mod write;

pub use crate::drive::logical_units;
pub use crate::flash::Io;
pub use handles::check_interface;
pub use safeguard::{trim_pages, units_per_trim_page};
pub use setup::{Preconditioning, precondition};

use crate::drive::{DriveState, Pending};
use crate::engine::Scheduler;
use crate::error::Error;
use crate::flash::{Door, Medium};
use crate::ids::{BlockId, ById, DomainId, PointId, ScopeId};
use crate::nand::Span;
use crate::nand::command::Cause;
use crate::policy::alloc::{self, PlanePolicy};
use crate::policy::hotness::{self, Hotness};
use crate::reliability::Tally;
use crate::schema::Config;
use crate::technique::erase::EraseScheme;
use crate::technique::{Hooks, Phase};
use crate::theory::Cleaning;
use gc::Collector;
use mapping::Mapper;
use outage::Losses;
use room::WearLevelling;
use rustc_hash::FxHashMap;
use safeguard::Safeguard;
use sensing::Reader;
use serde_json::{Map, Value};
use setup::Settings;
use starting::Starts;
use std::ops::{Deref, DerefMut};
use target::Turns;

/// Says whether a set-up is to go on; the error ends it.
pub type Ask<'a> = &'a mut dyn FnMut() -> Result<(), Error>;

/// What a drive holds, and what is told of its changes. `T` is its technique:
/// [`crate::technique::Conventional`] is inlined into the page path, a [`crate::technique::Stack`] is chosen at run
/// time.
pub struct Media<T: Hooks> {
    /// What the drive holds.
    pub state: DriveState,
    /// The technique.
    pub technique: T,
    erase_scheme: Box<dyn EraseScheme>,
    settings: Settings,
    /// The flash itself, where a technique is in use, and what is recorded.
    pub door: Door,
    /// Set when the drive can no longer take writes.
    pub read_only: bool,
}

/// Reads, and programs of what a write point has.
pub struct Backend<T: Hooks> {
    media: Media<T>,
    reader: Reader,
    losses: Losses,
    /// The pages of the command that is being issued, where they are of several blocks.
    spans: Vec<Span>,
}

impl<T: Hooks> Media<T> {
    /// This layer, of whatever layer stands on it: to borrow its fields apart.
    #[inline(always)]
    pub fn media(&mut self) -> &mut Self {
        self
    }
}

impl<T: Hooks> Backend<T> {
    fn new(media: Media<T>, reader: Reader) -> Self {
        Self { media, reader, losses: Losses::default(), spans: Vec::new() }
    }
}

/// Erases, and what keeps flushed data.
pub struct Eraser<T: Hooks, S: Scheduler> {
    backend: Backend<T>,
    wear: WearLevelling,
    /// Blocks of one die whose erases are issued together, and for whose sake.
    to_erase: Vec<(BlockId, Cause)>,
    /// What is left of the erases of blocks that wait to be used again.
    deferred: FxHashMap<BlockId, erase::Deferred>,
    /// The blocks that are being erased.
    erased: Vec<BlockId>,
    /// What keeps flushed data through power cuts, where no capacitor does.
    safeguard: Option<Box<Safeguard<S::Join>>>,
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    fn new(
        backend: Backend<T>,
        wear: WearLevelling,
        safeguard: Option<Safeguard<S::Join>>,
    ) -> Self {
        let (to_erase, deferred, erased) = (Vec::new(), FxHashMap::default(), Vec::new());
        Self { backend, wear, to_erase, deferred, erased, safeguard: safeguard.map(Box::new) }
    }

    fn under<S2: Scheduler>(self) -> Eraser<T, S2> {
        debug_assert!(self.to_erase.is_empty());
        let Self { backend, wear, to_erase, deferred, erased, safeguard } = self;
        let safeguard = safeguard.map(|it| Box::new(it.under(&backend.state)));
        Eraser { backend, wear, to_erase, deferred, erased, safeguard }
    }
}

/// Where new data goes, and the programs that it joins.
pub struct Writer<T: Hooks, S: Scheduler> {
    eraser: Eraser<T, S>,
    hotness: Option<Box<dyn Hotness>>,
    /// The choice of a plane, where it is not that of the order.
    plane_policy: Option<Box<dyn PlanePolicy>>,
    turns: Turns,
    pending: ById<PointId, Pending<S::Join>>,
    starts: Starts,
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    fn new(config: &Config, eraser: Eraser<T, S>) -> Self {
        let state = &eraser.state;
        let geometry = &state.geometry;
        let (blocks, units) = (geometry.blocks().count(), state.logical_units);
        Self {
            hotness: match &state.layout.handles {
                Some(handles) => Some(hotness::by_handle(handles.count())),
                None => hotness::build(&config.ftl.hotness, blocks, units),
            },
            plane_policy: alloc::build(config, geometry),
            turns: Turns::new(state),
            pending: nothing_pending(state),
            starts: Starts::new(&config.ftl, state.flash().dies().count()),
            eraser,
        }
    }

    fn under<S2: Scheduler>(self) -> Writer<T, S2> {
        let Self { eraser, hotness, plane_policy, turns, starts, .. } = self;
        let (pending, starts) = (nothing_pending(&eraser.state), starts.anew());
        Writer { eraser: eraser.under(), hotness, plane_policy, turns, pending, starts }
    }
}

fn nothing_pending<J: Default>(state: &DriveState) -> ById<PointId, Pending<J>> {
    state.points.ids().into_iter().map(|_| Pending::default()).collect()
}

/// Places for units, and the garbage collection that makes room for them: each needs the other.
pub struct Allocator<T: Hooks, S: Scheduler> {
    writer: Writer<T, S>,
    collector: Collector<S>,
    mapper: Mapper<S>,
}

/// A drive's translation layer, as the host meets it.
pub struct Ftl<T: Hooks, S: Scheduler> {
    allocator: Allocator<T, S>,
    /// The technique's time at which it had nothing to do.
    declined_ns: u64,
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    fn over(allocator: Allocator<T, S>) -> Self {
        Self { allocator, declined_ns: u64::MAX }
    }
}

/// A layer does all that the one below it does.
macro_rules! stands_on {
    ($layer:ident<$($generic:ident),*>, $field:ident: $below:ty) => {
        impl<T: Hooks $(, $generic: Scheduler)*> Deref for $layer<T $(, $generic)*> {
            type Target = $below;

            #[inline(always)]
            fn deref(&self) -> &$below {
                &self.$field
            }
        }

        impl<T: Hooks $(, $generic: Scheduler)*> DerefMut for $layer<T $(, $generic)*> {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut $below {
                &mut self.$field
            }
        }
    };
}

stands_on!(Backend<>, media: Media<T>);
stands_on!(Eraser<S>, backend: Backend<T>);
stands_on!(Writer<S>, eraser: Eraser<T, S>);
stands_on!(Allocator<S>, writer: Writer<T, S>);
stands_on!(Ftl<S>, allocator: Allocator<T, S>);

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// Preconditioning is over, the run begins.
    pub fn begin(&mut self) {
        if let Some(hotness) = &mut self.hotness {
            hotness.begin(&self.eraser.state);
        }
        if let Some(model) = &mut self.reader.model {
            model.count_anew();
        }
        let Media { state, technique, .. } = self.media();
        technique.begin(state, Phase::Run);
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// What the drive holds, of one that is over.
    pub fn into_state(self) -> DriveState {
        self.allocator.writer.eraser.backend.media.state
    }

    /// Records, from now on, what is programmed and erased; marks have to be kept.
    pub fn record(&mut self) {
        let Media { state, door, .. } = self.media();
        if let Some(chips) = &mut door.chips {
            chips.record(state, S::TIMED);
        }
    }

    /// The policy whose closed form holds for the choice of victims, if any.
    pub fn cleaning(&self) -> Option<Cleaning> {
        self.collector.victim_policy.cleaning()
    }
}

impl<T: Hooks> Media<T> {
    /// Keeps, from now on, what the out-of-band areas of the flash hold; where a technique is in use, which
    /// may be none at all of a [`Stack`](crate::technique::Stack).
    pub fn keep_marks(&mut self) {
        if let Some(chips) = &mut self.door.chips {
            chips.keep_marks(&self.state);
        }
    }

    /// Tells `medium` of all data from now on, under the same condition.
    pub fn carry(&mut self, medium: Box<dyn Medium>) {
        if let Some(chips) = &mut self.door.chips {
            chips.carry(medium);
        }
    }

    /// What the drive believes, and what keeps its data, if anything does.
    pub fn state_and_medium(&mut self) -> (&DriveState, Option<&mut dyn Medium>) {
        (&self.state, self.door.chips.as_mut().and_then(|chips| chips.medium_mut()))
    }

    /// What the erase scheme reports.
    pub fn erase_metrics(&self) -> Map<String, Value> {
        self.erase_scheme.metrics(&self.state)
    }

    /// Units of the aligned ranges whose data belongs together; 0: none does.
    pub fn range_units(&self) -> u32 {
        self.technique.range_units()
    }

    /// The group by which techniques are asked of a block: the conventional drive need not know.
    #[inline(always)]
    fn group_of_block(&self, block: BlockId) -> usize {
        if T::IN_USE { self.state.geometry.group_of(block) } else { 0 }
    }

    /// The group by which techniques are asked of a scope.
    #[inline(always)]
    fn group_of_scope(&self, scope: ScopeId) -> usize {
        if T::IN_USE { self.state.layout.group_of_scope(scope) } else { 0 }
    }

    /// The group by which techniques are asked of a domain.
    #[inline(always)]
    fn group_of_domain(&self, domain: DomainId) -> usize {
        if T::IN_USE { self.state.layout.group_of_domain(domain) } else { 0 }
    }
}

impl<T: Hooks> Backend<T> {
    /// What reads took of pages that have errors, where they have any.
    pub fn read_tally(&self) -> Option<Tally> {
        self.reader.model.as_ref().map(|model| model.tally())
    }

    /// What technique and erase scheme warn of.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.technique.warnings(&self.state);
        warnings.extend(self.erase_scheme.warnings());
        let groups = 0..self.state.flash().groups.len();
        let spends = |group| self.erase_scheme.errors_spent(group) > 0.0;
        if self.reader.model.is_none() && groups.into_iter().any(spends) {
            warnings.push(
                "erases spend some of what the code corrects, and reads pay nothing for it: drive.reads.model is none, set it to \"cell\""
                    .to_owned(),
            );
        }
        warnings
    }
}
