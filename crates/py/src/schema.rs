//! The types of everything that crosses the border as JSON. `tools/generate-results` makes the
//! classes of `wordline.native.types` from them.

use crate::failure::detached;
use crate::lab::Contents;
use crate::run::to_json;
use crate::trace::{Info, Report, Synthesis};
use pyo3::prelude::*;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::json;
use wordline_cell::campaign::Outcome;
use wordline_cell::survey::Survey;
use wordline_cell_experiments as experiments;
use wordline_items::Item;
use wordline_serve::{RecordedCuts, Summary};
use wordline_sim::metrics::RunResult;
use wordline_sim::power::CutReport;
use wordline_sim::technique::erase::Life;

/// JSON Schemas of results, by the Python module that holds their classes.
#[pyfunction]
pub fn schemas(py: Python<'_>) -> PyResult<String> {
    detached(py, || {
        to_json(&json!({
            "items": [of::<Item>()],
            "run": [of::<RunResult>()],
            "erase": [of::<Life>()],
            "power": [of::<CutReport>(), of::<RecordedCuts>()],
            "served": [of::<Summary>()],
            "trace": [of::<Info<'_>>(), of::<Report<'_>>(), of::<Synthesis<'_>>()],
            "lab": [of::<Contents>(), of::<Survey>(), of::<experiments::Report>(), of::<Outcome>()],
        }))
    })
}

fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}
