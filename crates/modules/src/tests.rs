//! Small crates, written and read.

use super::*;
use std::fs::{create_dir_all, write};

/// A folder with these files.
fn crate_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        create_dir_all(path.parent().unwrap()).unwrap();
        write(path, text).unwrap();
    }
    folder
}

/// What is told of the circles of a crate of these files.
fn circles_among(files: &[(&str, &str)]) -> String {
    circles_of(&crate_of(files).path().join("lib.rs"))
}

const TWO: &str = "mod a; mod b; pub use b::Far;";

#[test]
fn two_files_that_name_each_other_are_a_circle_and_their_names_are_told() {
    let told = circles_among(&[
        ("lib.rs", TWO),
        ("a.rs", "use crate::b::Far;"),
        ("b.rs", "use super::a::X;"),
    ]);
    assert_eq!(told, "a circle in the crate: a, b\n  a -> b: Far\n  b -> a: X\n");
}

#[test]
fn every_way_to_name_something_counts() {
    for names in [
        "use crate::b::Far;",
        "use crate::Far as Near;",
        "use crate::{b::{self, Far}, x};",
        "use super::b::*;",
        "use crate::b; fn f() { b::far() }",
        "use crate::b as c; type T = Vec<c::Far>;",
        "pub fn f(far: &crate::b::Far) {}",
        "fn f() { if true { use crate::Far; } }",
        "macro_rules! m { () => { $crate::b::far() }; }",
        "const TEXT: &str = concat!(\"a\", crate::b::text!());",
        "mod inner { use super::super::b::Far; }",
        "impl Clone for crate::b::Far {}",
    ] {
        let b = "use crate::a::X; pub struct Far;";
        let told = circles_among(&[("lib.rs", TWO), ("a.rs", names), ("b.rs", b)]);
        assert!(told.starts_with("a circle in the crate: a, b\n"), "{names}: {told}");
    }
}

#[test]
fn what_only_looks_like_an_arrow_is_none() {
    for names in [
        "// crate::b::Far",
        "/// See [`crate::b::Far`].\nstruct X;",
        "const TEXT: &str = \"crate::b::Far\";",
        "#[cfg(test)] mod tests { use crate::b::Far; }",
        "#[cfg(test)] use crate::b::Far;",
        "#[cfg(test)] mod tests;",
        "use std::b::Far; fn f() { other::b::far() }",
        "use crate::b;",
        "pub(in crate::b) struct X;",
    ] {
        let tests = ("a/tests.rs", "use crate::b::Far;");
        let b = ("b.rs", "use crate::a::X; pub struct Far;");
        let told = circles_among(&[("lib.rs", TWO), ("a.rs", names), tests, b]);
        assert_eq!(told, "", "{names}");
    }
}

#[test]
fn folders_are_held_to_it_as_a_whole_and_inside() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod one; mod two; pub struct Top; use one::Low;"),
        ("a/one.rs", "use super::Top; pub struct Low;"),
        ("a/two.rs", "use super::one::Low; use crate::b::Far;"),
        ("b.rs", "pub struct Far;"),
    ];
    assert_eq!(circles_among(&files), "", "a folder's own file is known below it");
    let mut back = files;
    back[4].1 = "use crate::a::one::Low;";
    let told = "a circle in the crate: a, b\n  a::two -> b: Far\n  b -> a::one: Low\n";
    assert_eq!(circles_among(&back), told);
    let mut inside = files;
    inside[2].1 = "use super::two::High;";
    assert!(circles_among(&inside).starts_with("a circle in a: one, two\n"));
}

#[test]
fn arrows_lead_down_the_floors() {
    let folder = crate_of(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "pub struct Low; #[cfg(test)] use crate::c::Top;"),
        ("b/mod.rs", "mod one; mod two; use crate::a::Low; pub struct Far;"),
        ("b/one.rs", "pub struct Side;"),
        ("b/two.rs", "use super::one::Side;"),
        ("c.rs", "use crate::b::Far; use crate::a::Low; pub struct Top;"),
    ]);
    let climbs = |floors: &[Vec<&str>]| climbs_of(&folder.path().join("lib.rs"), floors);
    assert_eq!(climbs(&[vec!["a"], vec!["b"], vec!["c"]]), "");
    assert_eq!(climbs(&[vec!["a"], vec!["b", "c"]]), "  c -> b: Far\n");
    assert_eq!(climbs(&[vec!["a"], vec!["c"], vec!["b"]]), "  c -> b: Far\n");
}

#[test]
#[should_panic(expected = "the modules that have floors")]
fn every_module_has_a_floor() {
    let folder = crate_of(&[("lib.rs", "mod a; mod b;"), ("a.rs", ""), ("b.rs", "")]);
    climbs_of(&folder.path().join("lib.rs"), &[vec!["a"]]);
}

#[test]
fn imports_that_lead_round_come_to_an_end() {
    let round = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub use crate::b::X; pub use super::b::*;"),
        ("b.rs", "pub use crate::a::X; pub use super::a::*; fn f(x: crate::a::Y) {}"),
    ];
    assert!(circles_among(&round).starts_with("a circle in the crate: a, b\n"));
}

#[test]
#[should_panic(expected = "no module names another")]
fn modules_without_arrows_are_no_pass() {
    circles_among(&[("lib.rs", "mod a; mod b;"), ("a.rs", "pub fn f() {}"), ("b.rs", "fn g() {}")]);
}
