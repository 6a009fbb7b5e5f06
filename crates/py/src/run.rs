//! One run.

use crate::failure::{Failure, detached};
use crate::own::{Custom, Raised};
use crate::rate_files;
use crate::table::Table;
use crate::watch::PythonWatch;
use pyo3::prelude::*;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use wordline_sim::config::{Config, ConfigError, load, load_beside_own, place_of_keys};
use wordline_sim::flash::tape::{Tape, TapeOptions};
use wordline_sim::technique::erase::life;
use wordline_sim::{CutChoice, Outcome, Own, logical_bytes, simulate_own};
use wordline_trace::generate::GeneratorContext;
use wordline_trace::{Shaped, open_shaped};

/// A finished run.
#[pyclass(frozen, module = "wordline._native")]
pub struct Run {
    /// The result, as JSON.
    #[pyo3(get)]
    result: String,
    /// The resolved configuration, as TOML.
    #[pyo3(get)]
    config: String,
    /// The time series.
    #[pyo3(get)]
    series: Py<Table>,
    /// One row per request; empty when not asked for.
    #[pyo3(get)]
    records: Py<Table>,
}

/// A recording that is asked for: its file, from which simulated second on, for how many seconds, and of how many
/// flash commands at most, if it is to end then.
type Record = (PathBuf, f64, f64, Option<u64>);

/// A configuration as the user gives it.
pub struct Given<'a> {
    pub text: &'a str,
    pub origin: &'a str,
    pub overrides: &'a [String],
}

impl Given<'_> {
    /// Does `work` with the configuration, without the interpreter's lock; a drive that cannot work
    /// is told with the places of the keys to blame.
    pub fn detached<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Config) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        self.detached_by(load, py, work)
    }

    /// [`Self::detached`], with the configuration as `load` reads it.
    fn detached_by<T: Send>(
        &self,
        load: fn(&str, &str, &[String]) -> Result<Config, ConfigError>,
        py: Python<'_>,
        work: impl FnOnce(&Config) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            let mut config = load(self.text, self.origin, self.overrides)?;
            let read = rate_files::read(&mut config);
            read.and_then(|()| work(&config)).map_err(|failure| self.located(failure))
        })
    }

    fn located(&self, failure: Failure) -> Failure {
        let Failure::Infeasible { what, help } = failure else { return failure };
        let message = format!("{what} {help}");
        let place = place_of_keys(&message, self.text, self.origin, self.overrides);
        let place = place.unwrap_or_else(|_| self.origin.to_owned());
        Failure::Config(ConfigError { what, place, help })
    }
}

/// Resolves a configuration: declared defaults, presets, `text`, then `key=value` overrides.
/// Returns it as TOML and as JSON.
#[pyfunction]
pub fn resolve(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
) -> PyResult<(String, String)> {
    let given = Given { text, origin, overrides: &overrides };
    given.detached(py, |config| {
        logical_bytes(config)?;
        Ok((config.to_toml(), to_json(config)?))
    })
}

/// Finds out whether the workload of a configuration can be opened, before anything is run.
#[pyfunction]
pub fn check_workload(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
) -> PyResult<()> {
    Given { text, origin, overrides: &overrides }.detached(py, |config| {
        open(config)?;
        Ok(())
    })
}

/// Finds out whether the drives of a configuration can be built, before anything is run.
#[pyfunction]
pub fn check_drives(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
) -> PyResult<()> {
    Given { text, origin, overrides: &overrides }
        .detached(py, |config| Ok(wordline_sim::check_drives(config)?))
}

/// Memory that a run of a configuration takes, roughly, in bytes.
#[pyfunction]
pub fn memory_bytes(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
) -> PyResult<u64> {
    detached(py, || Ok(wordline_sim::memory_bytes(&load(text, origin, &overrides)?)?))
}

/// The life of the blocks of a configuration by its erase scheme, as JSON.
#[pyfunction]
pub fn erase_life(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
) -> PyResult<String> {
    Given { text, origin, overrides: &overrides }.detached(py, |config| to_json(&life(config)?))
}

