//! Whole results of small runs over every technique, scheme, scheduler, array, mode and policy, kept as
//! text. A change of any figure shows here, and is reviewed as the diff of a file.
//!
//! `cases.toml` lists the runs. `WORDLINE_GOLDEN=write cargo test -p wordline-sim --test golden` writes
//! their results anew.

mod breakdown;
mod cases;
mod coverage;
mod marks;
mod measured;
mod render;

use cases::Case;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use wordline_sim::ids::with_wide_tables;

/// How to write the files anew.
const COMMAND: &str = "WORDLINE_GOLDEN=write cargo test -p wordline-sim --test golden";
/// Lines that differ and are shown of each file.
const SHOWN: usize = 12;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/results")
}

fn is_writing() -> bool {
    std::env::var("WORDLINE_GOLDEN").is_ok_and(|wish| wish == "write")
}

/// The lines in which `kept` and `found` differ, the first few of them.
fn difference(kept: &str, found: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (kept.lines().collect(), found.lines().collect());
    let (was, is): (BTreeSet<_>, BTreeSet<_>) = (old.iter().collect(), new.iter().collect());
    let gone = old.iter().filter(|line| !is.contains(line)).map(|line| format!("  - {line}"));
    let come = new.iter().filter(|line| !was.contains(line)).map(|line| format!("  + {line}"));
    let mut lines: Vec<String> = gone.chain(come).collect();
    lines.sort_by(|a, b| a[4..].cmp(&b[4..]));
    let more = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    if more > 0 {
        lines.push(format!("  ({more} more)"));
    }
    lines.join("\n")
}

/// Compares a case with its file, or writes that; what differs.
fn check(case: &Case) -> Option<String> {
    let path = folder().join(format!("{}.txt", case.name));
    let found = match case.run() {
        Ok(outcome) => render::text(case, &outcome),
        Err(error) => return Some(format!("{}: {error}", case.name)),
    };
    if is_writing() {
        let written = fs::create_dir_all(folder()).and_then(|()| fs::write(&path, found));
        return written.err().map(|error| format!("{}: {error}", path.display()));
    }
    match fs::read_to_string(&path) {
        Err(_) => Some(format!("{}: there is no file of its result", case.name)),
        Ok(kept) if kept == found => None,
        Ok(kept) => Some(format!("{}:\n{}", case.name, difference(&kept, &found))),
    }
}

/// What differs of all cases.
fn differing(check: impl Fn(&Case) -> Option<String> + Sync) -> Vec<String> {
    let cases = cases::all();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        let part = |first: usize| {
            let (cases, check) = (&cases, &check);
            scope.spawn(move || {
                let part = cases.iter().skip(first).step_by(threads);
                part.filter_map(check).collect::<Vec<_>>()
            })
        };
        let workers: Vec<_> = (0..threads).map(part).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no case panics")).collect()
    })
}

#[test]
fn results_are_as_they_were() {
    let differing = differing(check);
    assert!(
        differing.is_empty(),
        "results changed; where that is meant, name it in CHANGELOG.md and write them anew:\n  \
         {COMMAND}\n{}",
        differing.join("\n")
    );
}

/// Drives of more units than four bytes tell apart have wider tables, which small drives can have too.
#[test]
fn wide_tables_change_no_result() {
    if !is_writing() {
        let differing = differing(|case| with_wide_tables(|| check(case)));
        assert!(differing.is_empty(), "{}", differing.join("\n"));
    }
}

#[test]
fn every_file_has_its_case() {
    let names: BTreeSet<String> = cases::all().into_iter().map(|case| case.name).collect();
    let files = fs::read_dir(folder()).into_iter().flatten();
    for entry in files {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if is_writing() && !names.contains(name) {
            fs::remove_file(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        } else {
            assert!(names.contains(name), "{} has no case: {COMMAND}", path.display());
        }
    }
}

#[test]
fn a_difference_is_told_line_by_line() {
    let kept = "a = 1\nb = 2\nc = 3\n";
    assert_eq!(difference(kept, "a = 1\nb = 4\nc = 3\n"), "  - b = 2\n  + b = 4");
    assert_eq!(difference(kept, "a = 1\nc = 3\nd = 5\n"), "  - b = 2\n  + d = 5");
}
