//! What publications report of whole drives: the values beside which reproductions stand.

use pyo3::prelude::*;

macro_rules! experiments {
    ($($paper:literal in $folder:literal),*) => {
        &[$(($paper, include_str!(concat!("../../../experiments/", $folder, "/drives.csv")))),*]
    };
}

const DRIVES: &[(&str, &str)] = experiments![
    "centaur" in "centaur",
    "lazyrs" in "lazyrs",
    "llh" in "llh_ftl",
    "reo" in "reo",
    "ressd" in "ressd",
    "ressd-drives-10" in "ressd-drives-10",
    "ressd-layers" in "ressd-layers"
];

/// The values that a publication reports of whole drives, as CSV; nothing where it is unknown.
#[pyfunction]
pub fn expected(paper: &str) -> Option<&'static str> {
    DRIVES.iter().find(|(name, _)| *name == paper).map(|(_, text)| *text)
}
