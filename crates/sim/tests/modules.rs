//! The modules of the simulator form no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{read_dir, read_to_string};
use std::path::Path;

/// The modules that each module of the crate's root names in its code.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in read_dir(root).expect("the sources") {
        let path = entry.expect("an entry").path();
        let module = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        collect(&path, all.entry(module).or_default());
    }
    all.remove("lib");
    for (module, uses) in &mut all {
        uses.remove(module);
    }
    let modules: BTreeSet<String> = all.keys().cloned().collect();
    all.values_mut().for_each(|uses| uses.retain(|name| modules.contains(name)));
    all
}

/// Adds what the files at `path` name after `crate::`, tests and comments left out.
fn collect(path: &Path, uses: &mut BTreeSet<String>) {
    if path.is_dir() {
        if path.file_name().is_some_and(|name| name != "tests") {
            let entries = read_dir(path).expect("a folder").map(|entry| entry.expect("an entry"));
            entries.for_each(|entry| collect(&entry.path(), uses));
        }
        return;
    }
    let text = read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    for line in code.lines().map(|line| line.split("//").next().unwrap_or_default()) {
        for rest in line.split("crate::").skip(1) {
            assert!(!rest.starts_with('{'), "{}: a line for each module: {line}", path.display());
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            uses.insert(rest.chars().take_while(|&c| is_name(c)).collect());
        }
    }
}

/// What is left of the modules when those that use nothing of the rest are taken away, again and
/// again: the circles, and what stands above them.
fn circles(mut all: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let leaves: BTreeSet<String> =
            all.iter().filter(|(_, uses)| uses.is_empty()).map(|(name, _)| name.clone()).collect();
        if leaves.is_empty() {
            return all;
        }
        all.retain(|name, _| !leaves.contains(name));
        all.values_mut().for_each(|uses| uses.retain(|name| !leaves.contains(name)));
    }
}

#[test]
fn modules_form_no_circle() {
    let all = dependencies();
    assert!(all["ftl"].contains("nand"), "the sources are read");
    let left = circles(all);
    assert!(left.is_empty(), "in a circle, or above one: {left:#?}");
}

#[test]
fn a_circle_is_found() {
    let mut all = dependencies();
    all.get_mut("nand").expect("a module").insert("ftl".into());
    assert!(circles(all).contains_key("nand"));
}
