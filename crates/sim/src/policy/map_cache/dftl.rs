//! DFTL (Gupta, Kim & Urgaonkar, ASPLOS 2009): map entries are cached one by one with LRU;
//! translation pages live in flash. When a dirty entry leaves, every dirty entry of its
//! translation page is written back with it.

use super::Entry;
use crate::declare::PolicyDecl;
use crate::ids::{Id, Lpn};
use crate::util::Lru;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const ENTRY: Entry = Entry {
    declaration: PolicyDecl {
        summary: "demand-paged, entries cached with LRU",
        keys: &["capacity_kib"],
    },
    build: |config, unit_bytes| Some(MapCache::new(config.capacity_kib, unit_bytes)),
};

/// Bytes of a cached entry: logical and physical number.
const ENTRY_BYTES: f64 = 8.0;
/// Bytes of an entry in a translation page.
const STORED_BYTES: u64 = 4;

/// The cached part of the map.
#[derive(Debug)]
pub struct MapCache {
    entries: Lru,
    capacity: usize,
    entries_per_page: u32,
    /// Dirty entries by translation page.
    dirty: FxHashMap<u32, FxHashSet<Lpn>>,
}

/// What an access costs in flash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access {
    /// Translation page to be written back.
    pub write_back: Option<u32>,
    /// Translation page to be read.
    pub load: Option<u32>,
}

impl MapCache {
    /// An empty cache of `capacity_kib`, for translation pages of one unit.
    pub fn new(capacity_kib: f64, unit_bytes: u64) -> Self {
        Self {
            entries: Lru::new(),
            capacity: ((capacity_kib * 1024.0 / ENTRY_BYTES) as usize).max(1),
            entries_per_page: Self::entries_per_page(unit_bytes),
            dirty: FxHashMap::default(),
        }
    }

    /// Entries of a translation page of one unit.
    pub fn entries_per_page(unit_bytes: u64) -> u32 {
        (unit_bytes / STORED_BYTES) as u32
    }

    /// The translation page of a logical unit.
    pub fn page_of(&self, lpn: Lpn) -> u32 {
        lpn.range(self.entries_per_page) as u32
    }

    /// Looks an entry up, for a change if `change`.
    pub fn access(&mut self, lpn: Lpn, change: bool) -> Access {
        let mut access = Access::default();
        if !self.entries.touch(lpn.number()) {
            access.load = Some(self.page_of(lpn));
            if self.entries.len() > self.capacity {
                access.write_back = self.evict();
            }
        }
        if change {
            self.mark(lpn);
        }
        access
    }

    /// An entry changed without being looked up; true when it is cached, so that nothing is due.
    pub fn changed(&mut self, lpn: Lpn) -> bool {
        let cached = self.entries.contains(lpn.number());
        if cached {
            self.mark(lpn);
        }
        cached
    }

    fn mark(&mut self, lpn: Lpn) {
        self.dirty.entry(self.page_of(lpn)).or_default().insert(lpn);
    }

    fn evict(&mut self) -> Option<u32> {
        let lpn = Lpn(self.entries.pop_oldest()?.0);
        let page = self.page_of(lpn);
        let is_dirty = self.dirty.get(&page).is_some_and(|entries| entries.contains(&lpn));
        is_dirty.then(|| {
            self.dirty.remove(&page);
            page
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, MapCache};
    use crate::ids::Lpn;

    fn load(page: u32) -> Access {
        Access { load: Some(page), write_back: None }
    }

    #[test]
    fn a_dirty_entry_takes_its_page_with_it() {
        let mut cache = MapCache::new(3.0 * 8.0 / 1024.0, 4096);
        assert_eq!(cache.access(Lpn(0), true), load(0));
        assert_eq!(cache.access(Lpn(1), true), load(0));
        assert_eq!(cache.access(Lpn(5000), false), load(4));
        assert_eq!(cache.access(Lpn(1), false), Access::default());
        assert_eq!(cache.access(Lpn(6000), false), Access { load: Some(5), write_back: Some(0) });
        // Entry 5000 was clean, and entry 1 was cleaned with entry 0.
        assert_eq!(cache.access(Lpn(7000), false), load(6));
        assert_eq!(cache.access(Lpn(8000), false), load(7));
        assert!(!cache.changed(Lpn(1)));
    }
}
