//! A set of keys in order of last use.

use rustc_hash::FxHashMap;

const NIL: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Node {
    key: u64,
    newer: u32,
    older: u32,
}

/// Keys in order of last use; every operation takes constant time. While a key is held it has a place of its
/// own, which others get after it: places number what somebody keeps of each key.
#[derive(Debug, Default)]
pub struct Lru {
    place: FxHashMap<u64, u32>,
    nodes: Vec<Node>,
    spare: Vec<u32>,
    newest: u32,
    oldest: u32,
}

impl Lru {
    /// An empty set.
    pub fn new() -> Self {
        Self { newest: NIL, oldest: NIL, ..Self::default() }
    }

    /// Keys held.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// True when `key` is held; its place in the order stays.
    pub fn contains(&self, key: u64) -> bool {
        self.place.contains_key(&key)
    }

    /// The place of `key`, if it is held.
    #[inline]
    pub fn place_of(&self, key: u64) -> Option<u32> {
        // Most often it is asked of what was touched last.
        match self.nodes.get(self.newest as usize) {
            Some(node) if node.key == key => Some(self.newest),
            _ => self.place.get(&key).copied(),
        }
    }

    /// Makes `key` the newest; true when it was held before.
    pub fn touch(&mut self, key: u64) -> bool {
        if let Some(at) = self.place_of(key) {
            if at == self.newest {
                return true;
            }
            self.unlink(at);
            self.push(at);
            return true;
        }
        let node = Node { key, newer: NIL, older: NIL };
        let at = match self.spare.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.place.insert(key, at);
        self.push(at);
        false
    }

    /// Keys and their places, from the one on that was not used for the longest time.
    pub fn oldest_first(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let node = |at: u32| self.nodes.get(at as usize).map(|node| (node.key, at));
        let newer = move |&(_, at): &(u64, u32)| node(self.nodes[at as usize].newer);
        std::iter::successors(node(self.oldest), newer)
    }

    /// Removes and returns the key that was not used for the longest time, and its place.
    pub fn pop_oldest(&mut self) -> Option<(u64, u32)> {
        let key = self.nodes.get(self.oldest as usize)?.key;
        Some((key, self.remove(key)?))
    }

    /// Removes `key`; its place, if it was held.
    pub fn remove(&mut self, key: u64) -> Option<u32> {
        let at = self.place.remove(&key)?;
        self.unlink(at);
        self.spare.push(at);
        Some(at)
    }

    fn push(&mut self, at: u32) {
        self.nodes[at as usize].newer = NIL;
        self.nodes[at as usize].older = self.newest;
        match self.newest {
            NIL => self.oldest = at,
            newest => self.nodes[newest as usize].newer = at,
        }
        self.newest = at;
    }

    fn unlink(&mut self, at: u32) {
        let Node { newer, older, .. } = self.nodes[at as usize];
        match newer {
            NIL => self.newest = older,
            newer => self.nodes[newer as usize].older = older,
        }
        match older {
            NIL => self.oldest = newer,
            older => self.nodes[older as usize].newer = newer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lru;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn agrees_with_a_list(steps in prop::collection::vec((0u8..3, 0u64..12), 0..200)) {
            let (mut lru, mut list) = (Lru::new(), Vec::new());
            for (what, key) in steps {
                let held = list.iter().position(|&k| k == key);
                match what {
                    0 => {
                        let place = lru.place_of(key);
                        prop_assert_eq!(place.is_some(), held.is_some());
                        prop_assert_eq!(lru.touch(key), held.is_some());
                        prop_assert!(place.is_none() || lru.place_of(key) == place);
                        held.map(|at| list.remove(at));
                        list.push(key);
                    }
                    1 => {
                        let place = lru.place_of(key);
                        prop_assert_eq!(place.is_some(), held.is_some());
                        prop_assert_eq!(lru.remove(key), place);
                        held.map(|at| list.remove(at));
                    }
                    _ => {
                        let oldest = (!list.is_empty()).then(|| list.remove(0));
                        prop_assert_eq!(lru.pop_oldest().map(|(key, _)| key), oldest);
                    }
                }
                prop_assert_eq!(lru.len(), list.len());
                let places: BTreeSet<_> = list.iter().map(|&key| lru.place_of(key)).collect();
                prop_assert!(places.len() == list.len() && !places.contains(&None));
            }
        }
    }
}
