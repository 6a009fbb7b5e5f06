//! The demand-paged map: translation pages are logical units beyond those of the host.

use super::origin::{Origin, ReadOrigin, Room};
use super::read::is_in_merge_buffer;
use super::{Allocator, Ftl, Io};
use crate::drive::DriveState;
use crate::engine::Scheduler;
use crate::ids::Lpn;
use crate::nand::command::Cause;
use crate::policy::map_cache::{self, Access, MapCache};
use crate::schema::Config;
use crate::technique::Hooks;

/// The last read of each translation page for the host, whose end `E` names.
#[derive(Debug)]
pub(super) struct Arriving<E>(Vec<E>);

impl<E> Default for Arriving<E> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<E: Copy + Default> Arriving<E> {
    /// The last read of a page, which may be over: nothing waits for an end that is no operation's.
    #[inline]
    fn last(&self, page: u32) -> E {
        self.0.get(page as usize).copied().unwrap_or_default()
    }

    /// A read of a page begins.
    #[inline]
    fn put(&mut self, page: u32, end: E) {
        let page = page as usize;
        if page >= self.0.len() {
            self.0.resize(page + 1, E::default());
        }
        self.0[page] = end;
    }
}

/// The map in flash, where not all of it is in DRAM.
pub(super) struct Mapper<S: Scheduler> {
    pub cache: Option<MapCache>,
    /// Translation pages whose entries changed in GC and are not cached.
    pub translations: Vec<u32>,
    /// Translation pages that are being read.
    pub arriving: Arriving<S::Stamp>,
}

impl<S: Scheduler> Mapper<S> {
    pub fn new(config: &Config, state: &DriveState) -> Self {
        let cache = map_cache::build(&config.ftl.map_cache, state.geometry.unit_bytes);
        Self { cache, translations: Vec::new(), arriving: Arriving::default() }
    }

    pub fn under<S2: Scheduler>(self) -> Mapper<S2> {
        let (translations, arriving) = (Vec::new(), Arriving::default());
        Mapper { cache: self.cache, translations, arriving }
    }
}

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Looks up the map entry of a host unit; `after` then also waits for the flash that it takes.
    pub(super) fn look_up(&mut self, io: &mut Io<S>, lpn: Lpn, change: bool, after: &mut S::Join) {
        let Some(cache) = &mut self.mapper.cache else { return };
        let Access { write_back, load } = cache.access(lpn, change);
        if let Some(page) = write_back {
            self.rewrite_translation(io, page, Cause::Mapping, Room::Collected);
        }
        if let Some(page) = load {
            self.read_translation(io, page, Cause::Mapping, after);
        }
    }
}

impl<S: Scheduler> Mapper<S> {
    /// GC moved a unit: its map entry changes, in the cache or, when the victim is done, in flash.
    #[inline]
    pub(super) fn note_move(&mut self, state: &DriveState, lpn: Lpn) {
        let Some(cache) = &mut self.cache else { return };
        if state.is_of_host(lpn) && !cache.changed(lpn) {
            self.translations.push(cache.page_of(lpn));
        }
    }
}

impl<T: Hooks, S: Scheduler> Allocator<T, S> {
    /// Writes the translation pages that GC made stale, unless it ran for the sake of one of them.
    pub(super) fn rewrite_stale(&mut self, io: &mut Io<S>, room: Room) {
        if room != Room::CollectedForMap {
            self.rewrite_translations(io);
        }
    }

    /// Writes the translation pages that GC made stale, each once. They go where their addresses
    /// say, and may set off GC there, which then adds to the list.
    pub(super) fn rewrite_translations(&mut self, io: &mut Io<S>) {
        if self.mapper.translations.is_empty() {
            return;
        }
        // The GC that this sets off may be that of another die, whose erases are another operation.
        self.erase_together(io);
        let mut left = rewrites_at_most(&self.state);
        while !self.mapper.translations.is_empty() {
            let mut pages = std::mem::take(&mut self.mapper.translations);
            pages.sort_unstable();
            pages.dedup();
            if pages.len() > left {
                // Each rewrite sets off more of them: the drive is too full for its map to be kept.
                self.read_only = true;
                break;
            }
            left -= pages.len();
            for page in pages {
                self.rewrite_translation(io, page, Cause::Gc, Room::CollectedForMap);
            }
        }
    }

    /// `rank`: for the host, which waits for it, or for GC, on which nothing depends. A read for the host that is under
    /// way serves all who need the page; one for GC may have to wait for the host's reads, and serves GC alone.
    fn read_translation(&mut self, io: &mut Io<S>, page: u32, rank: Cause, after: &mut S::Join) {
        let lpn = lpn_of_map(&self.state, page);
        let unit = self.state.unit_of(lpn);
        if unit.is_some() && is_in_merge_buffer(&self.state, unit) {
            return;
        }
        let under_way = self.mapper.arriving.last(page);
        if !io.sched.is_over(under_way) {
            return io.sched.join(after, under_way);
        }
        let stamp = if unit.is_some() {
            let at = self.state.geometry.located(unit);
            self.read_page(
                io,
                at,
                1,
                ReadOrigin { priority: rank, ..ReadOrigin::of(Cause::Mapping) },
            )
        } else if self.settings.reads_unmapped {
            let sake = (Cause::Mapping, rank);
            let (span, at_once) = (self.span_if_mapped(lpn), S::Join::default());
            self.sense_unmapped(io, span, 1, sake, &at_once, &[])
        } else {
            return;
        };
        if S::TIMED && rank == Cause::Mapping {
            self.mapper.arriving.put(page, stamp);
        }
        io.sched.join(after, stamp);
    }

    fn rewrite_translation(&mut self, io: &mut Io<S>, page: u32, rank: Cause, room: Room) {
        let mut after = S::Join::default();
        self.read_translation(io, page, rank, &mut after);
        let lpn = lpn_of_map(&self.state, page);
        let layout = &self.state.layout;
        // Translation pages stay where their addresses say, however the host's data is allocated.
        let (scope, stream) = (layout.scope_of(layout.static_plane(lpn)), layout.map_stream);
        let origin = Origin { room, ..Origin::controller(&after) };
        self.write_unit(io, lpn, Cause::Mapping, stream, scope, &origin);
    }
}

/// Translation pages that are rewritten at a time, before GC is taken to go in circles: each of them
/// several times, and a thousand on small drives.
fn rewrites_at_most(state: &DriveState) -> usize {
    (4 * (state.map.count() - state.logical_units) as usize).max(1000)
}

/// The logical unit of a page of the map: they follow those of the host.
fn lpn_of_map(state: &DriveState, page: u32) -> Lpn {
    Lpn(state.logical_units + u64::from(page))
}
