//! The layers of the translation layer. Each stands on the one below, which is all that it can reach: what reads
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

use super::erase;
use super::organs::{Collector, Losses, Mapper, Reader, Turns};
use super::room::WearLevelling;
use super::safeguard::Safeguard;
use super::setup::Settings;
use super::starting::Starts;
use crate::drive::{DriveState, Pending};
use crate::engine::Scheduler;
use crate::flash::Door;
use crate::ids::{BlockId, ById, PointId};
use crate::nand::Span;
use crate::nand::command::Cause;
use crate::policy::alloc::{self, PlanePolicy};
use crate::policy::hotness::{self, Hotness};
use crate::schema::Config;
use crate::technique::Hooks;
use crate::technique::erase::EraseScheme;
use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};

/// What a drive holds, and what is told of its changes. `T` is its technique:
/// [`crate::technique::Conventional`] is inlined into the page path, a [`crate::technique::Stack`] is chosen at run
/// time.
pub struct Media<T: Hooks> {
    /// What the drive holds.
    pub state: DriveState,
    /// The technique.
    pub technique: T,
    pub(super) erase_scheme: Box<dyn EraseScheme>,
    pub(super) settings: Settings,
    /// The flash itself, where a technique is in use, and what is recorded.
    pub door: Door,
    /// Set when the drive can no longer take writes.
    pub read_only: bool,
}

/// Reads, and programs of what a write point has.
pub struct Backend<T: Hooks> {
    pub(super) media: Media<T>,
    pub(super) reader: Reader,
    pub(super) losses: Losses,
    /// The pages of the command that is being issued, where they are of several blocks.
    pub(super) spans: Vec<Span>,
}

impl<T: Hooks> Media<T> {
    /// This layer, of whatever layer stands on it: to borrow its fields apart.
    #[inline(always)]
    pub fn media(&mut self) -> &mut Self {
        self
    }
}

impl<T: Hooks> Backend<T> {
    pub(super) fn new(media: Media<T>, reader: Reader) -> Self {
        Self { media, reader, losses: Losses::default(), spans: Vec::new() }
    }
}

/// Erases, and what keeps flushed data.
pub struct Eraser<T: Hooks, S: Scheduler> {
    pub(super) backend: Backend<T>,
    pub(super) wear: WearLevelling,
    /// Blocks of one die whose erases are issued together, and for whose sake.
    pub(super) to_erase: Vec<(BlockId, Cause)>,
    /// What is left of the erases of blocks that wait to be used again.
    pub(super) deferred: FxHashMap<BlockId, erase::Deferred>,
    /// The blocks that are being erased.
    pub(super) erased: Vec<BlockId>,
    /// What keeps flushed data through power cuts, where no capacitor does.
    pub(super) safeguard: Option<Box<Safeguard<S::Join>>>,
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    pub(super) fn new(
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
    pub(super) eraser: Eraser<T, S>,
    pub(super) hotness: Option<Box<dyn Hotness>>,
    /// The choice of a plane, where it is not that of the order.
    pub(super) plane_policy: Option<Box<dyn PlanePolicy>>,
    pub(super) turns: Turns,
    pub(super) pending: ById<PointId, Pending<S::Join>>,
    pub(super) starts: Starts,
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    pub(super) fn new(config: &Config, eraser: Eraser<T, S>) -> Self {
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

    pub(super) fn under<S2: Scheduler>(self) -> Writer<T, S2> {
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
    pub(super) writer: Writer<T, S>,
    pub(super) collector: Collector<S>,
    pub(super) mapper: Mapper<S>,
}

/// A drive's translation layer, as the host meets it.
pub struct Ftl<T: Hooks, S: Scheduler> {
    pub(super) allocator: Allocator<T, S>,
    /// The technique's time at which it had nothing to do.
    pub(super) declined_ns: u64,
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    pub(super) fn over(allocator: Allocator<T, S>) -> Self {
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
