//! What a workload holds.

use crate::failure::detached;
use crate::run::to_json;
use pyo3::prelude::*;
use serde_json::{Value, json};
use wordline_trace::generate::GeneratorContext;
use wordline_trace::{TraceInfo, open_workload, read_all_count};

/// Address space of a generator that names none.
const SPAN_BYTES: u64 = 16 << 30;

/// Reads a trace file or a generator from its first request to its last; returns JSON: what the
/// file turned out to be, and what it asks for.
#[pyfunction]
#[pyo3(signature = (workload, format=None))]
pub fn trace_info(py: Python<'_>, workload: &str, format: Option<&str>) -> PyResult<String> {
    detached(py, || {
        let context = GeneratorContext { span_bytes: SPAN_BYTES, seed: 1 };
        let mut opened = open_workload(workload, format, &context)?;
        let totals = read_all_count(&mut *opened.source)?;
        to_json(&json!({
            "workload": opened.source.name(),
            "synthetic": opened.source.is_synthetic(),
            "file": opened.info.as_ref().map(of_file),
            "clamped_arrivals": opened.source.clamped_arrivals(),
            "requests": { "total": totals.requests, "reads": totals.reads,
                          "writes": totals.writes, "trims": totals.trims },
            "bytes": { "read": totals.bytes_read, "written": totals.bytes_written },
            "time": { "span_s": totals.duration_ns as f64 / 1e9 },
        }))
    })
}

fn of_file(info: &TraceInfo) -> Value {
    json!({
        "path": info.path.display().to_string(),
        "format": info.format,
        "compression": info.compression.to_string(),
        "time_unit": info.time_unit.name,
    })
}
