//! The demand-paged map of the reference: a list of the cached entries, oldest first, and a set of
//! those that changed.

use super::Model;
use std::collections::BTreeSet;
use wordline_sim::config::Config;

pub struct MapCache {
    cached: Vec<usize>,
    dirty: BTreeSet<usize>,
    /// Translation pages that GC made stale, and whether they are being rewritten.
    stale: BTreeSet<usize>,
    rewriting: bool,
    capacity: usize,
    entries_per_page: usize,
}

impl MapCache {
    /// Entries of 8 bytes in DRAM, of 4 bytes in flash.
    pub fn new(config: &Config, unit_bytes: u64) -> Self {
        Self {
            cached: Vec::new(),
            dirty: BTreeSet::new(),
            stale: BTreeSet::new(),
            rewriting: false,
            capacity: (config.ftl.map_cache.capacity_kib * 128.0) as usize,
            entries_per_page: unit_bytes as usize / 4,
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
}

impl Model {
    /// The entry of a unit is needed, for a change if `change`.
    pub fn look_up(&mut self, lpn: usize, change: bool) {
        let Some(cache) = &mut self.map_cache else { return };
        let (write_back, load) = cache.touch(lpn);
        if change {
            cache.dirty.insert(lpn);
        }
        if let Some(page) = write_back {
            self.rewrite(page);
        }
        if let Some(page) = load {
            self.load(page);
        }
    }

    fn load(&mut self, page: usize) {
        if self.map[self.shape.logical_units + page].is_some() {
            self.counts.reads_mapping += self.shape.pages_per_unit as u64;
        }
    }

    /// A translation page is read and written anew, at the plane of its address.
    fn rewrite(&mut self, page: usize) {
        self.load(page);
        let lpn = self.shape.logical_units + page;
        let plane = self.shape.static_plane(lpn).expect("it is mine");
        let point = self.map_point(plane / self.shape.scope_planes);
        if self.room(point) > 0 || self.open_after_gc(point) {
            self.put(point, lpn);
            self.counts.programs_mapping += 1;
        }
    }

    fn map_point(&self, scope: usize) -> usize {
        scope * self.shape.streams + self.shape.map_stream
    }

    /// Where the drive's own moves put a unit: translation pages stay among themselves.
    pub fn refuge_of(&self, lpn: usize, point: usize) -> usize {
        match lpn < self.shape.logical_units {
            true => point,
            false => self.map_point(point / self.shape.streams),
        }
    }

    /// The drive moved a unit: its entry changes where it is, in the cache or in flash.
    pub fn note_move(&mut self, lpn: usize) {
        let Some(cache) = &mut self.map_cache else { return };
        if lpn >= self.shape.logical_units {
            return;
        }
        if cache.cached.contains(&lpn) {
            cache.dirty.insert(lpn);
        } else {
            cache.stale.insert(lpn / cache.entries_per_page);
        }
    }

    /// Rewrites what is stale, in order, until nothing is: that may set off GC, which makes more so.
    pub fn rewrite_stale(&mut self) {
        if !self.map_cache.as_ref().is_some_and(|cache| !cache.rewriting && !cache.stale.is_empty())
        {
            return;
        }
        self.erase();
        self.set_rewriting(true);
        loop {
            let cache = self.map_cache.as_mut().expect("there is one");
            let pages = std::mem::take(&mut cache.stale);
            if pages.is_empty() {
                break;
            }
            pages.into_iter().for_each(|page| self.rewrite(page));
        }
        self.set_rewriting(false);
    }

    fn set_rewriting(&mut self, rewriting: bool) {
        self.map_cache.as_mut().expect("there is one").rewriting = rewriting;
    }
}
