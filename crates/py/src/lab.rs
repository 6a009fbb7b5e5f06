//! The cell laboratory.

use crate::failure::{Failure, detached};
use crate::run::to_json;
use pyo3::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use wordline_cell::chip::{NAMES, Sourced, info};
use wordline_cell::survey::{Survey, conditions};
use wordline_cell::{Chip, Error, Levels, experiments};
use wordline_sim::config::ConfigError;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        ConfigError { what: error.what, place: error.place, help: error.help }.into()
    }
}

#[derive(Serialize)]
struct Contents {
    chips: Vec<ChipEntry>,
    experiments: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: String,
}

#[derive(Serialize)]
struct ChipEntry {
    #[serde(flatten)]
    entry: Entry,
    levels: Levels,
    values: Vec<Sourced>,
}

/// The laboratory's chips, with every value and its source, and its experiments, as JSON.
#[pyfunction]
pub fn lab_contents(py: Python<'_>) -> PyResult<String> {
    detached(py, || {
        let chip = |name: &&'static str| -> Result<ChipEntry, Error> {
            let Chip { summary, levels, .. } = Chip::preset(name)?;
            Ok(ChipEntry { entry: Entry { name, summary }, levels, values: info(name)? })
        };
        let chips: Result<Vec<ChipEntry>, Error> = NAMES.iter().map(chip).collect();
        let experiments = experiments::ALL
            .iter()
            .map(|experiment| Entry { name: experiment.name, summary: experiment.summary.into() })
            .collect();
        to_json(&Contents { chips: chips?, experiments })
    })
}

/// A word line of a chip under conditions as people write them, as JSON; an empty `mode` is the
/// chip's own.
#[pyfunction]
pub fn lab_vth(
    py: Python<'_>,
    chip: &str,
    mode: &str,
    pec: &str,
    age: &str,
    temp: &str,
    reads: &str,
) -> PyResult<String> {
    detached(py, || {
        let mode = if mode.is_empty() {
            None
        } else {
            Some(Levels::parse(mode).map_err(|error| error.at("--mode"))?)
        };
        let survey = Survey::new(chip, mode, &conditions(pec, age, temp, reads)?)?;
        to_json(&survey)
    })
}

/// An experiment's comparison, fits and curves, as JSON.
#[pyfunction]
pub fn lab_run(py: Python<'_>, name: &str) -> PyResult<String> {
    detached(py, || to_json(&experiments::run(name)?))
}

/// The tables that a drive needs of a chip, as JSON: file name to text.
#[pyfunction]
pub fn lab_tables(py: Python<'_>, chip: &str) -> PyResult<String> {
    detached(py, || {
        let tables = wordline_cell::tables::of_chip(chip)?;
        let by_file: BTreeMap<&str, String> =
            tables.into_iter().map(|table| (table.file, table.text)).collect();
        to_json(&by_file)
    })
}
