//! The cell laboratory.

use crate::columns::{Cells, NamedColumn};
use crate::failure::{Failure, detached};
use crate::run::to_json;
use crate::table::Table;
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use wordline_cell::campaign::{Campaign, ChipTally, Settings};
use wordline_cell::chip::{NAMES, Sourced, info};
use wordline_cell::survey::{Survey, conditions};
use wordline_cell::{Chip, Error, Levels};
use wordline_cell_experiments as experiments;
use wordline_sim::config::ConfigError;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        ConfigError { what: error.what, place: error.place, help: error.help }.into()
    }
}

/// What the laboratory offers.
#[derive(Serialize, JsonSchema)]
pub struct Contents {
    /// Its chips.
    chips: Vec<ChipEntry>,
    /// Its experiments.
    experiments: Vec<Entry>,
}

/// An experiment.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExperimentEntry")]
struct Entry {
    /// Its name.
    name: &'static str,
    /// What it shows.
    summary: String,
}

/// A chip.
#[derive(Serialize, JsonSchema)]
struct ChipEntry {
    #[serde(flatten)]
    entry: Entry,
    /// Bits per cell.
    levels: Levels,
    /// Its parameters, each with its source.
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
#[expect(clippy::too_many_arguments, reason = "the options of a verb")]
pub fn lab_vth(
    py: Python<'_>,
    chip: &str,
    text: &str,
    mode: &str,
    pec: &str,
    age: &str,
    temp: &str,
    reads: &str,
) -> PyResult<String> {
    detached(py, || {
        to_json(&Survey::new(
            chip,
            &parse_chip(chip, text)?,
            parse_mode(mode)?,
            &conditions(pec, age, temp, reads)?,
        )?)
    })
}

/// The distributions of [`lab_vth`], as a table: the voltage in units, and by state the share of its
/// cells per unit.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the options of a verb")]
pub fn lab_distributions(
    py: Python<'_>,
    chip: &str,
    text: &str,
    mode: &str,
    pec: &str,
    age: &str,
    temp: &str,
    reads: &str,
) -> PyResult<Table> {
    detached(py, || {
        let survey = Survey::new(
            chip,
            &parse_chip(chip, text)?,
            parse_mode(mode)?,
            &conditions(pec, age, temp, reads)?,
        )?;
        let column =
            |name: &str, values| NamedColumn { name: name.into(), values: Cells::F64(values) };
        let voltage = column("voltage", survey.voltages);
        let states = survey.states.into_iter().map(|state| column(&state.name, state.density));
        Ok(std::iter::once(voltage).chain(states).collect::<Vec<_>>().into())
    })
}

/// The chip that `text` describes, or the preset of this name where that is empty.
fn parse_chip(name: &str, text: &str) -> Result<Chip, Error> {
    if text.is_empty() {
        return Chip::preset(name);
    }
    Chip::parse(text).map_err(|error| {
        let place = format!("{name}: {}", error.place);
        error.at(place.trim_end_matches([':', ' ']))
    })
}

/// The mode of this name; `None` for an empty one.
fn parse_mode(mode: &str) -> Result<Option<Levels>, Error> {
    let parsed = (!mode.is_empty()).then(|| Levels::parse(mode));
    parsed.transpose().map_err(|error| error.at("mode"))
}

/// A campaign's settings, with quantities as people write them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    chip: String,
    text: String,
    mode: String,
    pec: String,
    age: String,
    temp: String,
    reads: String,
    is_optimal: bool,
    chips: u32,
    pages: u64,
    precision: f64,
    confidence: f64,
    seed: u64,
    threads: usize,
}

impl Asked {
    fn settings(&self) -> Result<Settings, Error> {
        Ok(Settings {
            mode: parse_mode(&self.mode)?,
            conditions: conditions(&self.pec, &self.age, &self.temp, &self.reads)?,
            is_optimal: self.is_optimal,
            chips: self.chips,
            pages: self.pages,
            precision: self.precision,
            confidence: self.confidence,
            seed: self.seed,
            threads: self.threads,
        })
    }
}

/// Measures many chips, and returns what was found, as JSON. `progress(chips, tallies)` is told
/// after each round of the chips done and, as JSON, of what was counted on them, which `tallies` of
/// a later call takes up; it may raise to stop.
#[pyfunction]
pub fn lab_campaign(
    py: Python<'_>,
    settings: &str,
    tallies: &str,
    progress: Py<PyAny>,
) -> PyResult<String> {
    // The caller checks what it asks for; tallies come from a file.
    let malformed = |error: serde_json::Error| {
        Failure::from(ConfigError {
            what: format!("the stored tallies cannot be read: {error}"),
            place: "store".into(),
            help: "remove the file to begin anew".into(),
        })
    };
    detached(py, || {
        let asked: Asked = serde_json::from_str(settings).map_err(malformed)?;
        let done: Vec<ChipTally> = serde_json::from_str(tallies).map_err(malformed)?;
        let chip = parse_chip(&asked.chip, &asked.text)?;
        let mut campaign = Campaign::new(chip, asked.settings()?, done)?;
        let mut stopped = None;
        campaign.run(|done| {
            let told = to_json(&done).and_then(|text| {
                let tell = |py: Python<'_>| -> PyResult<()> {
                    py.check_signals()?;
                    progress.call1(py, (done.len(), text)).map(drop)
                };
                Python::attach(tell).map_err(Failure::Python)
            });
            match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(failure) => {
                    stopped = Some(failure);
                    ControlFlow::Break(())
                }
            }
        });
        stopped.map_or(Ok(()), Err)?;
        to_json(&campaign.outcome())
    })
}

/// An experiment's comparison, fits and curves, as JSON.
#[pyfunction]
pub fn lab_run(py: Python<'_>, name: &str) -> PyResult<String> {
    detached(py, || to_json(&experiments::run(name)?))
}

/// The tables that a drive needs of a chip, as JSON: file name to text.
#[pyfunction]
pub fn lab_tables(py: Python<'_>, chip: &str, text: &str) -> PyResult<String> {
    detached(py, || {
        let tables = wordline_cell::tables::of(chip, &parse_chip(chip, text)?)?;
        let by_file: BTreeMap<&str, String> =
            tables.into_iter().map(|table| (table.file, table.text)).collect();
        to_json(&by_file)
    })
}
