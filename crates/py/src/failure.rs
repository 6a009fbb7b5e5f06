//! Failures as Python's exceptions: what, where, and how to mend it.

use crate::words::own_words;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Mutex;
use wordline_sim::config::ConfigError;

/// Where and why the last defect showed itself, for the message that the user gets.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Why a call from Python failed, before the interpreter is at hand.
#[derive(Debug)]
pub enum Failure {
    /// The configuration cannot be used.
    Config(ConfigError),
    /// The workload cannot be used.
    Workload(wordline_trace::Error),
    /// The system failed, as by a full disk.
    System(wordline_trace::Error),
    /// The drive cannot work; which places set the keys that this names is not known yet.
    Infeasible { what: String, help: String },
    /// The run could not start or go on.
    Run { what: String, help: String },
    /// An exception of a callback, or a signal.
    Python(PyErr),
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<wordline_trace::Error> for Failure {
    fn from(error: wordline_trace::Error) -> Self {
        match error.is_of_system {
            true => Self::System(error),
            false => Self::Workload(error),
        }
    }
}

impl From<wordline_sim::Error> for Failure {
    fn from(error: wordline_sim::Error) -> Self {
        match error {
            wordline_sim::Error::Infeasible { what, help } => Self::Infeasible { what, help },
            wordline_sim::Error::Workload(error) => error.into(),
            other => Self::Run { what: other.to_string(), help: String::new() },
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Config(e) => exception("ConfigError", e.what, e.place, e.help),
            Failure::Workload(e) => exception("WorkloadError", e.what, e.place, e.help),
            Failure::System(e) => exception("RunError", e.what, e.place, e.help),
            Failure::Infeasible { what, help } => {
                exception("ConfigError", what, String::new(), help)
            }
            Failure::Run { what, help } => exception("RunError", what, String::new(), help),
            Failure::Python(error) => error,
        }
    }
}

/// An exception of `wordline.errors`; they are declared in Python, where users look.
fn exception(class: &str, what: String, place: String, help: String) -> PyErr {
    Python::attach(|py| {
        py.import("wordline.errors")
            .and_then(|module| module.getattr(class))
            .and_then(|class| class.call1((own_words(&what), place, help)))
            .map_or_else(|error| error, PyErr::from_value)
    })
}

/// Runs `work` without the interpreter's lock; a panic becomes an error that asks for a report.
pub fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let result = outcome.unwrap_or_else(|_| {
        let what = LAST_PANIC.lock().map(|last| last.clone()).unwrap_or_default();
        Err(Failure::Run {
            what: format!("internal error: {what}"),
            help: "please report it with the configuration and the seed".into(),
        })
    });
    Ok(result?)
}

/// Keeps the text of a panic for [`detached`] instead of printing it.
pub fn quiet_panics() {
    let before = take_hook();
    set_hook(Box::new(move |info| match LAST_PANIC.lock() {
        Ok(mut last) => *last = info.to_string(),
        Err(_) => before(info),
    }));
}
