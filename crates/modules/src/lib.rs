//! Which modules of a crate name which, and in what circles: for a test that holds all crates
//! to arrows that point one way, and the simulator to its floors.
//!
//! An arrow runs from a module to the one that defines what it names, however many `pub use` lie
//! between. In each folder what lies side by side, files and folders with all that is below, forms no
//! circle. A folder's own file (`mod.rs`, `lib.rs`) counts at none of these levels: it shows what is
//! below it, and those below know it. What stands behind a macro's variable, and methods, which code
//! calls without naming their module, are not seen.

mod arrows;
mod circle;
mod source;

use arrows::{Arrows, arrows};
use circle::{Graph, circles};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// The circles that modules of a crate form, a line for each and for each pair of modules that ties it; `root` is
/// the crate's `lib.rs` or `main.rs`. Empty where there is none.
///
/// # Panics
/// A source that cannot be read; a crate of several modules none of which names another.
pub fn circles_of(root: &Path) -> String {
    let modules = source::read(root);
    let arrows = arrows(&modules);
    let is_understood = modules.len() == 1 || !arrows.is_empty();
    assert!(is_understood, "{}: no module names another", root.display());
    told(&arrows)
}

/// The arrows of a crate that do not lead down its floors, a line for each pair of modules; `floors` has the
/// crate's outermost modules, the lowest first. Those of one floor do not name each other.
///
/// # Panics
/// A source that cannot be read; floors that leave a module out, or have one that there is not.
pub fn climbs_of(root: &Path, floors: &[Vec<&str>]) -> String {
    let modules = source::read(root);
    let placed: BTreeSet<&str> = floors.iter().flatten().copied().collect();
    let outermost = modules.iter().filter(|module| module.path.is_empty());
    let there: BTreeSet<&str> =
        outermost.flat_map(|module| module.children.iter().map(String::as_str)).collect();
    assert_eq!(placed, there, "the modules that have floors, and those of {}", root.display());
    let floor = |name: &str| floors.iter().position(|floor| floor.contains(&name));
    let leads_down = |from: &[String], to: &[String]| {
        side_by_side(from, to)
            .is_none_or(|(level, [from, to])| !level.is_empty() || floor(to) < floor(from))
    };
    let arrows = arrows(&modules);
    let climbs = arrows.iter().filter(|((from, to), _)| !leads_down(from, to));
    climbs.map(|((from, to), items)| tie(from, to, items)).collect()
}

/// The circles, each with the names that tie it.
fn told(arrows: &Arrows<'_>) -> String {
    let mut levels: BTreeMap<&[String], Graph<&str>> = BTreeMap::new();
    for &(from, to) in arrows.keys() {
        if let Some((level, [from, to])) = side_by_side(from, to) {
            levels.entry(level).or_default().entry(from).or_default().insert(to);
        }
    }
    let mut text = String::new();
    for (level, graph) in &levels {
        for circle in circles(graph) {
            let names: Vec<&str> = circle.iter().copied().collect();
            let _ = writeln!(text, "a circle in {}: {}", shown(level), names.join(", "));
            for (&(from, to), items) in arrows {
                let ties = side_by_side(from, to).filter(|(at, _)| at == level);
                if ties.is_some_and(|(_, ends)| ends.iter().all(|end| circle.contains(end))) {
                    text += &tie(from, to, items);
                }
            }
        }
    }
    text
}

/// The line of two modules, with the names that one takes from the other.
fn tie(from: &[String], to: &[String], items: &BTreeSet<String>) -> String {
    let items: Vec<&str> = items.iter().map(String::as_str).collect();
    format!("  {} -> {}: {}\n", shown(from), shown(to), items.join(", "))
}

/// The module in which the ways to `from` and `to` part, and what they are part of there; `None`
/// where one lies in the other.
fn side_by_side<'a>(from: &'a [String], to: &'a [String]) -> Option<(&'a [String], [&'a str; 2])> {
    let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    Some((&from[..common], [from.get(common)?, to.get(common)?]))
}

fn shown(path: &[String]) -> String {
    if path.is_empty() { "the crate".to_owned() } else { path.join("::") }
}

#[cfg(test)]
mod tests;
