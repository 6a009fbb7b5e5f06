//! TOML for Python, whose own reader is younger than the oldest Python that is served.

use crate::failure::{Failure, detached};
use pyo3::prelude::*;
use wordline_sim::config::ConfigError;

/// A TOML document as JSON; `origin` is what messages call it.
#[pyfunction]
pub fn parse_toml(py: Python<'_>, text: &str, origin: &str) -> PyResult<String> {
    detached(py, || {
        let table = text.parse::<toml::Table>().map_err(|error| {
            let start = error.span().map_or(text.len(), |span| span.start);
            let line = text.get(..start).unwrap_or(text).matches('\n').count() + 1;
            let told = error.message().lines().collect::<Vec<_>>().join("; ");
            Failure::Config(ConfigError {
                what: format!("not valid TOML: {told}"),
                place: format!("{origin}:{line}"),
                help: String::new(),
            })
        })?;
        serde_json::to_string(&table).map_err(|error| Failure::Run {
            what: format!("internal error: {error}"),
            help: "please report it".into(),
        })
    })
}
