//! What a workload holds.

use crate::failure::{Failure, detached};
use crate::own::Raised;
use crate::run::to_json;
use crate::watch::PythonWatch;
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use wordline_sim::{Progress, Watch};
use wordline_trace::generate::{DEFAULT_SPAN_BYTES, GeneratorContext};
use wordline_trace::stats::{Meter, Options, Stats};
use wordline_trace::{Opened, Skipped, Source, TraceInfo, open_workload};

/// Seed of a generator that names none.
const SEED: u64 = 1;
/// Requests between two reports of progress.
const BATCH_REQUESTS: usize = 4096;

/// A workload: what it is, and its statistics.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TraceInfo")]
pub struct Info<'a> {
    /// The version that read it.
    wordline: &'static str,
    /// Its name.
    workload: &'a str,
    /// True of a generator.
    synthetic: bool,
    /// `null` for a generator.
    file: Option<FileInfo<'a>>,
    /// Requests that arrived before the one ahead and were moved to its time.
    clamped_arrivals: u64,
    /// Records that are no requests for data.
    skipped: Vec<SkippedRecords>,
    /// What a reader must know before believing the figures.
    warnings: Vec<String>,
    #[serde(flatten)]
    stats: &'a Stats,
}

/// What a file turned out to be.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TraceFile")]
pub struct FileInfo<'a> {
    /// Where it lies.
    path: String,
    /// The format's name.
    format: &'a str,
    /// `none` where it is not compressed.
    compression: String,
    /// The unit of its times.
    time_unit: &'a str,
    /// Whether the file does not say its unit.
    time_unit_inferred: bool,
    /// Its size.
    bytes: u64,
}

/// Records of one kind that are no requests for data.
#[derive(Serialize, JsonSchema)]
pub struct SkippedRecords {
    /// Why they were passed over.
    reason: &'static str,
    /// How many.
    count: u64,
}

/// Reads a trace file or a generator from its first request to its last; returns, as JSON, what it
/// is and its statistics. The interpreter's lock is free meanwhile; `progress(phase, done, total,
/// simulated_ns)` is called ten times a second at most, and what it raises stops the reading.
#[pyfunction]
#[pyo3(signature = (workload, format=None, sort=false, sample=1.0, memory_mib=2048, progress=None))]
pub fn trace_info(
    py: Python<'_>,
    workload: &str,
    format: Option<&str>,
    sort: bool,
    sample: f64,
    memory_mib: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    detached(py, || {
        let context = GeneratorContext::without_drive(DEFAULT_SPAN_BYTES, SEED);
        let mut opened = open_workload(workload, format, &context)?;
        if sort {
            opened.source.sort_by_time();
        }
        let options = Options { sample, memory_mib };
        let stats =
            measure(&mut *opened.source, &options, PythonWatch::new(progress, Raised::default()))?;
        to_json(&info(&opened, &stats))
    })
}

fn measure(
    source: &mut dyn Source,
    options: &Options,
    mut watch: PythonWatch,
) -> Result<Stats, Failure> {
    let mut meter = Meter::new(source.name(), options)?;
    let total = source.len_hint();
    let mut batch = Vec::with_capacity(BATCH_REQUESTS);
    let mut done = 0;
    loop {
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            let mut stats = meter.finish();
            stats.name_volumes(source.stream_names());
            return Ok(stats);
        }
        meter.add(&batch)?;
        done += batch.len() as u64;
        let now = Progress { phase: "run", done, total, simulated_ns: meter.now_ns() };
        if watch.progress(now).is_break() {
            return watch.explain(Err(wordline_sim::Error::Stopped));
        }
    }
}

fn info<'a>(opened: &'a Opened, stats: &'a Stats) -> Info<'a> {
    let source = &*opened.source;
    let unit_ns = opened.info.as_ref().map(|info| info.time_unit.ns);
    Info {
        wordline: wordline_sim::VERSION,
        workload: source.name(),
        synthetic: source.is_synthetic(),
        file: opened.info.as_ref().map(file_info),
        clamped_arrivals: source.clamped_arrivals(),
        skipped: skipped_records(source),
        warnings: stats.warnings(source, unit_ns),
        stats,
    }
}

/// What the file of `info` turned out to be.
pub fn file_info(info: &TraceInfo) -> FileInfo<'_> {
    FileInfo {
        path: info.path.display().to_string(),
        format: info.format,
        compression: info.compression.to_string(),
        time_unit: info.time_unit.name,
        time_unit_inferred: info.is_time_unit_inferred,
        bytes: std::fs::metadata(&info.path).map_or(0, |data| data.len()),
    }
}

/// The records that `source` passed over.
pub fn skipped_records(source: &dyn Source) -> Vec<SkippedRecords> {
    let told = |s: &Skipped| SkippedRecords { reason: s.reason, count: s.count };
    source.skipped().iter().map(told).collect()
}
