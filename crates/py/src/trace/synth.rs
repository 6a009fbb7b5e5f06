//! Traces from generators, and models from traces.

use crate::failure::{Failure, detached};
use crate::own::Raised;
use crate::run::to_json;
use crate::watch::PythonWatch;
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::Path;
use wordline_sim::{Progress, Watch};
use wordline_trace::generate::{DEFAULT_SPAN_BYTES, GeneratorContext};
use wordline_trace::write::{Options, TraceMeta, Written, convert};
use wordline_trace::{Source, open_workload, twin};

/// What a generator's file holds.
#[derive(Serialize, JsonSchema)]
pub struct Synthesis<'a> {
    /// The name of the workload.
    workload: &'a str,
    /// Always true.
    synthetic: bool,
    /// The seed.
    seed: u64,
    /// Where the file lies.
    path: String,
    /// The format's name.
    format: &'static str,
    /// `none` where it is not compressed.
    compression: String,
    /// Requests that it holds.
    requests: u64,
    /// Its size.
    bytes: u64,
}

/// Writes what a generator, a twin or a TOML file of them gives to a trace file; returns JSON: what
/// was written. `span_bytes` is the address space of a generator that names none.
#[pyfunction]
#[pyo3(signature = (workload, path, span_bytes, seed, format=None, lossy=false, force=false))]
#[expect(clippy::too_many_arguments, reason = "the options of a verb, by keyword")]
pub fn trace_synth(
    py: Python<'_>,
    workload: &str,
    path: &str,
    span_bytes: u64,
    seed: u64,
    format: Option<&str>,
    lossy: bool,
    force: bool,
) -> PyResult<String> {
    detached(py, || {
        let context = GeneratorContext::without_drive(span_bytes, seed);
        let mut opened = open_workload(workload, None, &context)?;
        if !opened.source.is_synthetic() {
            let what = "is a trace already, not a generator";
            let help = "`wordline trace convert` writes a trace in another format";
            return Err(Failure::Workload(wordline_trace::Error::new(what, workload, help)));
        }
        let origin = format!("{workload}, seed {seed}");
        let meta = TraceMeta::of(&*opened.source, origin);
        let options = Options { format, lossy, force };
        let written = write(&mut *opened.source, Path::new(path), &meta, options)?;
        to_json(&Synthesis {
            workload: opened.source.name(),
            synthetic: true,
            seed,
            path: written.path.display().to_string(),
            format: written.format,
            compression: written.compression.to_string(),
            requests: written.requests,
            bytes: written.bytes,
        })
    })
}

/// Writes all of a source, unless Ctrl-C stops it: then there is no file.
fn write(
    source: &mut dyn Source,
    path: &Path,
    meta: &TraceMeta,
    options: Options<'_>,
) -> Result<Written, Failure> {
    let mut watch = PythonWatch::new(None, Raised::default());
    let written =
        convert(source, path, meta, options, &mut |done, ns| go_on(&mut watch, done, ns))?;
    watch.explain(written.ok_or(wordline_sim::Error::Stopped))
}

/// Whether a signal has come.
fn go_on(watch: &mut PythonWatch, done: u64, simulated_ns: u64) -> ControlFlow<()> {
    watch.progress(Progress { phase: "run", done, total: None, simulated_ns })
}

/// Fits a model to a trace; returns it as TOML, and what a reader must know before believing it.
#[pyfunction]
#[pyo3(signature = (workload, name, format=None, sort=false))]
pub fn trace_fit(
    py: Python<'_>,
    workload: &str,
    name: &str,
    format: Option<&str>,
    sort: bool,
) -> PyResult<(String, Vec<String>)> {
    detached(py, || {
        let context = GeneratorContext::without_drive(DEFAULT_SPAN_BYTES, 1);
        let mut opened = open_workload(workload, format, &context)?;
        if sort {
            opened.source.sort_by_time();
        }
        let mut watch = PythonWatch::new(None, Raised::default());
        let model = twin::fit(&mut *opened.source, name, &mut || go_on(&mut watch, 0, 0))?;
        let model = watch.explain(model.ok_or(wordline_sim::Error::Stopped))?;
        Ok((model.to_toml(), opened.source.remarks()))
    })
}
