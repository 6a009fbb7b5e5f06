//! Calling what Python gave, and refusing what it returns.

use crate::failure::Failure;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};
use wordline_sim::config::ConfigError;

/// The first exception that a callable raised.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

/// A callable, and where to put what it raises.
pub struct Callable {
    pub call: Py<PyAny>,
    pub raised: Raised,
}

impl Callable {
    /// What the callable returns; `None` once anything was raised.
    pub fn ask<T>(&self, ask: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<T>) -> Option<T> {
        let mut raised = self.raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if raised.is_some() {
            return None;
        }
        Python::attach(|py| ask(py, &self.call)).map_err(|error| *raised = Some(error)).ok()
    }
}

/// What a callable told cannot be used.
pub fn refused(policy: &str, told: &Bound<'_, PyAny>, help: String) -> PyErr {
    let shown: String = told.repr().map_or_else(|_| String::new(), |text| text.to_string());
    let what = format!("it returned {}", shown.chars().take(80).collect::<String>());
    Failure::Config(ConfigError { what, place: format!("custom.{policy}"), help }).into()
}
