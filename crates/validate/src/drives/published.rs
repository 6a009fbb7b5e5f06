//! The published values of drives.

use crate::case::{Check, Value};
use std::sync::LazyLock;
use wordline_items::Served;
use wordline_items::expected::{self, Row};

const EXPECTED: &str = include_str!("../../../../experiments/drives/expected.csv");

/// Ends the ids of rows where reads wait for programs and erases.
pub const WAITING: &str = "/reading=waits";
/// Ends the ids of rows where reads wait for programs that are being loaded alone.
pub const ONCE_LOADED: &str = "/reading=loading_waits";

/// All of them.
pub static ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| expected::rows(EXPECTED).expect("a test reads the file"));

/// Whether the published value of a check is known.
pub fn has(id: &str) -> bool {
    ROWS.iter().any(|row| row.id == id)
}

/// The row of a check.
///
/// # Panics
/// No such row.
pub fn row(id: &str) -> &'static Row {
    ROWS.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("no row `{id}`"))
}

/// The value of a row that a number is fitted to.
///
/// # Panics
/// A row that is not marked as fitted, or without a value.
pub fn goal(id: &str) -> f64 {
    value(id, Served::Fit)
}

/// The value of a row that is put in as it was measured.
///
/// # Panics
/// A row that is not marked so, or without a value.
pub fn measured(id: &str) -> f64 {
    value(id, Served::Input)
}

fn value(id: &str, served: Served) -> f64 {
    let row = row(id);
    assert_eq!(row.served, served, "`{id}` is read, but not marked so");
    row.reference.expect("a row that is read has a value")
}

/// The check of a row against what a run gives.
pub fn check(id: &str, ours: Value) -> Check {
    let row = row(id);
    let reference = row.reference.expect("what was not published is not checked");
    Check {
        id: row.id.clone(),
        source: row.source.clone(),
        unit: &row.unit,
        tolerance: row.tolerance,
        served: row.served,
        reference: Box::new(move |_| reference),
        ours,
        note: note(id).to_owned(),
    }
}

/// Why requests at random deviate over SATA.
const TIME_OF_COMMANDS: &str =
    "the link is what holds ours up, and it takes no time for each command; SATA does";

/// Why rows deviate, by the beginning of an id and its end.
const NOTES: [(&str, &str, &str); 20] = [
    (
        "drives/7450-max/load/saturated",
        "iops",
        "the drive takes 3.2 to 3.4 ms for each write, with 384 under way and with 512; ours takes what its flash can",
    ),
    (
        "drives/7450-max/load/",
        "write-p99",
        "the drive delays writes from some 20,000 a second on, long before its flash is busy; ours fills no buffer",
    ),
    (
        "drives/cm7-r/load/",
        "write-p99",
        "the log suits a drive that gathers a whole row of its superblock, and takes few writes while it programs \
         it; ours programs each word line as it is full",
    ),
    ("drives/", "write-p99", "what a write takes in the controller has no distribution in ours"),
    (
        "drives/",
        "read-p99",
        "one time of a suspension is fitted, to the lightest load; the drives' reads wait longer where they write more",
    ),
    ("drives/", WAITING, "a reading: reads wait for whole programs and erases"),
    (
        "drives/",
        ONCE_LOADED,
        "a reading: a read that comes while a program is being loaded waits for it",
    ),
    (
        "drives/p5520/zipf",
        "",
        "three logs of this law on this drive have 3.35, some 3.6 and 3.91; ours is within them",
    ),
    (
        "drives/p5520/zipf",
        "/reading=cost_benefit",
        "a reading: the age of a block weighs in the choice of the victim",
    ),
    (
        "drives/p5520/zipf_fio",
        "",
        "the log reads 0.004 units for each that the host writes, so next to nothing was moved: what it wrote \
         was not fio's law over the whole drive",
    ),
    (
        "drives/840-evo/recovery/s=25",
        "",
        "ours reads and programs in turn as the cache hands data on; the drive is faster there than beside its cache",
    ),
    (
        "drives/mp700-elite/cliff/full",
        "",
        "ours hands the cache on with every die at work; the drive loses more there",
    ),
    ("drives/mp700-elite/cliff/mean", "", "the third plateau is too fast"),
    ("drives/840-evo/", "sheet/random-read", TIME_OF_COMMANDS),
    ("drives/840-evo/", "sheet/random-write", TIME_OF_COMMANDS),
    ("drives/870-qvo/", "sheet/random-read", TIME_OF_COMMANDS),
    ("drives/870-qvo/", "sheet/random-write", TIME_OF_COMMANDS),
    (
        "drives/970-evo/sheet/random-write",
        "",
        "ours writes at random as fast as in sequence; what the controller's processor takes is not modelled",
    ),
    ("drives/970-evo/cliff/cached", "", "the review says well over 2 GB/s, and Samsung 2.3"),
    (
        "drives/fx700/cliff/cached",
        "",
        "the review has 5 GB/s to 54 GB and 3.5 to 460; a cache of one kind has one rate",
    ),
];

fn note(id: &str) -> &'static str {
    let is_of = |(begins, ends, _): &&(&str, &str, &str)| match *ends {
        "" => id == *begins,
        ends => id.starts_with(begins) && id.ends_with(ends),
    };
    NOTES.iter().find(is_of).map_or("", |(_, _, why)| why)
}
