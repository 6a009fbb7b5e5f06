//! What publications report of whole drives: the values beside which reproductions stand.

use pyo3::prelude::*;

macro_rules! experiments {
    ($($paper:literal),*) => {
        &[$(($paper, include_str!(concat!("../../../experiments/", $paper, "/drives.csv")))),*]
    };
}

const DRIVES: &[(&str, &str)] = experiments!["reo", "ressd"];

/// The values that a publication reports of whole drives, as CSV; nothing where it is unknown.
#[pyfunction]
pub fn expected(paper: &str) -> Option<&'static str> {
    DRIVES.iter().find(|(name, _)| *name == paper).map(|(_, text)| *text)
}
