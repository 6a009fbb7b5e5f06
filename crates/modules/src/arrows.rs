//! Which module names what of which other: paths followed through imports to where an item stands.

use crate::source::{Module, Names};
use std::collections::{BTreeMap, BTreeSet};

/// The names that one module takes from another that lies in another file.
pub type Arrows<'a> = BTreeMap<(&'a [String], &'a [String]), BTreeSet<String>>;

/// Imports of imports that are followed, so that one that names itself ends.
const MOST_STEPS: u32 = 16;

/// The arrows between `modules`.
pub fn arrows(modules: &[Module]) -> Arrows<'_> {
    let by_path = modules.iter().map(|module| (&module.path[..], module)).collect();
    let house = House { by_path };
    let mut arrows = Arrows::new();
    for module in modules {
        let everything = module.globs.iter().map(|glob| (glob, Some("*")));
        let named = module.imports.values().chain(&module.named).map(|path| (path, None));
        for (path, star) in everything.chain(named) {
            let Some(found) = house.find(module, path, MOST_STEPS) else { continue };
            // A module that is only brought in counts by what is named of it.
            let Some(name) = star.or(found.item) else { continue };
            if found.module.file != module.file {
                let between = (&module.path[..], &found.module.path[..]);
                arrows.entry(between).or_default().insert(name.to_owned());
            }
        }
    }
    arrows
}

struct House<'a> {
    by_path: BTreeMap<&'a [String], &'a Module>,
}

/// Where a path leads: to a module, or to an item in it.
struct Found<'a, 'n> {
    module: &'a Module,
    item: Option<&'n str>,
}

impl<'a> House<'a> {
    /// Where `path` leads, seen from `from`; `None` where it leaves the crate.
    fn find<'n>(&self, from: &'a Module, path: &'n [String], steps: u32) -> Option<Found<'a, 'n>> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => self.by_path.get(&[][..]),
            "self" => Some(&from),
            "super" => self.by_path.get(&from.path[..from.path.len().checked_sub(1)?]),
            // Without a definition that is known it is a crate, a type or a variable.
            _ => return self.item(from, path, steps).filter(|found| found.is_other_than(from)),
        };
        self.item(start?, rest, steps)
    }

    /// Where `path` leads from inside `at`.
    fn item<'n>(&self, at: &'a Module, path: &'n [String], steps: u32) -> Option<Found<'a, 'n>> {
        let Some((first, rest)) = path.split_first() else {
            return Some(Found { module: at, item: None });
        };
        if first == "super" {
            return self.find(at, path, steps);
        }
        let inner: Names = at.path.iter().chain([first]).cloned().collect();
        if let Some(inner) = self.by_path.get(&inner[..]) {
            return self.item(inner, rest, steps);
        }
        let own = Found { module: at, item: Some(first) };
        if at.items.contains(first) || steps == 0 {
            return Some(own);
        }
        if let Some(import) = at.imports.get(first) {
            let found = self.find(at, import, steps - 1)?;
            return match found.item {
                None => self.item(found.module, rest, steps - 1),
                Some(_) => Some(Found { module: found.module, item: Some(first) }),
            };
        }
        let through = |glob: &Names| {
            let module = self.find(at, glob, steps - 1)?.module;
            self.item(module, path, steps - 1).filter(|found| found.is_other_than(module))
        };
        Some(at.globs.iter().find_map(through).unwrap_or(own))
    }
}

impl Found<'_, '_> {
    /// Whether it is more than a name that `asked` might define, as far as is known.
    fn is_other_than(&self, asked: &Module) -> bool {
        let is_elsewhere = self.module.path != asked.path;
        is_elsewhere || self.item.is_none_or(|item| asked.items.contains(item))
    }
}
