//! The demand-paged map of the reference: a list of the cached entries, oldest first, and a set of
//! those that changed.

use super::drive::Reference;
use std::collections::BTreeSet;
use std::rc::Rc;
use wordline_sim::config::Config;

pub struct MapCache {
    cached: Vec<usize>,
    dirty: BTreeSet<usize>,
    /// Translation pages that GC made stale, and whether they are being rewritten.
    stale: BTreeSet<usize>,
    rewriting: bool,
    capacity: usize,
    entries_per_page: usize,
    logical_units: usize,
}

impl MapCache {
    /// Entries of 8 bytes in DRAM, of 4 bytes in flash.
    pub fn new(config: &Config, unit_bytes: u64, logical_units: usize) -> Self {
        Self {
            cached: Vec::new(),
            dirty: BTreeSet::new(),
            stale: BTreeSet::new(),
            rewriting: false,
            capacity: (config.ftl.map_cache.capacity_kib * 128.0) as usize,
            entries_per_page: unit_bytes as usize / 4,
            logical_units,
        }
    }

    /// Makes an entry the newest; returns the translation page to be written and the one to be read.
    fn touch(&mut self, lpn: usize) -> (Option<usize>, Option<usize>) {
        if let Some(at) = self.cached.iter().position(|&cached| cached == lpn) {
            self.cached.remove(at);
            self.cached.push(lpn);
            return (None, None);
        }
        self.cached.push(lpn);
        let load = Some(lpn / self.entries_per_page);
        if self.cached.len() <= self.capacity {
            return (None, load);
        }
        let oldest = self.cached.remove(0);
        let page = oldest / self.entries_per_page;
        let is_dirty = self.dirty.contains(&oldest);
        if is_dirty {
            // The whole page is clean once it is written.
            self.dirty.retain(|lpn| lpn / self.entries_per_page != page);
        }
        (is_dirty.then_some(page), load)
    }
    /// The drive moved a unit: its entry changes where it is, in the cache or in flash.
    pub fn note_move(&mut self, lpn: usize) {
        if lpn >= self.logical_units {
            return;
        }
        if self.cached.contains(&lpn) {
            self.dirty.insert(lpn);
        } else {
            self.stale.insert(lpn / self.entries_per_page);
        }
    }
}

/// Translation pages lie wherever their addresses say, in any kind of flash.
impl Reference {
    /// The entry of a unit is needed, for a change if `change`.
    pub fn look_up(&mut self, lpn: usize, change: bool) {
        let Some(cache) = &self.shared.map_cache else { return };
        let mut cache = cache.borrow_mut();
        let (write_back, load) = cache.touch(lpn);
        if change {
            cache.dirty.insert(lpn);
        }
        drop(cache);
        if let Some(page) = write_back {
            self.rewrite(page);
        }
        if let Some(page) = load {
            self.load(page);
        }
    }

    /// The unit in which a translation page lies.
    fn unit_of(&self, page: usize) -> usize {
        self.kinds[0].shape.logical_units + page
    }

    fn load(&mut self, page: usize) {
        let lpn = self.unit_of(page);
        let model = self.of(lpn);
        if model.is_on_flash(lpn) {
            model.counts.reads_mapping += model.shape.pages_per_unit as u64;
        }
    }

    /// A translation page is read and written anew, at the plane of its address.
    fn rewrite(&mut self, page: usize) {
        self.load(page);
        let lpn = self.unit_of(page);
        let kind = self.kind_of(lpn);
        let model = &self.kinds[kind];
        let plane = model.shape.static_plane(lpn).expect("it is mine");
        let point = model.map_point(plane / model.shape.scope_planes);
        if model.room(point) > 0 || self.open_after_gc(kind, point) {
            self.kinds[kind].put(point, lpn);
            self.kinds[kind].counts.programs_mapping += 1;
        }
    }

    /// Rewrites what is stale, in order, until nothing is: that may set off GC, which makes more so.
    pub fn rewrite_stale(&mut self, kind: usize) {
        let shared = Rc::clone(&self.shared);
        let Some(cache) = &shared.map_cache else { return };
        if cache.borrow().rewriting || cache.borrow().stale.is_empty() {
            return;
        }
        self.kinds[kind].erase();
        cache.borrow_mut().rewriting = true;
        loop {
            let pages = std::mem::take(&mut cache.borrow_mut().stale);
            if pages.is_empty() {
                break;
            }
            pages.into_iter().for_each(|page| self.rewrite(page));
        }
        cache.borrow_mut().rewriting = false;
    }
}
