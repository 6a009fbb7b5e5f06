//! One run.

use crate::failure::{Failure, detached};
use crate::own::Custom;
use crate::table::Table;
use crate::watch::PythonWatch;
use pyo3::prelude::*;
use wordline_sim::config::{Config, load};
use wordline_sim::technique::erase::life;
use wordline_sim::{Outcome, logical_bytes, simulate_own};
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

/// Resolves a configuration: declared defaults, presets, `text`, then `key=value` overrides.
/// Returns it as TOML and as JSON.
#[pyfunction]
pub fn resolve(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
) -> PyResult<(String, String)> {
    detached(py, || {
        let config = load(text, origin, &overrides)?;
        logical_bytes(&config)?;
        Ok((config.to_toml(), to_json(&config)?))
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
    detached(py, || {
        open(&load(text, origin, &overrides)?)?;
        Ok(())
    })
}

/// The life of the blocks of a configuration by its erase scheme, as JSON.
#[pyfunction]
pub fn erase_life(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
) -> PyResult<String> {
    detached(py, || to_json(&life(&load(text, origin, &overrides)?)?))
}

/// Runs the drive of a configuration on its workload. The interpreter's lock is free meanwhile;
/// `progress(phase, done, total, simulated_ns)` is called ten times a second at most, and what it
/// raises stops the run. `custom` has the callables `victim`, `idle` and `erase`, or `None`s.
#[pyfunction]
#[pyo3(signature = (text, origin, overrides, progress=None, custom=None))]
pub fn run(
    py: Python<'_>,
    text: &str,
    origin: &str,
    overrides: Vec<String>,
    progress: Option<Py<PyAny>>,
    custom: Option<Custom>,
) -> PyResult<Run> {
    let (outcome, result, config) = detached(py, || {
        let config = load(text, origin, &overrides)?;
        let outcome = carry_out(&config, progress, custom)?;
        let result = to_json(&outcome.result)?;
        Ok((outcome, result, config.to_toml()))
    })?;
    Ok(Run {
        result,
        config,
        series: Py::new(py, Table::from(outcome.series))?,
        records: Py::new(py, Table::from(outcome.records))?,
    })
}

fn carry_out(
    config: &Config,
    progress: Option<Py<PyAny>>,
    custom: Option<Custom>,
) -> Result<Outcome, Failure> {
    let workload = open(config)?;
    let (own, raised) = custom.map_or_else(Default::default, |custom| custom.parts(config));
    let mut watch = PythonWatch::new(progress, raised);
    let outcome = simulate_own(config, own, workload.source, &mut watch);
    watch.explain(outcome)
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
