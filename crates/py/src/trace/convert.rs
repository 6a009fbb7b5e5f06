//! A trace in another format, in parts, or several as one.

use super::info::{FileInfo, SkippedRecords, file_info, skipped_records};
use crate::failure::{Failure, detached};
use crate::own::Raised;
use crate::run::to_json;
use crate::watch::PythonWatch;
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use wordline_sim::{Progress, Watch};
use wordline_trace::generate::{DEFAULT_SPAN_BYTES, GeneratorContext};
use wordline_trace::shape::{Layout, Placed, Placing, Shape};
use wordline_trace::write::{Losses, Options, TraceMeta, Written, convert, split};
use wordline_trace::{Error, Shaped, TraceInfo, open_shaped};

/// What to do, as Python says it.
#[derive(Deserialize)]
struct Task {
    sources: Vec<String>,
    format: Option<String>,
    target: String,
    to: Option<String>,
    volumes: Vec<u32>,
    from_s: f64,
    until_s: Option<f64>,
    first: Option<u64>,
    layout: Layout,
    sort: bool,
    time_scale: f64,
    repeat: u64,
    split: bool,
    lossy: bool,
    force: bool,
}

/// What a conversion read and wrote.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Conversion")]
pub struct Report<'a> {
    /// The version that wrote it.
    wordline: &'static str,
    /// The name of the workload.
    workload: &'a str,
    /// Whether a generator took part.
    synthetic: bool,
    /// The files that were read.
    files: Vec<FileInfo<'a>>,
    /// Requests that arrived before the one ahead and were moved to its time.
    clamped_arrivals: u64,
    /// Records that are no requests for data.
    skipped: Vec<SkippedRecords>,
    /// What a reader must know before believing the files.
    warnings: Vec<String>,
    /// Where volumes lie that were laid side by side.
    volumes: Vec<PlacedVolume>,
    /// The files that were written.
    written: Vec<WrittenFile>,
}

/// The range of bytes in which a volume lies.
#[derive(Serialize, JsonSchema)]
struct PlacedVolume {
    /// Its number.
    volume: u32,
    /// Empty where volumes are numbers.
    name: String,
    /// Where it begins.
    first_byte: u64,
    /// How long it is.
    bytes: u64,
}

/// A file that was written.
#[derive(Serialize, JsonSchema)]
struct WrittenFile {
    /// Where it lies.
    path: String,
    /// The volume that it holds, where each has a file of its own.
    volume: Option<u32>,
    /// The format's name.
    format: &'static str,
    /// `none` where it is not compressed.
    compression: String,
    /// Requests that it holds.
    requests: u64,
    /// Its size.
    bytes: u64,
    /// What the format could not hold.
    lost: Lost,
}

/// Requests that the format could not hold as they were.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LostRequests")]
struct Lost {
    /// Times rounded to the format's unit.
    rounded_times: u64,
    /// Requests widened to whole sectors.
    widened: u64,
    /// Trims left out.
    trims_left_out: u64,
    /// Flushes left out.
    flushes_left_out: u64,
    /// Writes that are durable at once (FUA), written as any other.
    fuas_dropped: u64,
    /// Writes with a placement identifier, written without.
    placements_dropped: u64,
    /// Requests left out that lie beyond the greatest address.
    beyond_left_out: u64,
}

/// Carries out the conversion that `task` describes in JSON; returns, as JSON, what was done.
/// Progress and signals are as in a run; what stops it leaves no file.
#[pyfunction]
#[pyo3(signature = (task, progress=None))]
pub fn trace_convert(py: Python<'_>, task: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
    detached(py, || {
        let task: Task = serde_json::from_str(task).map_err(|error| Failure::Run {
            what: format!("the task is not understood: {error}"),
            help: String::new(),
        })?;
        let mut shaped = opened(&task)?;
        let written = carry_out(&task, &mut shaped, PythonWatch::new(progress, Raised::default()))?;
        to_json(&report(&shaped, &task, written))
    })
}