/// Runs the drive of a configuration on its workload. The interpreter's lock is free meanwhile;
/// `progress(phase, done, total, simulated_ns)` is called ten times a second at most, and what it
/// raises stops the run. `custom` has the callables of a `Custom`, or `None`s; `record` asks for a recording.
#[pyfunction]
#[pyo3(signature = (text, origin, overrides, progress=None, custom=None, record=None))]
pub fn run(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
    progress: Option<Py<PyAny>>,
    custom: Option<Custom>,
    record: Option<Record>,
) -> PyResult<Run> {
    let given = Given { text, origin, overrides: &overrides };
    let has_own_blocks = custom.as_ref().is_some_and(Custom::needs_single_blocks);
    let load = if has_own_blocks { load_beside_own } else { load };
    let (outcome, config) = given.detached_by(load, py, |config| {
        Ok((carry_out(config, progress, custom, record)?, config.to_toml()))
    })?;
    run_of(py, outcome, config)
}

/// What a finished run of a configuration, given as TOML, is to Python.
pub fn run_of(py: Python<'_>, outcome: Outcome, config: String) -> PyResult<Run> {
    let result = detached(py, || to_json(&outcome.result))?;
    Ok(Run {
        result,
        config,
        series: Py::new(py, Table::from(outcome.series))?,
        records: Py::new(py, Table::from(outcome.records))?,
    })
}

/// Runs the drive of a configuration on its workload, cuts power at one of `every` of its moments, or in the
/// midst of the program or erase `at`, and says what was missing afterwards, as JSON.
#[pyfunction]
#[pyo3(signature = (text, origin, overrides, every=1, at=None, progress=None))]
pub fn power_cuts(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
    every: u64,
    at: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    Given { text, origin, overrides: &overrides }.detached(py, |config| {
        let workload = open(config)?;
        let mut watch = PythonWatch::new(progress, Raised::default());
        let choice = CutChoice { every, at };
        let report = wordline_sim::power_cuts(config, workload.source, choice, &mut watch);
        to_json(&watch.explain(report)?)
    })
}

fn carry_out(
    config: &Config,
    progress: Option<Py<PyAny>>,
    custom: Option<Custom>,
    record: Option<Record>,
) -> Result<Outcome, Failure> {
    let workload = open(config)?;
    let (own, raised) = custom.map_or_else(Default::default, |custom| custom.parts(config));
    let own = Own { tape: record.map(tape).transpose()?, ..own };
    let mut watch = PythonWatch::new(progress, raised);
    let outcome = simulate_own(config, own, workload.source, &mut watch);
    watch.explain(outcome)
}

/// A recording in a file that is there already.
///
/// With a number of commands it ends after them; without it keeps so many as a page plays, spread over the run.
fn tape((path, from_s, seconds, commands): Record) -> Result<Tape, Failure> {
    let ns = |seconds: f64| (seconds * 1e9).round() as u64;
    let file = File::create(&path).map_err(|error| Failure::Run {
        what: format!("the recording cannot be written: {error}"),
        help: "name another file".into(),
    })?;
    let options =
        TapeOptions { from_ns: ns(from_s), length_ns: ns(seconds), ..TapeOptions::default() };
    let options = match commands {
        Some(most_commands) => TapeOptions { most_commands, kept_commands: u64::MAX, ..options },
        None => options,
    };
    Ok(Tape::new(Box::new(BufWriter::new(file)), options))
}

fn open(config: &Config) -> Result<Shaped, Failure> {
    let context = GeneratorContext::on_drive(logical_bytes(config)?, config.run.seed);
    let workload = &config.workload;
    let format = Some(workload.format.as_str()).filter(|&name| name != "auto");
    let more = workload.interleave.iter().map(String::as_str);
    let texts: Vec<&str> = std::iter::once(workload.source.as_str()).chain(more).collect();
    Ok(open_shaped(&texts, format, &workload.shape(), &context)?)
}

/// JSON text of `value`.
pub fn to_json(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::Run {
        what: format!("the result cannot be written as JSON: {error}"),
        help: "please report it with the configuration and the seed".into(),
    })
}