fn opened(task: &Task) -> Result<Shaped, Error> {
    let ns = |s: f64| (s * 1e9).round() as u64;
    let shape = Shape {
        sort: task.sort,
        volumes: task.volumes.clone(),
        from_ns: ns(task.from_s),
        until_ns: task.until_s.map(ns),
        first: task.first,
        layout: task.layout,
        streams: Vec::new(),
        placement: Placing::default(),
        time_scale: task.time_scale,
        repeat: task.repeat,
    };
    let texts: Vec<&str> = task.sources.iter().map(String::as_str).collect();
    // Generators have verbs of their own; beside a trace they span what one without a span does.
    let context = GeneratorContext::without_drive(DEFAULT_SPAN_BYTES, 1);
    open_shaped(&texts, task.format.as_deref(), &shape, &context)
}

fn carry_out(
    task: &Task,
    shaped: &mut Shaped,
    mut watch: PythonWatch,
) -> Result<Vec<(Option<u32>, Written)>, Failure> {
    let meta = TraceMeta::of(&*shaped.source, origin(task, &shaped.files));
    let options = Options { format: task.to.as_deref(), lossy: task.lossy, force: task.force };
    let total = shaped.source.len_hint();
    let mut told =
        |done, simulated_ns| watch.progress(Progress { phase: "run", done, total, simulated_ns });
    let (source, path) = (&mut *shaped.source, Path::new(&task.target));
    let written = if task.split {
        let each = split(source, path, &meta, options, &mut told)?;
        each.map(|each| each.into_iter().map(|(volume, file)| (Some(volume), file)).collect())
    } else {
        convert(source, path, &meta, options, &mut told)?.map(|file| vec![(None, file)])
    };
    watch.explain(written.ok_or(wordline_sim::Error::Stopped))
}

/// Where the requests come from, without the folders of this machine.
fn origin(task: &Task, files: &[TraceInfo]) -> String {
    let told = |text: &String| {
        let path = Path::new(text);
        match files.iter().find(|info| info.path == path) {
            Some(info) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                format!("{name} ({})", info.format)
            }
            None => text.clone(),
        }
    };
    task.sources.iter().map(told).collect::<Vec<_>>().join(" + ")
}

fn report<'a>(shaped: &'a Shaped, task: &Task, written: Vec<(Option<u32>, Written)>) -> Report<'a> {
    let source = &*shaped.source;
    let name = |volume: u32| source.stream_names().get(volume as usize).cloned();
    let place = |placed: &Placed| PlacedVolume {
        volume: placed.stream,
        name: name(placed.stream).unwrap_or_default(),
        first_byte: placed.first_byte,
        bytes: placed.bytes,
    };
    // A file that was replaced by what was made of it is no longer what was read.
    let is_replaced = |info: &&TraceInfo| info.path != Path::new(&task.target);
    Report {
        wordline: wordline_sim::VERSION,
        workload: source.name(),
        synthetic: source.is_synthetic(),
        files: shaped.files.iter().filter(is_replaced).map(file_info).collect(),
        clamped_arrivals: source.clamped_arrivals(),
        skipped: skipped_records(source),
        warnings: source.remarks(),
        volumes: source.placed().iter().map(place).collect(),
        written: written.into_iter().map(written_file).collect(),
    }
}

fn written_file((volume, file): (Option<u32>, Written)) -> WrittenFile {
    let Losses { fine_times, unaligned, trims, flushes, fuas, placements, beyond } = file.losses;
    WrittenFile {
        path: file.path.display().to_string(),
        volume,
        format: file.format,
        compression: file.compression.to_string(),
        requests: file.requests,
        bytes: file.bytes,
        lost: Lost {
            rounded_times: fine_times,
            widened: unaligned,
            trims_left_out: trims,
            flushes_left_out: flushes,
            fuas_dropped: fuas,
            placements_dropped: placements,
            beyond_left_out: beyond,
        },
    }
}
